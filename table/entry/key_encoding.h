// Key encodings: columns as bytes that sort as the columns do.
//
// A table has its keys in the order of their bytes. These functions make bytes
// of integers, floating-point numbers and strings so that the order of the
// bytes is the order of the values, ascending or descending, and so that
// several columns can be one key, of which each can be read again. For keys
// under BytewiseComparator. key_encodings.md has the bytes, for readers in
// other languages; `ashlar build --key_column` writes them.
//
// Plain values and pure functions: thread-safe. If memory runs out, the
// functions that return a Status or a Result return MemoryLimit.
#ifndef ASHLAR_TABLE_ENTRY_KEY_ENCODING_H_
#define ASHLAR_TABLE_ENTRY_KEY_ENCODING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "ashlar/util/export.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

// What a column holds. Integers and floating-point numbers take 4 or 8 bytes,
// the most significant one first.
enum class ColumnType : uint8_t {
  kBytes,
  kUint32,
  kUint64,
  kInt32,
  kInt64,
  kFloat,
  kDouble,
};

// How a reader finds the end of a column of type kBytes. Other types have a
// fixed size and ignore this.
enum class ColumnEnd : uint8_t {
  // The column is the last one: it ends where the key ends.
  kKeyEnd,
  // A terminator follows the bytes. A zero byte in them is stored as two bytes,
  // so that the order stays that of the bytes alone.
  kTerminator,
  // The number of bytes comes before them, in 4 bytes. Shorter strings sort
  // before longer ones.
  kLength,
};

// How a column is encoded within a key.
struct ColumnEncoding {
  ColumnType type = ColumnType::kBytes;
  ColumnEnd end = ColumnEnd::kKeyEnd;
  // Larger values sort first. Requires: not kBytes with kKeyEnd, because of two
  // strings of which one begins with the other, the longer one must sort first.
  bool descending = false;

  friend bool operator==(const ColumnEncoding&,
                         const ColumnEncoding&) = default;
};

// The value of a column. Each type has one alternative: Slice for kBytes,
// uint64_t for kUint32 and kUint64, int64_t for kInt32 and kInt64, double for
// kFloat and kDouble.
using ColumnValue = std::variant<Slice, uint64_t, int64_t, double>;

// Appends the column to *key. Returns InvalidArgument, and leaves *key alone,
// if the value is of another type, does not fit into the type's 4 bytes (a
// double must be exactly a float), is longer than 2^32 - 1 bytes with kLength,
// is not a number (NaN has no place in the order), or if the encoding is not
// allowed. -0.0 sorts before 0.0, and is read back as -0.0.
ASHLAR_EXPORT Status AppendColumn(const ColumnEncoding& encoding,
                                  const ColumnValue& value, std::string* key);

// Reads the column that *key begins with, and removes it from *key. A Slice in
// *value points into *bytes, which is overwritten. Returns Corruption, and
// leaves *key alone, if *key does not begin with such a column, and
// InvalidArgument if the encoding is not allowed. NaN is Corruption too.
ASHLAR_EXPORT Status ReadColumn(const ColumnEncoding& encoding, Slice* key,
                                ColumnValue* value, std::string* bytes);

// Parses the name of an encoding: a type, and then words, each after a ':'.
//
//   types  bytes, u32be, u64be, i32be, i64be, f32be, f64be
//   words  terminated or length (of bytes), desc
//
// `bytes` without a word has kKeyEnd. Returns InvalidArgument, which says what
// was expected.
ASHLAR_EXPORT Result<ColumnEncoding> ParseColumnEncoding(std::string_view name);

// Returns the name that ParseColumnEncoding parses.
ASHLAR_EXPORT std::string ColumnEncodingName(const ColumnEncoding& encoding);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_ENTRY_KEY_ENCODING_H_
