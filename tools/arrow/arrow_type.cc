#include "tools/arrow/arrow_type.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "ashlar/util/printable.h"

namespace ashlar::arrow {
namespace {

constexpr int kMostDepth = 32;
// No batch has room for more.
constexpr uint32_t kMostWidth = uint32_t{1} << 30;

struct PlainType {
  std::string_view format;
  Meaning meaning;
  Layout layout;
  uint32_t width;
  std::string_view name;
};

// Formats that are one word.
constexpr PlainType kPlainTypes[] = {
    {"n", Meaning::kNull, Layout::kNothing, 0, "null"},
    {"b", Meaning::kBool, Layout::kBits, 0, "bool"},
    {"c", Meaning::kInteger, Layout::kFixed, 1, "int8"},
    {"C", Meaning::kUnsigned, Layout::kFixed, 1, "uint8"},
    {"s", Meaning::kInteger, Layout::kFixed, 2, "int16"},
    {"S", Meaning::kUnsigned, Layout::kFixed, 2, "uint16"},
    {"i", Meaning::kInteger, Layout::kFixed, 4, "int32"},
    {"I", Meaning::kUnsigned, Layout::kFixed, 4, "uint32"},
    {"l", Meaning::kInteger, Layout::kFixed, 8, "int64"},
    {"L", Meaning::kUnsigned, Layout::kFixed, 8, "uint64"},
    {"e", Meaning::kFloat, Layout::kFixed, 2, "float16"},
    {"f", Meaning::kFloat, Layout::kFixed, 4, "float32"},
    {"g", Meaning::kFloat, Layout::kFixed, 8, "float64"},
    {"u", Meaning::kText, Layout::kOffsets, 0, "utf8"},
    {"U", Meaning::kText, Layout::kLongOffsets, 0, "large_utf8"},
    {"vu", Meaning::kText, Layout::kViews, 16, "utf8_view"},
    {"z", Meaning::kBytes, Layout::kOffsets, 0, "binary"},
    {"Z", Meaning::kBytes, Layout::kLongOffsets, 0, "large_binary"},
    {"vz", Meaning::kBytes, Layout::kViews, 16, "binary_view"},
    {"tdD", Meaning::kDate, Layout::kFixed, 4, "date32"},
    {"tdm", Meaning::kDate, Layout::kFixed, 8, "date64"},
    {"tts", Meaning::kTime, Layout::kFixed, 4, "time32"},
    {"ttm", Meaning::kTime, Layout::kFixed, 4, "time32"},
    {"ttu", Meaning::kTime, Layout::kFixed, 8, "time64"},
    {"ttn", Meaning::kTime, Layout::kFixed, 8, "time64"},
    {"tDs", Meaning::kDuration, Layout::kFixed, 8, "duration"},
    {"tDm", Meaning::kDuration, Layout::kFixed, 8, "duration"},
    {"tDu", Meaning::kDuration, Layout::kFixed, 8, "duration"},
    {"tDn", Meaning::kDuration, Layout::kFixed, 8, "duration"},
    {"+l", Meaning::kList, Layout::kList, 0, "list"},
    {"+L", Meaning::kList, Layout::kLongList, 0, "large_list"},
    {"+vl", Meaning::kList, Layout::kListView, 0, "list_view"},
    {"+vL", Meaning::kList, Layout::kLongListView, 0, "large_list_view"},
    {"+s", Meaning::kStruct, Layout::kStruct, 0, "struct"},
    {"+m", Meaning::kMap, Layout::kList, 0, "map"},
};

// Returns the number of digits of a fraction of a second in this unit.
std::optional<int> DigitsOfUnit(char unit) {
  switch (unit) {
    case 's':
      return 0;
    case 'm':
      return 3;
    case 'u':
      return 6;
    case 'n':
      return 9;
    default:
      return std::nullopt;
  }
}

// Takes a decimal number from the front of the text.
std::optional<int> TakeNumber(std::string_view* text) {
  int number = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc()) return std::nullopt;
  text->remove_prefix(static_cast<size_t>(stop - text->data()));
  return number;
}

bool ParsePlain(std::string_view format, ArrowType* type) {
  for (const PlainType& row : kPlainTypes) {
    if (row.format != format) continue;
    type->meaning = row.meaning;
    type->layout = row.layout;
    type->width = row.width;
    if (format[0] == 't' && format != "tdD") {
      type->unit_digits = DigitsOfUnit(format.back()).value_or(0);
    }
    return true;
  }
  return false;
}

// Parses the words of kFixed and kFixedList: "w:<bytes>", "+w:<values>".
bool ParseFixed(std::string_view format, ArrowType* type) {
  const bool is_list = format.starts_with("+w:");
  if (!is_list && !format.starts_with("w:")) return false;
  format.remove_prefix(is_list ? 3 : 2);
  const std::optional<int> width = TakeNumber(&format);
  if (!width || !format.empty() || *width < 0 ||
      static_cast<uint32_t>(*width) > kMostWidth) {
    return false;
  }
  type->meaning = is_list ? Meaning::kList : Meaning::kBytes;
  type->layout = is_list ? Layout::kFixedList : Layout::kFixed;
  type->width = static_cast<uint32_t>(*width);
  return true;
}

// Parses "ts<unit>:<zone>".
bool ParseTimestamp(std::string_view format, ArrowType* type) {
  if (!format.starts_with("ts") || format.size() < 4 || format[3] != ':') {
    return false;
  }
  const std::optional<int> digits = DigitsOfUnit(format[2]);
  if (!digits) return false;
  type->meaning = Meaning::kTimestamp;
  type->layout = Layout::kFixed;
  type->width = 8;
  type->unit_digits = *digits;
  type->has_zone = format.size() > 4;
  return true;
}

// Parses "d:<digits>,<scale>", with ",<bits>" after it unless these are 128.
bool ParseDecimal(std::string_view format, ArrowType* type) {
  constexpr int kMostScale = 1000;
  if (!format.starts_with("d:")) return false;
  format.remove_prefix(2);
  const std::optional<int> digits = TakeNumber(&format);
  if (!digits || !format.starts_with(',')) return false;
  format.remove_prefix(1);
  const std::optional<int> scale = TakeNumber(&format);
  if (!scale || *scale < -kMostScale || *scale > kMostScale) return false;
  int bits = 128;
  if (format.starts_with(',')) {
    format.remove_prefix(1);
    bits = TakeNumber(&format).value_or(0);
  }
  if (!format.empty() || (bits != 32 && bits != 64 && bits != 128)) {
    return false;
  }
  type->meaning = Meaning::kDecimal;
  type->layout = Layout::kFixed;
  type->width = static_cast<uint32_t>(bits / 8);
  type->scale = *scale;
  return true;
}

Status ParseAtDepth(const ArrowSchema& schema, int depth, ArrowType* type);

Status ParseChildren(const ArrowSchema& schema, int depth, ArrowType* type) {
  if (schema.n_children < 0 ||
      (schema.n_children > 0 && schema.children == nullptr)) {
    return Status::InvalidArgument("its fields are missing");
  }
  const bool is_one = type->IsNested() && type->meaning != Meaning::kStruct;
  if (type->IsNested() ? is_one && schema.n_children != 1
                       : schema.n_children != 0) {
    return Status::InvalidArgument("type " + TypeName(*type) + " with " +
                                   std::to_string(schema.n_children) +
                                   " fields");
  }
  for (int64_t i = 0; i < schema.n_children; ++i) {
    if (schema.children[i] == nullptr) {
      return Status::InvalidArgument("its fields are missing");
    }
    ArrowType& child = type->children.emplace_back();
    Status status = ParseAtDepth(*schema.children[i], depth + 1, &child);
    if (!status.ok()) return status;
  }
  if (type->meaning == Meaning::kMap) {
    const ArrowType& pair = type->children[0];
    if (pair.meaning != Meaning::kStruct || pair.children.size() != 2) {
      return Status::InvalidArgument("a map whose entries are not pairs");
    }
  }
  return {};
}

Status ParseAtDepth(const ArrowSchema& schema, int depth, ArrowType* type) {
  if (depth > kMostDepth) {
    return Status::NotSupported("types within each other more than " +
                                std::to_string(kMostDepth) + " times");
  }
  if (schema.format == nullptr) {
    return Status::InvalidArgument("it has no type");
  }
  const std::string_view format = schema.format;
  if (schema.name != nullptr) type->name = schema.name;
  if (!ParsePlain(format, type) && !ParseFixed(format, type) &&
      !ParseTimestamp(format, type) && !ParseDecimal(format, type)) {
    return Status::NotSupported(
        "values of Arrow's type '" + PrintableText(format) +
        "' cannot be read; expected null, bool, integers, floats, decimals "
        "of at most 128 bits, text, binary, dates, times, lists, structs, "
        "maps, or dictionaries of these");
  }
  Status status = ParseChildren(schema, depth, type);
  if (!status.ok() || schema.dictionary == nullptr) return status;
  if (type->meaning != Meaning::kInteger &&
      type->meaning != Meaning::kUnsigned) {
    return Status::InvalidArgument("a dictionary with indexes of type " +
                                   TypeName(*type));
  }
  return ParseAtDepth(*schema.dictionary, depth + 1,
                      &type->dictionary.emplace_back());
}

}  // namespace

Status ParseArrowType(const ArrowSchema& schema, ArrowType* type) {
  *type = ArrowType();
  return ParseAtDepth(schema, 0, type);
}

std::string TypeName(const ArrowType& type) {
  if (!type.dictionary.empty()) {
    return "dictionary of " + TypeName(type.dictionary[0]);
  }
  if (type.meaning == Meaning::kTimestamp) {
    return type.has_zone ? "timestamp with time zone" : "timestamp";
  }
  if (type.meaning == Meaning::kDecimal) {
    return "decimal" + std::to_string(8 * type.width);
  }
  for (const PlainType& row : kPlainTypes) {
    if (row.meaning == type.meaning && row.layout == type.layout &&
        row.width == type.width) {
      return std::string(row.name);
    }
  }
  return type.IsNested() ? "fixed_size_list" : "fixed_size_binary";
}

}  // namespace ashlar::arrow
