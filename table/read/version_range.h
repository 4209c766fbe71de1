// VersionRange: which versions of a key an iterator may show, by the options
// snapshot, iter_start_seqnum and iter_start_ts. (Blocks are loaded without
// entries newer than ReadOptions::timestamp.)
//
// SkipCount: how many entries one call of an iterator has left out, by
// ReadOptions::max_skippable_internal_keys.
//
// Parts of iterators.
#ifndef ASHLAR_TABLE_READ_VERSION_RANGE_H_
#define ASHLAR_TABLE_READ_VERSION_RANGE_H_

#include <cstdint>
#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/read_options.h"
#include "ashlar/util/slice.h"
#include "table/format/key_order.h"

namespace ashlar::internal {

class VersionRange {
 public:
  // The order is that of the keys, and the options have its timestamp size.
  VersionRange(const KeyOrder& order, const ReadOptions& options)
      : comparator_(order.comparator()),
        last_(options.snapshot),
        first_(options.iter_start_seqnum),
        oldest_(options.iter_start_ts.ToString()) {}

  // Returns whether such a read may leave out any version.
  static bool IsPartOf(const ReadOptions& options) {
    return options.snapshot != kMaxSequenceNumber ||
           options.iter_start_seqnum != 0 || !options.iter_start_ts.empty();
  }

  SequenceNumber snapshot() const { return last_; }
  bool Excludes(const Slice& internal_key) const {
    const SequenceNumber sequence = SequenceOf(internal_key);
    if (sequence > last_ || sequence < first_) return true;
    return !oldest_.empty() &&
           comparator_->CompareTimestamp(
               TimestampOf(UserKeyOf(internal_key), oldest_.size()), oldest_) <
               0;
  }

 private:
  const Comparator* const comparator_;
  const SequenceNumber last_;
  const SequenceNumber first_;
  const std::string oldest_;
};

class SkipCount {
 public:
  explicit SkipCount(const ReadOptions& options)
      : most_(options.max_skippable_internal_keys == 0
                  ? ~uint64_t{0}
                  : options.max_skippable_internal_keys) {}

  // To be called when a call of the iterator begins.
  void Begin() { skipped_ = 0; }
  // To be called when an entry is left out.
  void Add() { ++skipped_; }
  // To be asked before the next entry is looked at. An end after the last
  // entry that was left out is an end, however many these are.
  bool IsOver() const { return skipped_ > most_; }
  static Status Error() {
    return Status::Incomplete(
        "more entries are left out than max_skippable_internal_keys allows");
  }

 private:
  const uint64_t most_;
  uint64_t skipped_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_VERSION_RANGE_H_
