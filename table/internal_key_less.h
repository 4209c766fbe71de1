// The order of internal keys, as a function object, and a key to seek with.
//
// For authors of memtables and of file metadata: InternalKeyLess sorts a
// std::map or a skip list in the order of a table, and SeekKey is the key from
// which a lookup at a snapshot begins.
//
// Plain values: thread-safe to read. The comparator must outlive them. No call
// checks that bytes are long enough to be an internal key.
#ifndef ASHLAR_TABLE_INTERNAL_KEY_LESS_H_
#define ASHLAR_TABLE_INTERNAL_KEY_LESS_H_

#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/slice.h"

namespace ashlar {

// Returns < 0, 0 or > 0 if internal key `a` comes before `b`, is equal to it,
// or comes after it: user keys ascending, then tails descending.
inline int CompareInternalKeys(const Comparator* comparator, const Slice& a,
                               const Slice& b) {
  const int order = comparator->Compare(UserKeyOf(a), UserKeyOf(b));
  if (order != 0) return order;
  const uint64_t tail_a = TailOf(a);
  const uint64_t tail_b = TailOf(b);
  if (tail_a == tail_b) return 0;
  return tail_a > tail_b ? -1 : 1;
}

// Whether an internal key comes before another one. Slices and strings may be
// mixed, so that a container of strings can be searched by a Slice.
class InternalKeyLess {
 public:
  // Lets containers of the standard library look up other types of keys.
  using is_transparent = void;

  // Orders user keys by `comparator`, which must outlive this.
  explicit InternalKeyLess(const Comparator* comparator = BytewiseComparator())
      : comparator_(comparator) {}

  // Returns whether `a` comes before `b`. Requires: both are internal keys.
  bool operator()(const Slice& a, const Slice& b) const {
    return CompareInternalKeys(comparator_, a, b) < 0;
  }
  // Returns the comparator of the user keys.
  const Comparator* comparator() const { return comparator_; }

 private:
  const Comparator* comparator_;
};

// The internal key before all versions of a user key that `snapshot` sees: the
// first entry at or after it is the newest of these versions, if there is one.
// RocksDB calls it "LookupKey". Owns its bytes. Its tail has a type that no
// entry has.
//
// Where keys have timestamps, `timestamp` is the newest one that is seen, and
// `user_key` is given without.
class SeekKey {
 public:
  // Makes the key. Copies the bytes. May throw std::bad_alloc.
  explicit SeekKey(const Slice& user_key,
                   SequenceNumber snapshot = kMaxSequenceNumber,
                   const Slice& timestamp = {}) {
    constexpr auto kBeforeAllTypes = static_cast<ValueType>(0xff);
    bytes_.reserve(user_key.size() + timestamp.size() + kInternalKeyTailBytes);
    bytes_.append(user_key.data(), user_key.size());
    AppendInternalKey(timestamp, snapshot, kBeforeAllTypes, &bytes_);
  }

  // Returns the whole key, for a seek. Lives as long as this object.
  Slice internal_key() const { return bytes_; }
  // With the timestamp, if there is one.
  Slice user_key() const { return UserKeyOf(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_INTERNAL_KEY_LESS_H_
