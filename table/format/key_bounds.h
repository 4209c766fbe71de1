// KeyBounds: the smallest and the largest key of a table, new or old.
//
// One thread at a time.
#ifndef ASHLAR_TABLE_FORMAT_KEY_BOUNDS_H_
#define ASHLAR_TABLE_FORMAT_KEY_BOUNDS_H_

#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/table_summary.h"
#include "table/format/key_order.h"

namespace ashlar::internal {

class KeyBounds {
 public:
  // `order` is that of keys with their timestamps, which are not among the keys
  // that are passed here if they are not written
  // (strips_timestamps).
  KeyBounds(const KeyOrder& order, bool strips_timestamps)
      : order_(order), strips_timestamps_(strips_timestamps) {}

  void BeginWith(const Slice& user_key, uint64_t tail) {
    first_ = Join(user_key, tail);
  }
  std::string Join(const Slice& user_key, uint64_t tail) const {
    std::string key = user_key.ToString();
    if (strips_timestamps_) key.append(order_.timestamp_size(), '\0');
    AppendInternalKey(Slice(), tail >> 8, static_cast<ValueType>(tail & 0xff),
                      &key);
    return key;
  }
  // A range deletion, with its timestamps as they are written.
  void AddRangeDeletion(const Slice& begin, uint64_t tail, const Slice& end) {
    std::string from = Join(begin, tail);
    if (smallest_.empty() || order_.Compare(from, smallest_) < 0) {
      smallest_.swap(from);
    }
    std::string to =
        (strips_timestamps_ ? end
                            : WithoutTimestamp(end, order_.timestamp_size()))
            .ToString();
    to.append(order_.timestamp_size(), '\xff');
    AppendInternalKey(Slice(), kMaxSequenceNumber,
                      ValueType::kTypeRangeDeletion, &to);
    if (largest_.empty() || order_.Compare(to, largest_) > 0) {
      largest_.swap(to);
    }
  }

  // Sets the four keys. `last` is the internal key of the last entry, or empty.
  void Describe(const std::string& last, TableSummary* summary) const {
    summary->first_entry = first_;
    summary->last_entry = last;
    const bool deletion_first =
        first_.empty() ||
        (!smallest_.empty() && order_.Compare(smallest_, first_) < 0);
    const bool deletion_last =
        last.empty() || (!largest_.empty() && !IsEntryAtEnd(last) &&
                         order_.Compare(largest_, last) > 0);
    summary->smallest = deletion_first ? smallest_ : first_;
    summary->largest = deletion_last ? largest_ : last;
  }

 private:
  // Returns whether the last entry has the largest sequence number, and its
  // user key is where a range deletion ends. Though some types sort before that
  // end, the entry belongs to the table, which an end as the largest key would
  // deny.
  bool IsEntryAtEnd(const Slice& last) const {
    return SequenceOf(last) == kMaxSequenceNumber &&
           order_.CompareUserKeys(UserKeyOf(largest_), UserKeyOf(last)) == 0;
  }

  const KeyOrder order_;
  const bool strips_timestamps_;
  std::string first_;
  std::string smallest_;  // of range deletions
  std::string largest_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FORMAT_KEY_BOUNDS_H_
