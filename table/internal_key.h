// Internal keys: the keys by which the entries of a table are sorted.
//
//   internal key = user key || tail
//   tail         = fixed64(sequence number << 8 | type)
//
// `||` joins bytes; fixed64 is 8 bytes, little-endian. Internal keys ascend by
// user key, in the order of the table's comparator, and then descend by tail.
// So the newest version of a user key comes first. Where the comparator has
// timestamps, the timestamp is the last part of the user key.
//
// Used by callers of TableBuilder, and by callers that look at the keys of an
// Iterator. All functions here are pure, and so thread-safe.
//
// These functions do not validate. None of them but DescribeInternalKey checks
// that bytes are long enough to be an internal key.
#ifndef ASHLAR_TABLE_INTERNAL_KEY_H_
#define ASHLAR_TABLE_INTERNAL_KEY_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"

namespace ashlar {

// The age of an entry: a larger number is newer. 0 to kMaxSequenceNumber.
using SequenceNumber = uint64_t;

// Sequence numbers have 56 bits.
inline constexpr SequenceNumber kMaxSequenceNumber =
    (SequenceNumber{1} << 56) - 1;

// What an entry is: the low byte of the tail. Names and numbers are RocksDB's.
// No table holds any other type.
enum class ValueType : uint8_t {
  kTypeDeletion = 0x00,        // no value
  kTypeValue = 0x01,           // the value, as it is
  kTypeMerge = 0x02,           // the value is a merge operand
  kTypeSingleDeletion = 0x07,  // no value
  kTypeRangeDeletion = 0x0F,   // begin key; the value is the end key
  kTypeBlobIndex = 0x11,       // a reference: table/entry/blob_index.h
  kTypeSetWithDelete = 0x12,   // written by Pebble; reads like kTypeValue
  kTypeDeletionWithTimestamp = 0x14,  // no value; in tables with timestamps
  kTypeWideColumnEntity = 0x16,       // columns: table/entry/wide_columns.h
  kTypeValuePreferredSeqno = 0x18,    // table/entry/timed_value.h
};

// Returns the type's name: "deletion", "value", "merge", "single deletion",
// and so on; "unknown" for a byte that is no type. The text lives for ever.
ASHLAR_EXPORT std::string_view ValueTypeName(ValueType type);

// Size of the tail, in bytes.
inline constexpr size_t kInternalKeyTailBytes = 8;

// Returns the tail as a number. Requires: sequence <= kMaxSequenceNumber.
constexpr uint64_t PackTail(SequenceNumber sequence, ValueType type) {
  return sequence << 8 | static_cast<uint64_t>(type);
}

// These four return one part of an internal key. The user key includes the
// timestamp, if keys have one, and points into internal_key.
// Requires: internal_key.size() >= kInternalKeyTailBytes.
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

// Returns whether the largest key of a table is the end of a range deletion,
// which the table does not reach: (kMaxSequenceNumber, kTypeRangeDeletion). An
// entry may have that number too, and is part of its table.
// Requires: largest.size() >= kInternalKeyTailBytes.
inline bool IsRangeDeletionEnd(const Slice& largest) {
  return TailOf(largest) ==
         PackTail(kMaxSequenceNumber, ValueType::kTypeRangeDeletion);
}

// Appends the internal key of these parts to *out, which keeps what it holds.
// Requires: sequence <= kMaxSequenceNumber.
inline void AppendInternalKey(const Slice& user_key, SequenceNumber sequence,
                              ValueType type, std::string* out) {
  const uint64_t tail = PackTail(sequence, type);
  out->append(user_key.data(), user_key.size());
  out->append(reinterpret_cast<const char*>(&tail), sizeof tail);
}
// Returns the internal key of these parts. Same requirement.
inline std::string MakeInternalKey(const Slice& user_key,
                                   SequenceNumber sequence, ValueType type) {
  std::string key;
  key.reserve(user_key.size() + kInternalKeyTailBytes);
  AppendInternalKey(user_key, sequence, type, &key);
  return key;
}

// Returns text for messages, such as: 'user key' seq:5, type:1
// Bytes outside printable ASCII, apostrophes and backslashes are shown as \xHH.
// Only the first 64 bytes of the user key are shown, and then its size. Takes
// any bytes: too few for a tail give "(3 bytes, no tail)".
ASHLAR_EXPORT std::string DescribeInternalKey(const Slice& internal_key);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_INTERNAL_KEY_H_
