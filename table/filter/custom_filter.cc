#include "table/filter/custom_filter.h"

#include <algorithm>
#include <utility>

#include "util/mem/memory_limit.h"

namespace ashlar::internal {

// A key that is empty is added the first time all the same.
void CustomFilterBuilder::AddUnless(const Slice& bytes, std::string* last) {
  // A builder that was refused once would lack the keys before.
  if (builder_ == nullptr && !failed_) {
    builder_ = policy_->NewBuilder();
    failed_ = builder_ == nullptr;
    added_ = 0;
  } else if (*last == std::string_view(bytes.data(), bytes.size()) &&
             !bytes.empty()) {
    return;
  }
  ++added_;
  last->assign(bytes.data(), bytes.size());
  if (builder_ != nullptr) builder_->Add(bytes);
}

uint64_t CustomFilterBuilder::KeysIn(uint64_t bytes) const {
  return std::max<uint64_t>(policy_->KeysIn(bytes), 1);
}

void CustomFilterBuilder::Clear() {
  builder_.reset();
  added_ = 0;
  failed_ = false;
  last_key_.clear();
  last_prefix_.clear();
}

Status CustomFilterBuilder::Finish(Buffer* out) {
  if (added_ == 0) return {};
  const std::string name =
      "filter policy '" + std::string(policy_->CompatibilityName()) + "'";
  Status status = OrMemoryLimit([&]() -> Status {
    if (failed_) return Status::Aborted("made no builder");
    std::string payload;
    Status made = builder_->Finish(&payload);
    if (made.ok()) out->Append(payload);
    return made.ok() || made.IsMemoryLimit() ? made
                                             : Status::Aborted(made.message());
  });
  Clear();
  return status.ok() ? status : status.WithPrefix(name);
}

std::unique_ptr<CustomFilterBuilder> CustomFilterBuilder::Take() {
  auto taken = std::make_unique<CustomFilterBuilder>(policy_);
  std::swap(taken->builder_, builder_);
  taken->added_ = added_;
  taken->failed_ = failed_;
  Clear();
  return taken;
}

}  // namespace ashlar::internal
