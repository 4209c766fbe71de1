#include "tools/arrow/value_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "tools/arrow/calendar_text.h"
#include "tools/json_string.h"
#include "tools/utf8_text.h"

namespace ashlar::arrow {
namespace {

// Numbers of 16 bytes are an extension of the compiler.
__extension__ using Wide = unsigned __int128;

bool Refuse(std::string text, std::string* reason) {
  *reason = std::move(text);
  return false;
}

template <typename Number>
void AppendNumber(Number number, std::string* text) {
  std::array<char, 32> room;
  const auto end =
      std::to_chars(room.data(), room.data() + room.size(), number);
  text->append(room.data(), end.ptr);
}

// Widens a number of 2 bytes: a sign, 5 bits of exponent, 10 of mantissa.
float FromHalf(uint16_t half) {
  const uint32_t sign = uint32_t{half} >> 15;
  const uint32_t exponent = uint32_t{half} >> 10 & 0x1f;
  const uint32_t mantissa = uint32_t{half} & 0x3ff;
  float magnitude;
  if (exponent == 0x1f) {
    magnitude = mantissa != 0 ? NAN : INFINITY;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(mantissa | 0x400),
                           static_cast<int>(exponent) - 25);
  }
  return sign != 0 ? -magnitude : magnitude;
}

// Appends the shortest text that is read as the same number; of a float of 2
// bytes as that of a float of 4 bytes. It never looks like an integer, because
// readers of JSON take -0 for one.
void AppendFloat(const Cell& cell, std::string* text) {
  const double number = FloatOf(cell);
  const size_t before = text->size();
  if (std::isnan(number)) {
    *text += "NaN";
  } else if (std::isinf(number)) {
    *text += number < 0 ? "-Infinity" : "Infinity";
  } else if (cell.column->type().width == sizeof(double)) {
    AppendNumber(number, text);
  } else {
    AppendNumber(static_cast<float>(number), text);
  }
  if (text->find_first_not_of("-0123456789", before) == std::string::npos) {
    *text += ".0";
  }
}

void AppendDecimal(const Cell& cell, std::string* text) {
  const ArrowType& type = cell.column->type();
  Wide number;
  if (type.width == sizeof number) {
    std::memcpy(&number, cell.column->Bytes(cell.row).data(), sizeof number);
  } else {
    // The sign fills the upper bytes.
    number = static_cast<Wide>(cell.column->Integer(cell.row));
  }
  const bool is_negative = (number >> 127) != 0;
  if (is_negative) number = 0 - number;
  std::string digits;  // the last one first
  for (; number != 0; number /= 10) {
    digits += static_cast<char>('0' + static_cast<int>(number % 10));
  }
  const auto fraction = static_cast<size_t>(type.scale > 0 ? type.scale : 0);
  if (digits.size() <= fraction) {
    digits.append(fraction + 1 - digits.size(), '0');
  }
  if (is_negative) *text += '-';
  text->append(digits.rbegin(), digits.rend());
  if (fraction > 0) {
    text->insert(text->size() - fraction, 1, '.');
  } else if (digits != "0") {
    text->append(static_cast<size_t>(-type.scale), '0');
  }
}

// Appends base64 of RFC 4648, with padding.
void AppendBase64(const Slice& bytes, std::string* text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t bits = 0;
    for (size_t i = at; i < at + 3; ++i) {
      bits = bits << 8 |
             (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    }
    const size_t digits = bytes.size() - at < 3 ? bytes.size() - at + 1 : 4;
    for (size_t i = 0; i < 4; ++i) {
      *text += i < digits ? kDigits[bits >> (18 - 6 * i) & 0x3f] : '=';
    }
  }
}

bool AppendMoment(const Cell& cell, std::string* text, std::string* reason) {
  const ArrowType& type = cell.column->type();
  const int64_t units = cell.column->Integer(cell.row);
  if (type.meaning == Meaning::kDate) {
    AppendDate(type.width == 4 ? units : DaysOf(units, type.unit_digits), text);
  } else if (type.meaning == Meaning::kTimestamp) {
    AppendTimestamp(units, type.unit_digits, text);
    if (type.has_zone) *text += 'Z';
  } else if (type.meaning == Meaning::kDuration) {
    AppendDuration(units, type.unit_digits, text);
  } else if (!AppendTime(units, type.unit_digits, text)) {
    return Refuse(std::to_string(units) + " is no time of a day", reason);
  }
  return true;
}

bool AppendJsonText(const Slice& bytes, std::string* json,
                    std::string* reason) {
  const size_t bad = tool::FindNoUtf8(bytes);
  if (bad != bytes.size()) {
    return Refuse("byte " + std::to_string(bad + 1) + " of it is not UTF-8",
                  reason);
  }
  tool::AppendJsonString(bytes.ToStringView(), json);
  return true;
}

// Appends an array; of a map one of pairs, because its keys need be neither
// texts nor different.
bool AppendJsonList(const Cell& cell, std::string* json, std::string* reason,
                    size_t most_bytes) {
  const bool is_map = cell.column->type().meaning == Meaning::kMap;
  const CellRange range = cell.column->List(cell.row);
  *json += '[';
  for (int64_t row = range.begin; row < range.end; ++row) {
    if (row > range.begin) *json += ',';
    const Cell part = range.column->At(row);
    if (!is_map || part.IsNull()) {
      if (!AppendJson(part, json, reason, most_bytes)) return false;
      continue;
    }
    *json += '[';
    if (!AppendJson(part.column->Field(0, part.row), json, reason,
                    most_bytes)) {
      return false;
    }
    *json += ',';
    if (!AppendJson(part.column->Field(1, part.row), json, reason,
                    most_bytes)) {
      return false;
    }
    *json += ']';
  }
  *json += ']';
  return true;
}

bool AppendJsonObject(const Cell& cell, std::string* json, std::string* reason,
                      size_t most_bytes) {
  const std::vector<ArrowType>& fields = cell.column->type().children;
  *json += '{';
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) *json += ',';
    if (!AppendJsonText(fields[i].name, json, reason)) {
      return Refuse("the name of a field in it is not UTF-8", reason);
    }
    *json += ':';
    if (!AppendJson(cell.column->Field(i, cell.row), json, reason,
                    most_bytes)) {
      return false;
    }
  }
  *json += '}';
  return true;
}

}  // namespace

