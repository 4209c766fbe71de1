#include "tools/ashlar/rows/hex_row_parser.h"

#include <array>
#include <cstring>
#include <optional>

#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/rows/tsv_row_parser.h"

namespace ashlar::tool {
namespace {

// A table of the digits' values, with -1 for other bytes. The values are
// signed, so one test of two of them shows whether either is -1.
constexpr std::array<int, 256> MakeHexValues() {
  std::array<int, 256> values = {};
  for (int& value : values) value = -1;
  for (size_t i = 0; i < 10; ++i) values['0' + i] = static_cast<int>(i);
  for (size_t i = 0; i < 6; ++i) {
    values['a' + i] = values['A' + i] = static_cast<int>(10 + i);
  }
  return values;
}
constexpr std::array<int, 256> kHexValues = MakeHexValues();

// Decodes in place. Returns nothing if the text is malformed.
std::optional<Slice> DecodeHex(char* begin, size_t size) {
  if (size % 2 != 0) return std::nullopt;
  for (size_t i = 0; i < size; i += 2) {
    const int high = kHexValues[static_cast<unsigned char>(begin[i])];
    const int low = kHexValues[static_cast<unsigned char>(begin[i + 1])];
    if ((high | low) < 0) return std::nullopt;
    begin[i / 2] = static_cast<char>(high << 4 | low);
  }
  return Slice(begin, size / 2);
}

}  // namespace

RowParser::Outcome HexRowParser::Parse(char* line, size_t size, Row* row,
                                       RowBytes* /*room*/,
                                       std::string* reason) {
  if (!TakeOffCr(*format_, line, &size, reason)) return Outcome::kMalformed;
  constexpr size_t kFields = 4;
  std::array<char*, kFields> starts = {line};
  std::array<size_t, kFields> sizes = {};
  char* const end = line + size;
  for (size_t i = 0; i < kFields; ++i) {
    char* const start = starts[i];
    char* const space = static_cast<char*>(
        std::memchr(start, ' ', static_cast<size_t>(end - start)));
    if ((space == nullptr) != (i + 1 == kFields)) {
      *reason = "expected hex(key) SPACE seq SPACE type SPACE hex(value)";
      return Outcome::kMalformed;
    }
    sizes[i] = static_cast<size_t>((space == nullptr ? end : space) - start);
    if (space != nullptr) starts[i + 1] = space + 1;
  }
  const std::optional<uint64_t> sequence = ParseNumber({starts[1], sizes[1]});
  const std::optional<uint64_t> type = ParseNumber({starts[2], sizes[2]});
  const std::optional<Slice> key = DecodeHex(starts[0], sizes[0]);
  const std::optional<Slice> value = DecodeHex(starts[3], sizes[3]);
  if (!key || !value) {
    *reason = std::string(!key ? "column 1: key" : "column 4: value") +
              " is not hexadecimal of even length";
    return Outcome::kMalformed;
  }
  if (!sequence || *sequence > kMaxSequenceNumber) {
    *reason = "column 2: sequence is not a number from 0 to 2^56 - 1";
    return Outcome::kMalformed;
  }
  if (!type || *type > 0xff) {
    *reason = "column 3: type is not a number from 0 to 255";
    return Outcome::kMalformed;
  }
  row->key = *key;
  row->value = *value;
  row->sequence = *sequence;
  row->type = static_cast<ValueType>(*type);
  row->has_sequence = true;
  return Outcome::kRow;
}

}  // namespace ashlar::tool
