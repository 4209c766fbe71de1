#include "python/src/multi_get.h"

#include <string>
#include <utility>
#include <vector>

namespace ashlar::python {

namespace {

// Keys that are looked up together. Large enough that a call costs nothing, and
// small enough that values are still in the processor's cache when they are
// copied.
constexpr size_t kKeysAtOnce = 256;

// Collects keys, and looks them up when there are enough.
class Lookup {
 public:
  Lookup(const OpenTables* tables, CallWatch* watch, OutputColumn* to)
      : tables_(tables),
        watch_(watch),
        to_(to),
        results_(kKeysAtOnce),
        statuses_(kKeysAtOnce) {
    keys_.reserve(kKeysAtOnce);
  }

  // The bytes of the key must live until Flush, if `stays`.
  Status Add(const Slice& key, bool stays) {
    if (stays) {
      keys_.push_back(key);
    } else {
      copies_.emplace_back(key.data(), key.size());
      keys_.emplace_back();
    }
    return keys_.size() == kKeysAtOnce ? Flush() : Status();
  }

  Status Flush() {
    if (keys_.empty()) return {};
    if (watch_->Poll()) return Status::Aborted("interrupted");
    for (size_t i = 0; i < copies_.size(); ++i) keys_[i] = copies_[i];
    const size_t count = keys_.size();
    tables_->MultiGet(keys_, {results_.data(), count},
                      {statuses_.data(), count});
    for (size_t i = 0; i < count; ++i) {
      if (!statuses_[i].ok()) return statuses_[i];
      const std::optional<Slice> value = ValueOf(results_[i], &statuses_[i]);
      if (!statuses_[i].ok()) return statuses_[i];
      if (value) {
        to_->AppendBytes(*value);
      } else {
        to_->AppendNull();
      }
    }
    keys_.clear();
    copies_.clear();
    return {};
  }

 private:
  const OpenTables* const tables_;
  CallWatch* const watch_;
  OutputColumn* const to_;
  std::vector<Slice> keys_;
  std::vector<std::string> copies_;
  std::vector<GetResult> results_;
  std::vector<Status> statuses_;
};

}  // namespace

std::optional<Slice> ValueOf(const GetResult& result, Status* status) {
  if (result.state != GetResult::State::kFound) return std::nullopt;
  if (result.is_blob_index) {
    *status = Status::NotSupported("the value is a reference into a blob file");
  }
  return result.value.slice();
}

Status FindAll(const OpenTables& tables, CallWatch* watch, ArrowInput* input,
               RowMaker* rows, std::shared_ptr<OutputBatch>* found) {
  auto batch = std::make_shared<OutputBatch>();
  batch->columns.emplace_back(
      OutputType{.name = "value", .format = "Z", .is_nullable = true});
  Lookup lookup(&tables, watch, &batch->columns[0]);
  const ArrowArray* keys = nullptr;
  bool is_prepared = false;
  for (;;) {
    Status status = input->Next(&keys);
    if (!status.ok()) return status;
    if (!is_prepared && input->schema() != nullptr) {
      status = rows->Prepare(*input->schema());
      if (!status.ok()) return status;
      is_prepared = true;
    }
    if (keys == nullptr) break;
    batch->columns[0].Reserve(static_cast<size_t>(keys->length), 0);
    status = rows->ForEach(*keys, [&](const Slice& key, const Slice&) {
      return lookup.Add(key, rows->keys_stay());
    });
    if (status.ok()) status = lookup.Flush();
    if (!status.ok()) return status;
  }
  *found = std::move(batch);
  return {};
}

}  // namespace ashlar::python