double FloatOf(const Cell& cell) {
  const Slice bytes = cell.column->Bytes(cell.row);
  uint16_t half;
  float single;
  double full;
  switch (bytes.size()) {
    case sizeof half:
      std::memcpy(&half, bytes.data(), sizeof half);
      return FromHalf(half);
    case sizeof single:
      std::memcpy(&single, bytes.data(), sizeof single);
      return single;
    default:
      std::memcpy(&full, bytes.data(), sizeof full);
      return full;
  }
}

bool AppendText(const Cell& cell, std::string* text, std::string* reason) {
  const Column& column = *cell.column;
  switch (column.type().meaning) {
    case Meaning::kNull:
      break;  // At gives none of these
    case Meaning::kBool:
      *text += column.Bit(cell.row) ? "true" : "false";
      break;
    case Meaning::kInteger:
      AppendNumber(column.Integer(cell.row), text);
      break;
    case Meaning::kUnsigned:
      AppendNumber(column.Unsigned(cell.row), text);
      break;
    case Meaning::kFloat:
      AppendFloat(cell, text);
      break;
    case Meaning::kDecimal:
      AppendDecimal(cell, text);
      break;
    case Meaning::kText:
    case Meaning::kBytes:
      *text += column.Bytes(cell.row).ToStringView();
      break;
    case Meaning::kDate:
    case Meaning::kTime:
    case Meaning::kTimestamp:
    case Meaning::kDuration:
      return AppendMoment(cell, text, reason);
    case Meaning::kList:
    case Meaning::kStruct:
    case Meaning::kMap:
      return AppendJson(cell, text, reason);
  }
  return true;
}

bool AppendJson(const Cell& cell, std::string* json, std::string* reason,
                size_t most_bytes) {
  if (json->size() > most_bytes) {
    return Refuse(
        "its JSON has more than " + std::to_string(most_bytes) + " bytes",
        reason);
  }
  if (cell.IsNull()) {
    *json += "null";
    return true;
  }
  bool is_string = false;
  switch (cell.column->type().meaning) {
    case Meaning::kText:
      return AppendJsonText(cell.column->Bytes(cell.row), json, reason);
    case Meaning::kBytes:
      *json += '"';
      AppendBase64(cell.column->Bytes(cell.row), json);
      *json += '"';
      return true;
    case Meaning::kList:
    case Meaning::kMap:
      return AppendJsonList(cell, json, reason, most_bytes);
    case Meaning::kStruct:
      return AppendJsonObject(cell, json, reason, most_bytes);
    case Meaning::kNull:
    case Meaning::kBool:
    case Meaning::kInteger:
    case Meaning::kUnsigned:
      break;
    case Meaning::kFloat:
      is_string = !std::isfinite(FloatOf(cell));
      break;
    case Meaning::kDecimal:
    case Meaning::kDate:
    case Meaning::kTime:
    case Meaning::kTimestamp:
    case Meaning::kDuration:
      is_string = true;
      break;
  }
  if (is_string) *json += '"';
  if (!AppendText(cell, json, reason)) return false;
  if (is_string) *json += '"';
  return true;
}

}  // namespace ashlar::arrow
