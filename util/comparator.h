// Comparator: the order of user keys.
//
// A table is sorted by one comparator, whose name is stored in the file. The
// built-in ones fit almost every use. To use your own, derive from Comparator
// and pass it in the options of builders and readers. It must outlive them.
//
// Thread safety: builders and readers call a comparator from any number of
// threads at once, so an implementation must be stateless or synchronise
// itself. Not the order of internal keys, which also compares sequence numbers.
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

  // Returns the name, which files store as rocksdb.comparator. If a reader is
  // given a comparator of another name, it refuses the file. Change the name
  // whenever the order changes. The text must live as long as the comparator.
  virtual std::string_view Name() const = 0;

  // Returns < 0, 0 or > 0 if `a` is smaller than, equal to or larger than `b`.
  // Must be a total order. 0 must mean equal bytes.
  virtual int Compare(const Slice& a, const Slice& b) const = 0;

  // May replace *start by a shorter key that is at least *start and smaller
  // than `limit`. Requires of the caller: *start < limit. The default does
  // nothing, which is always correct: index entries are then as long as keys.
  virtual void FindShortestSeparator(std::string* start,
                                     const Slice& limit) const;

  // May replace *key by a shorter key that is at least *key. The default does
  // nothing, which is always correct.
  virtual void FindShortSuccessor(std::string* key) const;

  // Returns the size in bytes of the timestamp that every user key ends with. 0
  // means that keys have none. If two keys differ only in their timestamps,
  // Compare must put the newer one first. A timestamp whose bytes are all 0
  // must be the oldest, and one whose bytes are all 0xFF the newest. Compare
  // and FindShortestSeparator then only get keys of at least this size.
  // If this is not 0, override the two functions below: otherwise reads at a
  // timestamp are wrong.
  virtual size_t timestamp_size() const { return 0; }
  // Returns < 0, 0 or > 0 if timestamp `a` is older than, equal to or newer
  // than `b`. Both have timestamp_size() bytes. The default returns 0.
  virtual int CompareTimestamp(const Slice& a, const Slice& b) const;
  // Compares keys whose timestamps were removed, like Compare. The default
  // calls Compare, which is right for a comparator without timestamps.
  virtual int CompareWithoutTimestamp(const Slice& a, const Slice& b) const;
};

// Returns the comparator "leveldb.BytewiseComparator": the order of unsigned
// bytes. It is never destroyed.
ASHLAR_EXPORT const Comparator* BytewiseComparator();

// Returns the comparator "rocksdb.ReverseBytewiseComparator": the exact
// reverse. It is never destroyed.
ASHLAR_EXPORT const Comparator* ReverseBytewiseComparator();

// Return the same two orders for keys with timestamps of 64 bits,
// little-endian: "leveldb.BytewiseComparator.u64ts" and
// "rocksdb.ReverseBytewiseComparator.u64ts". They are never destroyed. The
// first call may throw std::bad_alloc.
ASHLAR_EXPORT const Comparator* BytewiseComparatorWithU64Ts();
ASHLAR_EXPORT const Comparator* ReverseBytewiseComparatorWithU64Ts();

// Returns the 8 bytes of such a timestamp. May throw std::bad_alloc.
ASHLAR_EXPORT std::string EncodeU64Ts(uint64_t timestamp);
// Returns the timestamp in these 8 bytes; 0 if there are not exactly 8.
ASHLAR_EXPORT uint64_t DecodeU64Ts(const Slice& bytes);

// Return a user key without its timestamp, and its timestamp. `size` is the
// comparator's timestamp_size(). Requires: it is at most user_key.size(). The
// results point into `user_key`.
inline Slice WithoutTimestamp(const Slice& user_key, size_t size) {
  return Slice(user_key.data(), user_key.size() - size);
}
inline Slice TimestampOf(const Slice& user_key, size_t size) {
  return Slice(user_key.end() - size, size);
}

// Returns the built-in comparator of that name, which is never destroyed, or
// null. May throw std::bad_alloc.
ASHLAR_EXPORT const Comparator* FindBuiltinComparator(std::string_view name);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_COMPARATOR_H_
