// Internal keys: what a table is sorted by.
//
//   internal key = user key || fixed64(sequence << 8 | type)
//
// Ascending by user key, then descending by the packed tail, so that the
// newest version of a user key comes first. Flush and compaction hand these
// to the builder; iterators give them back. Pure functions: thread-safe.
#ifndef ASHLAR_TABLE_INTERNAL_KEY_H_
#define ASHLAR_TABLE_INTERNAL_KEY_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"

namespace ashlar {

using SequenceNumber = uint64_t;

inline constexpr SequenceNumber kMaxSequenceNumber =
    (SequenceNumber{1} << 56) - 1;

// The low byte of the tail. Names and numbers are those of RocksDB; FORMAT.md
// says where each may stand.
enum class ValueType : uint8_t {
  kTypeDeletion = 0x00,
  kTypeValue = 0x01,
  kTypeMerge = 0x02,
  kTypeSingleDeletion = 0x07,
  kTypeRangeDeletion = 0x0F,
  kTypeBlobIndex = 0x11,
  kTypeSetWithDelete = 0x12,  // Pebble's: a value
  kTypeDeletionWithTimestamp = 0x14,
  kTypeWideColumnEntity = 0x16,
  kTypeValuePreferredSeqno = 0x18,
};

// "deletion", "value", "merge", ...; "unknown" for any other byte.
ASHLAR_EXPORT std::string_view ValueTypeName(ValueType type);

inline constexpr size_t kInternalKeyTailBytes = 8;

constexpr uint64_t PackTail(SequenceNumber sequence, ValueType type) {
  return sequence << 8 | static_cast<uint64_t>(type);
}

// Of a whole internal key (at least 8 bytes).
inline Slice UserKeyOf(const Slice& internal_key) {
  return Slice(internal_key.data(),
               internal_key.size() - kInternalKeyTailBytes);
}
inline uint64_t TailOf(const Slice& internal_key) {
  uint64_t tail;
  std::memcpy(&tail, internal_key.data() + internal_key.size() - sizeof tail,
              sizeof tail);
  return tail;
}
inline SequenceNumber SequenceOf(const Slice& internal_key) {
  return TailOf(internal_key) >> 8;
}
inline ValueType TypeOf(const Slice& internal_key) {
  return static_cast<ValueType>(TailOf(internal_key) & 0xff);
}

// Appends to *out.
inline void AppendInternalKey(const Slice& user_key, SequenceNumber sequence,
                              ValueType type, std::string* out) {
  const uint64_t tail = PackTail(sequence, type);
  out->append(user_key.data(), user_key.size());
  out->append(reinterpret_cast<const char*>(&tail), sizeof tail);
}
inline std::string MakeInternalKey(const Slice& user_key,
                                   SequenceNumber sequence, ValueType type) {
  std::string key;
  key.reserve(user_key.size() + kInternalKeyTailBytes);
  AppendInternalKey(user_key, sequence, type, &key);
  return key;
}

// For messages: 'user key' seq:5, type:1, with bytes outside printable ASCII
// as \xHH and long keys cut short. Any bytes may be passed.
ASHLAR_EXPORT std::string DescribeInternalKey(const Slice& internal_key);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_INTERNAL_KEY_H_
