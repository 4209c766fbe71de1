// TargetKey: the internal key that a point read looks for.
//
// It takes no allocation unless the key is long. Not copied; one thread at a
// time.
#ifndef ASHLAR_TABLE_READ_TARGET_KEY_H_
#define ASHLAR_TABLE_READ_TARGET_KEY_H_

#include <array>
#include <cstring>
#include <string>

#include "ashlar/util/slice.h"
#include "table/read/opened_table.h"

namespace ashlar::internal {

// Returns the tail of the target. It has the largest type, so that all versions
// of that sequence number come after it, as in OpenedTable::AppendTarget.
constexpr uint64_t TargetTail(SequenceNumber snapshot) {
  return snapshot << 8 | 0xff;
}

class TargetKey {
 public:
  TargetKey() = default;
  TargetKey(const OpenedTable& table, const Slice& user_key,
            const Slice& timestamp, SequenceNumber snapshot) {
    Set(table, user_key, timestamp, snapshot);
  }
  TargetKey(const TargetKey&) = delete;
  TargetKey& operator=(const TargetKey&) = delete;

  // Makes this the internal key before all versions of user_key (given without
  // timestamp) that a read at this timestamp and snapshot may see.
  void Set(const OpenedTable& table, const Slice& user_key,
           const Slice& timestamp, SequenceNumber snapshot) {
    const size_t size = user_key.size() + kInternalKeyTailBytes;
    if (table.order.timestamp_size() == 0 && size <= inline_.size())
        [[likely]] {
      std::memcpy(inline_.data(), user_key.data(), user_key.size());
      StoreFixed64(inline_.data() + user_key.size(), TargetTail(snapshot));
      slice_ = Slice(inline_.data(), size);
      return;
    }
    long_.clear();
    table.AppendTarget(user_key, timestamp, snapshot, &long_);
    slice_ = long_;
  }
  const Slice& slice() const { return slice_; }

 private:
  std::array<char, 72> inline_;
  std::string long_;
  Slice slice_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_TARGET_KEY_H_
