#include "ashlar/table/entry/key_encoding.h"

#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "util/mem/memory_limit.h"

namespace ashlar {
namespace {

// A zero byte of the value is stored as the first two; the last two end it.
constexpr char kZero = '\0';
constexpr char kZeroOfValue = '\xff';
constexpr char kEndOfValue = '\x01';

constexpr size_t kLengthBytes = 4;

struct TypeRow {
  ColumnType type;
  std::string_view name;
  size_t bytes;  // 0 if values differ in size
};
constexpr TypeRow kTypes[] = {
    {ColumnType::kBytes, "bytes", 0},  {ColumnType::kUint32, "u32be", 4},
    {ColumnType::kUint64, "u64be", 8}, {ColumnType::kInt32, "i32be", 4},
    {ColumnType::kInt64, "i64be", 8},  {ColumnType::kFloat, "f32be", 4},
    {ColumnType::kDouble, "f64be", 8},
};

const TypeRow& RowOf(ColumnType type) {
  return kTypes[static_cast<size_t>(type)];
}

Status Refused(std::string_view what) {
  return Status::InvalidArgument(std::string(what));
}

Status CheckEncoding(const ColumnEncoding& encoding) {
  if (encoding.type == ColumnType::kBytes && encoding.descending &&
      encoding.end == ColumnEnd::kKeyEnd) {
    return Refused(
        "bytes in descending order need 'terminated' or 'length' before "
        "'desc'");
  }
  return Status();
}

void AppendBigEndian(uint64_t bits, size_t bytes, std::string* key) {
  for (size_t i = bytes; i > 0; --i) {
    key->push_back(static_cast<char>(bits >> (8 * (i - 1)) & 0xff));
  }
}

uint64_t LoadBigEndian(const char* from, size_t bytes) {
  uint64_t bits = 0;
  for (size_t i = 0; i < bytes; ++i) {
    bits = bits << 8 | static_cast<unsigned char>(from[i]);
  }
  return bits;
}

void Invert(char* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(~bytes[i]);
}

// --- Numbers -----------------------------------------------------------------

// The bits of a number, so that larger numbers have larger bits.

constexpr uint64_t SignBit(size_t bytes) {
  assert(bytes > 0 && bytes <= sizeof(uint64_t));
  return uint64_t{1} << (8 * bytes - 1);
}

constexpr uint64_t Mask(size_t bytes) {
  assert(bytes > 0 && bytes <= sizeof(uint64_t));
  return std::numeric_limits<uint64_t>::max() >> (64 - 8 * bytes);
}

uint64_t OrderedBits(int64_t number, size_t bytes) {
  return (static_cast<uint64_t>(number) ^ SignBit(bytes)) & Mask(bytes);
}

// The bits of a negative number sort the other way round: all are inverted.
uint64_t OrderedFloatBits(uint64_t bits, size_t bytes) {
  const bool negative = (bits & SignBit(bytes)) != 0;
  return negative ? ~bits & Mask(bytes) : bits | SignBit(bytes);
}

uint64_t FloatBits(uint64_t ordered, size_t bytes) {
  const bool negative = (ordered & SignBit(bytes)) == 0;
  return negative ? ~ordered & Mask(bytes) : ordered & ~SignBit(bytes);
}

Status BitsOf(uint64_t number, size_t bytes, uint64_t* bits) {
  *bits = number;
  return number <= Mask(bytes) ? Status()
                               : Refused("the number needs more than 4 bytes");
}

Status BitsOf(int64_t number, size_t bytes, uint64_t* bits) {
  const auto limit = static_cast<int64_t>(SignBit(bytes) - 1);
  if (number > limit || number < -limit - 1) {
    return Refused("the number needs more than 4 bytes");
  }
  *bits = OrderedBits(number, bytes);
  return Status();
}

Status BitsOf(double number, size_t bytes, uint64_t* bits) {
  if (std::isnan(number)) return Refused("NaN has no place in an order");
  if (bytes == sizeof number) {
    std::memcpy(bits, &number, sizeof number);
  } else {
    constexpr double kMost = std::numeric_limits<float>::max();
    // The conversion of a number that is too large is undefined.
    if (std::isfinite(number) && std::fabs(number) > kMost) {
      return Refused("the number is not exactly a 4-byte float");
    }
    const auto small = static_cast<float>(number);
    if (static_cast<double>(small) != number) {
      return Refused("the number is not exactly a 4-byte float");
    }
    uint32_t word;
    std::memcpy(&word, &small, sizeof word);
    *bits = word;
  }
  *bits = OrderedFloatBits(*bits, bytes);
  return Status();
}

Status BitsOf(const ColumnValue& value, const TypeRow& row, uint64_t* bits) {
  switch (row.type) {
    case ColumnType::kBytes:
      break;
    case ColumnType::kUint32:
    case ColumnType::kUint64:
      if (const auto* const number = std::get_if<uint64_t>(&value)) {
        return BitsOf(*number, row.bytes, bits);
      }
      break;
    case ColumnType::kInt32:
    case ColumnType::kInt64:
      if (const auto* const number = std::get_if<int64_t>(&value)) {
        return BitsOf(*number, row.bytes, bits);
      }
      break;
    case ColumnType::kFloat:
    case ColumnType::kDouble:
      if (const auto* const number = std::get_if<double>(&value)) {
        return BitsOf(*number, row.bytes, bits);
      }
      break;
  }
  return Refused("the value is not of the column's type, " +
                 std::string(row.name));
}

// Returns nothing (false) for the bits of NaN.
bool ValueOf(uint64_t bits, const TypeRow& row, ColumnValue* value) {
  switch (row.type) {
    case ColumnType::kBytes:
    case ColumnType::kUint32:
    case ColumnType::kUint64:
      *value = bits;
      return true;
    case ColumnType::kInt32:
      *value = int64_t{static_cast<int32_t>(
          static_cast<uint32_t>(bits ^ SignBit(row.bytes)))};
      return true;
    case ColumnType::kInt64:
      *value = static_cast<int64_t>(bits ^ SignBit(row.bytes));
      return true;
    case ColumnType::kFloat: {
      const auto word = static_cast<uint32_t>(FloatBits(bits, row.bytes));
      float number;
      std::memcpy(&number, &word, sizeof number);
      *value = double{number};
      return !std::isnan(number);
    }
    case ColumnType::kDouble: {
      const uint64_t word = FloatBits(bits, row.bytes);
      double number;
      std::memcpy(&number, &word, sizeof number);
      *value = number;
      return !std::isnan(number);
    }
  }
  return false;
}

// --- Strings -----------------------------------------------------------------

Status AppendBytes(const Slice& bytes, ColumnEnd end, std::string* key) {
  switch (end) {
    case ColumnEnd::kKeyEnd:
      key->append(bytes.data(), bytes.size());
      break;
    case ColumnEnd::kTerminator:
      for (const char c : bytes) {
        key->push_back(c);
        if (c == kZero) key->push_back(kZeroOfValue);
      }
      key->push_back(kZero);
      key->push_back(kEndOfValue);
      break;
    case ColumnEnd::kLength:
      if (bytes.size() > Mask(kLengthBytes)) {
        return Refused("the value is longer than 2^32 - 1 bytes");
      }
      AppendBigEndian(bytes.size(), kLengthBytes, key);
      key->append(bytes.data(), bytes.size());
      break;
  }
  return Status();
}

// Each of these returns the number of bytes that it read, or nothing (0) if the
// column is damaged. A column of kTerminator or kLength is never empty.
size_t ReadTerminated(const Slice& key, char flip, std::string* bytes) {
  const auto at = [&](size_t i) { return static_cast<char>(key[i] ^ flip); };
  for (size_t i = 0; i < key.size(); ++i) {
    if (at(i) != kZero) {
      bytes->push_back(at(i));
      continue;
    }
    if (++i == key.size()) return 0;
    if (at(i) == kEndOfValue) return i + 1;
    if (at(i) != kZeroOfValue) return 0;
    bytes->push_back(kZero);
  }
  return 0;
}

size_t ReadWithLength(const Slice& key, bool descending, std::string* bytes) {
  if (key.size() < kLengthBytes) return 0;
  uint64_t length = LoadBigEndian(key.data(), kLengthBytes);
  if (descending) length ^= Mask(kLengthBytes);
  if (length > key.size() - kLengthBytes) return 0;
  bytes->assign(key.data() + kLengthBytes, static_cast<size_t>(length));
  if (descending) Invert(bytes->data(), bytes->size());
  return kLengthBytes + static_cast<size_t>(length);
}

Status Damaged(std::string_view what) {
  return Status::Corruption("bad key column: " + std::string(what));
}

Status ReadBytes(const ColumnEncoding& encoding, Slice* key, ColumnValue* value,
                 std::string* bytes) {
  bytes->clear();
  size_t size = 0;
  switch (encoding.end) {
    case ColumnEnd::kKeyEnd:
      bytes->assign(key->data(), key->size());
      key->remove_prefix(key->size());
      *value = Slice(*bytes);
      return Status();
    case ColumnEnd::kTerminator:
      size = ReadTerminated(*key, encoding.descending ? '\xff' : '\0', bytes);
      break;
    case ColumnEnd::kLength:
      size = ReadWithLength(*key, encoding.descending, bytes);
      break;
  }
  if (size == 0) return Damaged("its end is missing");
  key->remove_prefix(size);
  *value = Slice(*bytes);
  return Status();
}

Status ReadNumber(const ColumnEncoding& encoding, Slice* key,
                  ColumnValue* value) {
  const TypeRow& row = RowOf(encoding.type);
  if (key->size() < row.bytes) {
    return Damaged(std::string(row.name) + " needs " +
                   std::to_string(row.bytes) + " bytes, " +
                   std::to_string(key->size()) + " are left");
  }
  uint64_t bits = LoadBigEndian(key->data(), row.bytes);
  if (encoding.descending) bits ^= Mask(row.bytes);
  ColumnValue read;
  if (!ValueOf(bits, row, &read)) return Damaged("NaN");
  *value = read;
  key->remove_prefix(row.bytes);
  return Status();
}

// --- Names -------------------------------------------------------------------

// Takes the word before the next ':' off the front of *name.
std::string_view TakeWord(std::string_view* name) {
  const size_t colon = name->find(':');
  const std::string_view word = name->substr(0, colon);
  // No word is left if the data are null; an empty word is one.
  *name = colon == std::string_view::npos ? std::string_view()
                                          : name->substr(colon + 1);
  return word;
}

Result<ColumnEncoding> Parse(std::string_view name) {
  std::string_view rest = name;
  const std::string_view type = TakeWord(&rest);
  ColumnEncoding encoding;
  const TypeRow* found = nullptr;
  for (const TypeRow& row : kTypes) {
    if (row.name == type) found = &row;
  }
  if (found == nullptr) {
    return Refused(
        "unknown type '" + std::string(type) +
        "', expected bytes, u32be, u64be, i32be, i64be, f32be or f64be");
  }
  encoding.type = found->type;
  while (rest.data() != nullptr) {
    const std::string_view word = TakeWord(&rest);
    const bool is_end = word == "terminated" || word == "length";
    if (is_end && encoding.type == ColumnType::kBytes &&
        encoding.end == ColumnEnd::kKeyEnd && !encoding.descending) {
      encoding.end =
          word == "length" ? ColumnEnd::kLength : ColumnEnd::kTerminator;
    } else if (word == "desc" && !encoding.descending) {
      encoding.descending = true;
    } else {
      return Refused("'" + std::string(word) +
                     "' is not expected: after bytes comes terminated or "
                     "length, then desc; after a number comes desc");
    }
  }
  Status status = CheckEncoding(encoding);
  if (!status.ok()) return status;
  return encoding;
}

}  // namespace

Status AppendColumn(const ColumnEncoding& encoding, const ColumnValue& value,
                    std::string* key) {
  return internal::OrMemoryLimit([&] {
    Status status = CheckEncoding(encoding);
    if (!status.ok()) return status;
    const size_t start = key->size();
    const TypeRow& row = RowOf(encoding.type);
    if (row.bytes != 0) {
      uint64_t bits = 0;
      status = BitsOf(value, row, &bits);
      if (status.ok()) AppendBigEndian(bits, row.bytes, key);
    } else if (const auto* const bytes = std::get_if<Slice>(&value)) {
      status = AppendBytes(*bytes, encoding.end, key);
    } else {
      status = Refused("the value is not of the column's type, bytes");
    }
    if (encoding.descending) Invert(key->data() + start, key->size() - start);
    return status;
  });
}

Status ReadColumn(const ColumnEncoding& encoding, Slice* key,
                  ColumnValue* value, std::string* bytes) {
  return internal::OrMemoryLimit([&] {
    Status status = CheckEncoding(encoding);
    if (!status.ok()) return status;
    return encoding.type == ColumnType::kBytes
               ? ReadBytes(encoding, key, value, bytes)
               : ReadNumber(encoding, key, value);
  });
}

Result<ColumnEncoding> ParseColumnEncoding(std::string_view name) {
  return internal::OrMemoryLimit([&] { return Parse(name); });
}

std::string ColumnEncodingName(const ColumnEncoding& encoding) {
  std::string name(RowOf(encoding.type).name);
  if (encoding.type == ColumnType::kBytes) {
    if (encoding.end == ColumnEnd::kTerminator) name += ":terminated";
    if (encoding.end == ColumnEnd::kLength) name += ":length";
  }
  return name + (encoding.descending ? ":desc" : "");
}

}  // namespace ashlar
