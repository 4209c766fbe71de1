// KeyOrder: a comparator whose built-in kinds are called without a virtual
// call.
//
// Builder, blocks, index and iterators compare keys through this. A small
// value: thread-safe to read. The comparator must outlive it.
#ifndef ASHLAR_TABLE_FORMAT_KEY_ORDER_H_
#define ASHLAR_TABLE_FORMAT_KEY_ORDER_H_

#include <cstdint>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/slice.h"

namespace ashlar::internal {

class KeyOrder {
 public:
  explicit KeyOrder(const Comparator* comparator)
      : comparator_(comparator),
        kind_(KindOf(comparator)),
        timestamp_size_(static_cast<uint32_t>(comparator->timestamp_size())),
        rising_(kind_ == Kind::kBytewise ||
                comparator == BytewiseComparatorWithU64Ts()),
        falling_(kind_ == Kind::kReverseBytewise ||
                 comparator == ReverseBytewiseComparatorWithU64Ts()) {}

  // Returns the order of keys whose comparator is not known; `placeholder` has
  // its name. Of two user keys it can only say whether they are equal.
  static KeyOrder Unknown(const Comparator* placeholder) {
    KeyOrder order(placeholder);
    order.known_ = false;
    return order;
  }
  bool known() const { return known_; }
  // Returns whether b is known not to come after a. Both are internal keys.
  bool Forbids(const Slice& a, const Slice& b) const {
    return known_ && Compare(a, b) >= 0;
  }

  // Returns the same order for keys without their timestamps.
  KeyOrder WithoutTimestamps() const {
    if (timestamp_size_ == 0) return *this;
    if (rising_) return KeyOrder(BytewiseComparator());
    if (falling_) return KeyOrder(ReverseBytewiseComparator());
    KeyOrder order = *this;
    order.kind_ = Kind::kCustomWithoutTimestamps;
    order.timestamp_size_ = 0;
    return order;
  }

  const Comparator* comparator() const { return comparator_; }
  // Returns whether what was found in one order holds in the other.
  bool IsSameAs(const KeyOrder& other) const {
    return comparator_ == other.comparator_ && known_ == other.known_ &&
           kind_ == other.kind_ && timestamp_size_ == other.timestamp_size_;
  }
  // Size in bytes of the timestamp at the end of each user key; 0: none.
  size_t timestamp_size() const { return timestamp_size_; }
  // Size in bytes of the shortest internal key.
  size_t smallest_key() const {
    return kInternalKeyTailBytes + timestamp_size_;
  }
  // Returns whether user keys are ordered by their bytes, ascending or
  // descending.
  bool IsOfBytes() const {
    return kind_ == Kind::kBytewise || kind_ == Kind::kReverseBytewise;
  }

  // Turns the first bytes of a user key, as a big-endian integer, into an
  // integer that ascends as keys do. Requires: IsOfBytes().
  template <typename Integer>
  Integer WordOf(Integer bytes) const {
    return kind_ == Kind::kReverseBytewise ? ~bytes : bytes;
  }

  int CompareUserKeys(const Slice& a, const Slice& b) const {
    switch (kind_) {
      case Kind::kBytewise:
        return a.compare(b);
      case Kind::kReverseBytewise:
        return b.compare(a);
      case Kind::kCustomWithoutTimestamps:
        return comparator_->CompareWithoutTimestamp(a, b);
      case Kind::kCustom:
        break;
    }
    return comparator_->Compare(a, b);
  }

  // Compares internal keys: user keys ascending, then tails descending.
  int Compare(const Slice& a, const Slice& b) const {
    const int order = CompareUserKeys(UserKeyOf(a), UserKeyOf(b));
    if (order != 0) return order;
    const uint64_t tail_a = TailOf(a);
    const uint64_t tail_b = TailOf(b);
    if (tail_a == tail_b) return 0;
    return tail_a > tail_b ? -1 : 1;
  }

  // Returns true if a key sorts after the key before it, given the first byte
  // where they differ: `next` in the key, `last` in the key before. Requires:
  // that byte is before the timestamps of both. False proves nothing:
  // comparators that are not of bytes always give false.
  bool AscendsAt(uint8_t last, uint8_t next) const {
    if (rising_) return last < next;
    return falling_ && last > next;
  }

 private:
  enum class Kind : uint8_t {
    kBytewise,
    kReverseBytewise,
    kCustom,
    kCustomWithoutTimestamps,
  };

  static Kind KindOf(const Comparator* comparator) {
    if (comparator == BytewiseComparator()) return Kind::kBytewise;
    return comparator == ReverseBytewiseComparator() ? Kind::kReverseBytewise
                                                     : Kind::kCustom;
  }

  const Comparator* comparator_;
  Kind kind_;
  uint32_t timestamp_size_;
  bool known_ = true;
  // Whether keys, without timestamps, are ordered by their bytes, ascending or
  // descending.
  bool rising_;
  bool falling_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FORMAT_KEY_ORDER_H_
