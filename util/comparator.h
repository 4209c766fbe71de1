// Comparator: the order of user keys.
//
// A table is sorted by one comparator, whose name is stored in the file. The
// built-in ones cover almost every use; an engine may bring its own.
// Implementations must be stateless or internally synchronised: builders and
// readers call them from any thread.
#ifndef ASHLAR_UTIL_COMPARATOR_H_
#define ASHLAR_UTIL_COMPARATOR_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"

namespace ashlar {

class ASHLAR_EXPORT Comparator {
 public:
  virtual ~Comparator();

  // Stored as rocksdb.comparator; a reader refuses a file with another name.
  virtual std::string_view Name() const = 0;

  // < 0, 0 or > 0. A total order; equal means equal bytes.
  virtual int Compare(const Slice& a, const Slice& b) const = 0;

  // May replace *start (a key) by a shorter one in [*start, limit), where
  // *start < limit. Doing nothing is always right: index entries are then as
  // long as keys.
  virtual void FindShortestSeparator(std::string* start,
                                     const Slice& limit) const;

  // May replace *key by a shorter one that is not smaller. Doing nothing is
  // always right.
  virtual void FindShortSuccessor(std::string* key) const;

  // Bytes of the timestamp that every user key ends in; 0: keys have none. Of
  // keys that are equal but for it, Compare puts the newer one first. All bytes
  // 0 must be the oldest timestamp, all bytes 0xFF the newest. With timestamps,
  // Compare and FindShortestSeparator get keys of at least that size.
  virtual size_t timestamp_size() const { return 0; }
  // < 0, 0 or > 0: older, the same, newer. Of timestamp_size() bytes each.
  virtual int CompareTimestamp(const Slice& a, const Slice& b) const;
  // Compare for keys whose timestamps were taken off.
  virtual int CompareWithoutTimestamp(const Slice& a, const Slice& b) const;
};

// Unsigned bytewise order, "leveldb.BytewiseComparator". Never destroyed.
ASHLAR_EXPORT const Comparator* BytewiseComparator();

// Its exact reverse, "rocksdb.ReverseBytewiseComparator". Never destroyed.
ASHLAR_EXPORT const Comparator* ReverseBytewiseComparator();

// The same with timestamps of 64 bits, little-endian:
// "leveldb.BytewiseComparator.u64ts" and
// "rocksdb.ReverseBytewiseComparator.u64ts". Never destroyed.
ASHLAR_EXPORT const Comparator* BytewiseComparatorWithU64Ts();
ASHLAR_EXPORT const Comparator* ReverseBytewiseComparatorWithU64Ts();

// The 8 bytes of such a timestamp.
ASHLAR_EXPORT std::string EncodeU64Ts(uint64_t timestamp);
// The other way; 0 unless there are 8 bytes.
ASHLAR_EXPORT uint64_t DecodeU64Ts(const Slice& bytes);

// A user key in two parts. `size` must not exceed that of the key.
inline Slice WithoutTimestamp(const Slice& user_key, size_t size) {
  return Slice(user_key.data(), user_key.size() - size);
}
inline Slice TimestampOf(const Slice& user_key, size_t size) {
  return Slice(user_key.end() - size, size);
}

// The built-in comparator of that name, or null.
ASHLAR_EXPORT const Comparator* FindBuiltinComparator(std::string_view name);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_COMPARATOR_H_
