// BatchLimits: what ends a MultiGet before its last key: ReadOptions::deadline
// and ReadOptions::value_size_soft_limit.
//
// A MultiGet takes its keys in chunks. It asks Check before each chunk, and
// passes the answers of the chunk to Count. Both only if any(), so that a
// MultiGet without limits pays a comparison per chunk. One thread at a time.
#ifndef ASHLAR_TABLE_READ_BATCH_LIMITS_H_
#define ASHLAR_TABLE_READ_BATCH_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "ashlar/table/table_reader.h"
#include "table/load/file_gate.h"

namespace ashlar::internal {

class BatchLimits {
 public:
  // `options` outlive this.
  BatchLimits(const ReadOptions& options, const FileGate& gate)
      : options_(options),
        gate_(gate),
        any_(options.deadline.count() != 0 ||
             options.value_size_soft_limit != ~uint64_t{0}) {}

  bool any() const { return any_; }
  // Returns ok, or what all keys get that have no answer yet.
  Status Check() const {
    return IsFull() ? Full() : gate_.CheckDeadline(options_);
  }
  // Counts the values of these keys, in this order. Takes the answers back of
  // keys that come after the limit.
  void Count(std::span<GetResult> results, std::span<Status> statuses) {
    for (size_t i = 0; i < results.size(); ++i) {
      GetResult& result = results[i];
      if (IsFull()) {
        result.Reset();
        statuses[i] = Full();
      } else if (result.state == GetResult::State::kFound) {
        bytes_ +=
            result.entity.empty() ? result.value.size() : result.entity.size();
      }
    }
  }
  // Gives all these keys this status.
  static void End(const Status& status, std::span<GetResult> results,
                  std::span<Status> statuses) {
    for (GetResult& result : results) result.Reset();
    for (Status& s : statuses) s = status;
  }

 private:
  bool IsFull() const { return bytes_ > options_.value_size_soft_limit; }
  static Status Full() {
    return Status::Aborted(
        "the values of earlier keys exceed value_size_soft_limit");
  }

  const ReadOptions& options_;
  const FileGate gate_;
  const bool any_;
  uint64_t bytes_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_BATCH_LIMITS_H_
