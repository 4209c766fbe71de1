#include "tools/columns/column_bytes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "tools/json_string.h"
#include "tools/memory_limit.h"
#include "tools/text_numbers.h"
#include "tools/utf8_text.h"

namespace ashlar::tool {
namespace {

using Notation = PlannedColumn::Notation;

bool Refuse(std::string text, std::string* reason) {
  *reason = std::move(text);
  return false;
}

bool RefuseNull(const Field& field, std::string* reason) {
  return !field.is_null || Refuse("null; expected a value", reason);
}

bool CheckUtf8(const Slice& text, std::string* reason) {
  const size_t bad = FindNoUtf8(text);
  return bad == text.size() ||
         Refuse("byte " + std::to_string(bad + 1) + " of it is not UTF-8",
                reason);
}

// --- Notations of bytes ------------------------------------------------------

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int, 256> MakeBase64Values() {
  std::array<int, 256> values = {};
  for (int& value : values) value = -1;
  for (size_t i = 0; i < kBase64Digits.size(); ++i) {
    values[static_cast<unsigned char>(kBase64Digits[i])] = static_cast<int>(i);
  }
  return values;
}
constexpr std::array<int, 256> kBase64Values = MakeBase64Values();

// Decodes what RFC 4648 allows: with padding, and without bits that mean
// nothing.
std::optional<std::string> FromBase64(std::string_view text) {
  constexpr size_t kGroup = 4;
  if (text.size() % kGroup != 0) return std::nullopt;
  size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::string bytes;
  uint32_t bits = 0;
  unsigned held = 0;  // how many of the lowest bits are not in `bytes` yet
  for (const char c : text) {
    const int value = kBase64Values[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<char>(bits >> held & 0xff));
    bits &= (uint32_t{1} << held) - 1;
  }
  if (bits != 0) return std::nullopt;
  return bytes;
}

// Sets *bytes to the bytes that the text stands for; they may be in *room.
bool ReadNotation(Notation notation, const Slice& text, std::string* room,
                  Slice* bytes, std::string* reason) {
  std::optional<std::string> decoded;
  switch (notation) {
    case Notation::kText:
      *bytes = text;
      return CheckUtf8(text, reason);
    case Notation::kBytes:
      *bytes = text;
      return true;
    case Notation::kHex:
      decoded = FromHex(text.ToStringView());
      if (!decoded) {
        return Refuse("expected hexadecimal digits, two for each byte", reason);
      }
      break;
    case Notation::kBase64:
      decoded = FromBase64(text.ToStringView());
      if (!decoded) return Refuse("expected base64, with padding", reason);
      break;
  }
  *room = std::move(*decoded);
  *bytes = *room;
  return true;
}

// --- Numbers -----------------------------------------------------------------

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

size_t CountDigits(std::string_view text) {
  return static_cast<size_t>(
      std::find_if_not(text.begin(), text.end(), IsDigit) - text.begin());
}

// Returns whether the text is a number as JSON writes it. from_chars takes
// other forms too.
bool IsJsonNumber(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const size_t whole = CountDigits(text);
  if (whole == 0 || (whole > 1 && text[0] == '0')) return false;
  text.remove_prefix(whole);
  if (text.starts_with('.')) {
    const size_t digits = CountDigits(text.substr(1));
    if (digits == 0) return false;
    text.remove_prefix(1 + digits);
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    const size_t digits = CountDigits(text);
    if (digits == 0) return false;
    text.remove_prefix(digits);
  }
  return text.empty();
}

template <typename Number>
std::optional<Number> ParseAs(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

template <typename Wide, typename Number>
bool Store(const std::optional<Number>& number, ColumnValue* value) {
  if (number) *value = Wide{*number};
  return number.has_value();
}

bool ReadNumber(ColumnType type, std::string_view text, ColumnValue* value,
                std::string* reason) {
  std::string_view expected;
  bool good = false;
  switch (type) {
    case ColumnType::kBytes:
      break;
    case ColumnType::kUint32:
      expected = "a whole number from 0 to 4294967295";
      good = Store<uint64_t>(ParseAs<uint32_t>(text), value);
      break;
    case ColumnType::kUint64:
      expected = "a whole number from 0 to 18446744073709551615";
      good = Store<uint64_t>(ParseAs<uint64_t>(text), value);
      break;
    case ColumnType::kInt32:
      expected = "a whole number from -2147483648 to 2147483647";
      good = Store<int64_t>(ParseAs<int32_t>(text), value);
      break;
    case ColumnType::kInt64:
      expected =
          "a whole number from -9223372036854775808 to 9223372036854775807";
      good = Store<int64_t>(ParseAs<int64_t>(text), value);
      break;
    case ColumnType::kFloat:
      expected = "a number that fits into a 4-byte float";
      good = IsJsonNumber(text) && Store<double>(ParseAs<float>(text), value);
      break;
    case ColumnType::kDouble:
      expected = "a number that fits into an 8-byte double";
      good = IsJsonNumber(text) && Store<double>(ParseAs<double>(text), value);
      break;
  }
  return good || Refuse("expected " + std::string(expected), reason);
}

}  // namespace

bool CheckPlain(const PlannedColumn& column, const Field& field,
                std::string* reason) {
  return RefuseNull(field, reason) &&
         (column.notation == Notation::kBytes || CheckUtf8(field.text, reason));
}

bool AppendField(const PlannedColumn& column, const Field& field,
                 std::string* bytes, std::string* reason) {
  if (!RefuseNull(field, reason)) return false;
  ColumnValue value;
  std::string room;
  if (column.IsNumber()) {
    if (!ReadNumber(column.encoding.type, field.text.ToStringView(), &value,
                    reason)) {
      return false;
    }
  } else {
    Slice read;
    if (!ReadNotation(column.notation, field.text, &room, &read, reason)) {
      return false;
    }
    value = read;
  }
  const Status status = AppendColumn(column.encoding, value, bytes);
  return IsOkOrThrow(status) || Refuse(std::string(status.message()), reason);
}

bool AppendMember(const PlannedColumn& column, const std::string& name,
                  const Field& field, std::string* json, std::string* reason) {
  json->pop_back();
  if (json->back() != '{') *json += ',';
  AppendJsonString(name, json);
  *json += ':';
  if (!AppendJsonField(column, field, json, reason)) return false;
  *json += '}';
  return true;
}

bool AppendJsonField(const PlannedColumn& column, const Field& field,
                     std::string* json, std::string* reason) {
  const std::string_view text = field.text.ToStringView();
  if (field.is_null) {
    *json += "null";
  } else if (column.IsNumber()) {
    ColumnValue value;
    if (!ReadNumber(column.encoding.type, text, &value, reason)) return false;
    if (!IsJsonNumber(text)) {
      return Refuse("expected a number as JSON writes it", reason);
    }
    *json += text;
  } else {
    if (!CheckUtf8(field.text, reason)) return false;
    AppendJsonString(text, json);
  }
  return true;
}

}  // namespace ashlar::tool
