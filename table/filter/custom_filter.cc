#include "table/filter/custom_filter.h"

#include <algorithm>
#include <utility>

#include "util/mem/memory_limit.h"

namespace ashlar {

FilterBuilder::~FilterBuilder() = default;
FilterReader::~FilterReader() = default;
FilterPolicy::~FilterPolicy() = default;

uint64_t FilterReader::MayMatchBatch(std::span<const Slice> bytes) const {
  uint64_t answers = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    answers |= static_cast<uint64_t>(MayMatch(bytes[i])) << i;
  }
  return answers;
}

namespace internal {

namespace {

constexpr std::string_view kBuiltInName = "rocksdb.BuiltinBloomFilter";

}  // namespace

Status CheckPolicyName(const FilterPolicy& policy) {
  constexpr size_t kMostBytes = 255;
  const std::string_view name = policy.CompatibilityName();
  if (!name.empty() && name.size() <= kMostBytes && name != kBuiltInName) {
    return {};
  }
  return Status::InvalidArgument(
      "filter policy '" + std::string(name.substr(0, kMostBytes)) +
      "': expected a name of 1 to 255 bytes, other than " +
      std::string(kBuiltInName));
}

Status CheckFilterPolicies(
    std::span<const std::shared_ptr<const FilterPolicy>> policies) {
  for (size_t i = 0; i < policies.size(); ++i) {
    if (policies[i] == nullptr) {
      return Status::InvalidArgument("filter_policies has a null pointer");
    }
    Status status = CheckPolicyName(*policies[i]);
    if (!status.ok()) return status;
    const std::string_view name = policies[i]->CompatibilityName();
    for (const auto& before : policies.first(i)) {
      if (before->CompatibilityName() != name) continue;
      return Status::InvalidArgument("filter_policies has two of the name '" +
                                     std::string(name) + "'");
    }
  }
  return {};
}

// A key that is empty is added the first time all the same.
void CustomFilterBuilder::AddUnless(const Slice& bytes, std::string* last) {
  if (builder_ == nullptr) {
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

}  // namespace internal
}  // namespace ashlar
