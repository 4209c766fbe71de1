#include "tools/ashlar/rows/row_parser.h"

#include <array>
#include <cstring>
#include <optional>

#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/rows/csv_row_parser.h"
#include "tools/ashlar/rows/json_row_parser.h"

namespace ashlar::tool {
namespace {

// Replaces the escapes in [begin, begin + *size). Returns false if there is an
// invalid one.
bool Unescape(char* begin, size_t* size) {
  char* const end = begin + *size;
  char* from =
      static_cast<char*>(std::memchr(begin, '\\', static_cast<size_t>(*size)));
  if (from == nullptr) return true;
  char* to = from;
  while (from < end) {
    if (*from != '\\') {
      *to++ = *from++;
      continue;
    }
    if (end - from < 2) return false;
    const char kind = from[1];
    from += 2;
    if (kind == 't') {
      *to++ = '\t';
    } else if (kind == 'n') {
      *to++ = '\n';
    } else if (kind == 'r') {
      *to++ = '\r';
    } else if (kind == '\\') {
      *to++ = '\\';
    } else if (kind == 'x' && end - from >= 2 && HexDigit(from[0]) >= 0 &&
               HexDigit(from[1]) >= 0) {
      *to++ = static_cast<char>(HexDigit(from[0]) << 4 | HexDigit(from[1]));
      from += 2;
    } else {
      return false;
    }
  }
  *size = static_cast<size_t>(to - begin);
  return true;
}

class TsvRowParser : public RowParser {
 public:
  Outcome Parse(char* line, size_t size, Row* row,
                std::string* reason) override {
    char* const tab = static_cast<char*>(std::memchr(line, '\t', size));
    size_t key_size = tab == nullptr ? size : static_cast<size_t>(tab - line);
    char* const value = tab == nullptr ? line + size : tab + 1;
    size_t value_size = static_cast<size_t>(line + size - value);
    if (std::memchr(value, '\t', value_size) != nullptr) {
      *reason = "more than one TAB; a TAB in a key or value is written \\t";
      return Outcome::kMalformed;
    }
    if (!Unescape(line, &key_size) || !Unescape(value, &value_size)) {
      *reason = "a backslash must begin \\t, \\n, \\r, \\\\ or \\xHH";
      return Outcome::kMalformed;
    }
    row->key = Slice(line, key_size);
    row->value = Slice(value, value_size);
    return Outcome::kRow;
  }
};

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

class HexRowParser : public RowParser {
 public:
  Outcome Parse(char* line, size_t size, Row* row,
                std::string* reason) override {
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
      *reason = std::string(!key ? "key" : "value") +
                " is not hexadecimal of even length";
      return Outcome::kMalformed;
    }
    if (!sequence || *sequence > kMaxSequenceNumber) {
      *reason = "sequence is not a number from 0 to 2^56 - 1";
      return Outcome::kMalformed;
    }
    if (!type || *type > 0xff) {
      *reason = "type is not a number from 0 to 255";
      return Outcome::kMalformed;
    }
    row->key = *key;
    row->value = *value;
    row->sequence = *sequence;
    row->type = static_cast<ValueType>(*type);
    row->has_sequence = true;
    return Outcome::kRow;
  }
};

}  // namespace

RowParser::~RowParser() = default;

std::unique_ptr<RowParser> NewRowParser(std::string_view format) {
  if (format == "csv") return std::make_unique<CsvRowParser>();
  if (format == "hex") return std::make_unique<HexRowParser>();
  if (format == "jsonl") return std::make_unique<JsonRowParser>();
  return std::make_unique<TsvRowParser>();
}

}  // namespace ashlar::tool
