#include "python/src/message_pack.h"

#include <bit>
#include <cstdint>

#include "tools/arrow/value_text.h"
#include "tools/utf8_text.h"

namespace ashlar::python {

namespace {

using arrow::ArrowType;
using arrow::Cell;
using arrow::Meaning;

// No entry has room for a larger value.
constexpr size_t kMostBytes = size_t{1} << 30;

void AppendByte(unsigned byte, std::string* to) {
  to->push_back(static_cast<char>(byte));
}

void AppendNumber(unsigned tag, uint64_t number, int bytes, std::string* to) {
  AppendByte(tag, to);
  for (int i = bytes - 1; i >= 0; --i) AppendByte(number >> 8 * i & 0xff, to);
}

void AppendUnsigned(uint64_t number, std::string* to) {
  if (number < 0x80) return AppendByte(static_cast<unsigned>(number), to);
  if (number <= UINT8_MAX) return AppendNumber(0xcc, number, 1, to);
  if (number <= UINT16_MAX) return AppendNumber(0xcd, number, 2, to);
  if (number <= UINT32_MAX) return AppendNumber(0xce, number, 4, to);
  AppendNumber(0xcf, number, 8, to);
}

void AppendInteger(int64_t number, std::string* to) {
  if (number >= 0) return AppendUnsigned(static_cast<uint64_t>(number), to);
  const auto bits = static_cast<uint64_t>(number);
  if (number >= -32) return AppendByte(bits & 0xff, to);
  if (number >= INT8_MIN) return AppendNumber(0xd0, bits, 1, to);
  if (number >= INT16_MIN) return AppendNumber(0xd1, bits, 2, to);
  if (number >= INT32_MIN) return AppendNumber(0xd2, bits, 4, to);
  AppendNumber(0xd3, bits, 8, to);
}

void AppendBytes(const Slice& bytes, std::string* to) {
  const size_t size = bytes.size();
  if (size <= UINT8_MAX) {
    AppendNumber(0xc4, size, 1, to);
  } else if (size <= UINT16_MAX) {
    AppendNumber(0xc5, size, 2, to);
  } else {
    AppendNumber(0xc6, size, 4, to);
  }
  to->append(bytes.data(), size);
}

void AppendArrayHeader(size_t members, std::string* to) {
  if (members < 16) return AppendByte(0x90U | members, to);
  if (members <= UINT16_MAX) return AppendNumber(0xdc, members, 2, to);
  AppendNumber(0xdd, members, 4, to);
}

bool AppendFloat(const Cell& cell, std::string* to) {
  const double number = arrow::FloatOf(cell);
  if (cell.column->type().width <= 4) {
    AppendNumber(0xca, std::bit_cast<uint32_t>(static_cast<float>(number)), 4,
                 to);
  } else {
    AppendNumber(0xcb, std::bit_cast<uint64_t>(number), 8, to);
  }
  return true;
}

bool AppendWords(const Cell& cell, std::string* to, std::string* reason) {
  std::string text;
  if (!arrow::AppendText(cell, &text, reason)) return false;
  if (tool::FindNoUtf8(text) != text.size()) {
    *reason = "the text is not UTF-8";
    return false;
  }
  AppendPackedText(text, to);
  return true;
}

bool AppendList(const Cell& cell, std::string* to, std::string* reason) {
  const arrow::CellRange range = cell.column->List(cell.row);
  AppendArrayHeader(static_cast<size_t>(range.end - range.begin), to);
  for (int64_t i = range.begin; i < range.end; ++i) {
    if (!AppendPacked(range.column->At(i), to, reason)) return false;
  }
  return true;
}

// A map's entries are structs of two fields.
bool AppendStruct(const Cell& cell, bool is_pair, std::string* to,
                  std::string* reason) {
  const ArrowType& type = cell.column->type();
  const size_t fields = type.children.size();
  if (is_pair) {
    AppendArrayHeader(fields, to);
  } else {
    AppendMapHeader(fields, to);
  }
  for (size_t i = 0; i < fields; ++i) {
    if (!is_pair) AppendPackedText(type.children[i].name, to);
    if (!AppendPacked(cell.column->Field(i, cell.row), to, reason)) {
      return false;
    }
  }
  return true;
}

bool AppendPairs(const Cell& cell, std::string* to, std::string* reason) {
  const arrow::CellRange range = cell.column->List(cell.row);
  AppendArrayHeader(static_cast<size_t>(range.end - range.begin), to);
  for (int64_t i = range.begin; i < range.end; ++i) {
    const Cell pair = range.column->At(i);
    if (pair.IsNull()) {
      *reason = "an entry of a map is null";
      return false;
    }
    if (!AppendStruct(pair, true, to, reason)) return false;
  }
  return true;
}

}  // namespace

void AppendMapHeader(size_t members, std::string* to) {
  if (members < 16) return AppendByte(0x80U | members, to);
  if (members <= UINT16_MAX) return AppendNumber(0xde, members, 2, to);
  AppendNumber(0xdf, members, 4, to);
}

void AppendPackedText(const Slice& text, std::string* to) {
  const size_t size = text.size();
  if (size < 32) {
    AppendByte(0xa0U | size, to);
  } else if (size <= UINT8_MAX) {
    AppendNumber(0xd9, size, 1, to);
  } else if (size <= UINT16_MAX) {
    AppendNumber(0xda, size, 2, to);
  } else {
    AppendNumber(0xdb, size, 4, to);
  }
  to->append(text.data(), size);
}

bool AppendPacked(const Cell& cell, std::string* to, std::string* reason) {
  if (to->size() > kMostBytes) {
    *reason =
        "the value has more than " + std::to_string(kMostBytes) + " bytes";
    return false;
  }
  if (cell.IsNull()) {
    AppendByte(0xc0, to);
    return true;
  }
  switch (cell.column->type().meaning) {
    case Meaning::kNull:
      AppendByte(0xc0, to);
      return true;
    case Meaning::kBool:
      AppendByte(cell.column->Bit(cell.row) ? 0xc3 : 0xc2, to);
      return true;
    case Meaning::kInteger:
      AppendInteger(cell.column->Integer(cell.row), to);
      return true;
    case Meaning::kUnsigned:
      AppendUnsigned(cell.column->Unsigned(cell.row), to);
      return true;
    case Meaning::kFloat:
      return AppendFloat(cell, to);
    case Meaning::kBytes:
      AppendBytes(cell.column->Bytes(cell.row), to);
      return true;
    case Meaning::kDecimal:
    case Meaning::kText:
    case Meaning::kDate:
    case Meaning::kTime:
    case Meaning::kTimestamp:
    case Meaning::kDuration:
      return AppendWords(cell, to, reason);
    case Meaning::kList:
      return AppendList(cell, to, reason);
    case Meaning::kStruct:
      return AppendStruct(cell, false, to, reason);
    case Meaning::kMap:
      return AppendPairs(cell, to, reason);
  }
  return true;
}

}  // namespace ashlar::python
