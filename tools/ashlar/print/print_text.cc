#include "tools/ashlar/print/print_text.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "tools/ashlar/flags/flags.h"
#include "tools/escaped_text.h"

namespace ashlar::tool {
namespace {

constexpr struct {
  ValueType type;
  std::string_view word;
} kTypeWords[] = {
    {ValueType::kTypeDeletion, "delete"},
    {ValueType::kTypeValue, "put"},
    {ValueType::kTypeMerge, "merge"},
    {ValueType::kTypeSingleDeletion, "single_delete"},
    {ValueType::kTypeRangeDeletion, "range_delete"},
    {ValueType::kTypeBlobIndex, "blob_index"},
    {ValueType::kTypeSetWithDelete, "set_with_delete"},
    {ValueType::kTypeDeletionWithTimestamp, "delete_with_timestamp"},
    {ValueType::kTypeWideColumnEntity, "wide_column_entity"},
    {ValueType::kTypeValuePreferredSeqno, "put_preferred_seqno"},
};

}  // namespace

void PrintHex(const Slice& bytes, HexCase hex_case, Output* out) {
  constexpr size_t kPiece = Output::kMaxReserve / 2;
  for (size_t at = 0; at < bytes.size(); at += kPiece) {
    const size_t size = std::min(kPiece, bytes.size() - at);
    char* const to = out->Reserve(2 * size);
    WriteHex({bytes.data() + at, size}, hex_case, to);
    out->Advance(2 * size);
  }
}

std::string KeyText(const Slice& key) {
  return FLAGS_output_hex ? ToHex(key, HexCase::kUpper) : Escape(key);
}

std::string Fixed(double number, int digits) {
  if (!std::isfinite(number)) return "-";
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

std::string Grouped(uint64_t number) {
  std::string text = std::to_string(number);
  constexpr size_t kGroup = 3;
  for (size_t at = text.size(); at > kGroup; at -= kGroup) {
    text.insert(at - kGroup, 1, ',');
  }
  return text;
}

std::string Percent(double share, int digits) {
  return Fixed(100 * share, digits) + " %";
}

double Share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

void PrintColumns(const std::vector<TextRow>& rows, std::string_view alignment,
                  std::optional<Color> (*color_of)(const std::string& cell),
                  Output* out) {
  std::vector<size_t> widths(alignment.size());
  for (const TextRow& row : rows) {
    for (size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  for (const TextRow& row : rows) {
    std::string line;
    for (size_t i = 0; i < widths.size(); ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      const auto color = color_of == nullptr ? std::nullopt : color_of(row[i]);
      const std::string cell = color ? Colored(row[i], *color) : row[i];
      line += alignment[i] == 'l' ? cell + padding : padding + cell;
      line += "  ";
    }
    line += row.back();
    line.resize(line.find_last_not_of(' ') + 1);
    if (color_of != nullptr && &row == rows.data()) {
      line = Colored(line, Color::kHeading);
    }
    out->Append(line + "\n");
  }
}

ByteStyle ChosenByteStyle() {
  return FLAGS_output_hex ? ByteStyle::kHex : ChosenNameStyle();
}

ByteStyle ChosenNameStyle() {
  if (FLAGS_escape == "always") return ByteStyle::kEscaped;
  if (FLAGS_escape == "auto" && isatty(STDOUT_FILENO)) {
    return ByteStyle::kEscaped;
  }
  return ByteStyle::kRaw;
}

void PrintBytes(const Slice& bytes, ByteStyle style, Output* out) {
  switch (style) {
    case ByteStyle::kRaw:
      out->Append(bytes.ToStringView());
      return;
    case ByteStyle::kEscaped:
      out->Append(Escape(bytes));
      return;
    case ByteStyle::kHex:
      PrintHex(bytes, HexCase::kUpper, out);
      return;
  }
}

std::string BytesText(const Slice& bytes, ByteStyle style) {
  switch (style) {
    case ByteStyle::kRaw:
      break;
    case ByteStyle::kEscaped:
      return Escape(bytes);
    case ByteStyle::kHex:
      return ToHex(bytes, HexCase::kUpper);
  }
  return bytes.ToString();
}

namespace {

// Writes ' seq:<n>, type:<n> =>
constexpr size_t kMaxMiddleBytes = 64;
char* WriteMiddle(SequenceNumber sequence, ValueType type, char* to) {
  char* const end = to + kMaxMiddleBytes;
  to = std::copy_n("' seq:", 6, to);
  to = std::to_chars(to, end, sequence).ptr;
  to = std::copy_n(", type:", 7, to);
  to = std::to_chars(to, end, static_cast<unsigned>(type)).ptr;
  return std::copy_n(" => ", 4, to);
}

// Prints '<key>' seq:<n>, type:<n> =>
void PrintBeforeValue(const Slice& user_key, SequenceNumber sequence,
                      ValueType type, ByteStyle style, Output* out) {
  out->Append("'");
  PrintBytes(user_key, style, out);
  char* const start = out->Reserve(kMaxMiddleBytes);
  out->Advance(static_cast<size_t>(WriteMiddle(sequence, type, start) - start));
}

// Prints an entry with one reservation: this is most of the work of a scan.
bool PrintRawAtOnce(const Slice& user_key, SequenceNumber sequence,
                    ValueType type, const Slice& value, Output* out) {
  constexpr size_t kAround = kMaxMiddleBytes + 2;
  constexpr size_t kMost = Output::kMaxReserve - kAround;
  if (user_key.size() > kMost || value.size() > kMost - user_key.size()) {
    return false;
  }
  char* const start = out->Reserve(user_key.size() + value.size() + kAround);
  char* to = start;
  *to++ = '\'';
  to = std::copy_n(user_key.data(), user_key.size(), to);
  to = WriteMiddle(sequence, type, to);
  to = std::copy_n(value.data(), value.size(), to);
  *to++ = '\n';
  out->Advance(static_cast<size_t>(to - start));
  return true;
}

}  // namespace

void PrintEntry(const Slice& user_key, SequenceNumber sequence, ValueType type,
                const Slice& value, ByteStyle style, Output* out) {
  if (style == ByteStyle::kRaw &&
      PrintRawAtOnce(user_key, sequence, type, value, out)) {
    return;
  }
  PrintBeforeValue(user_key, sequence, type, style, out);
  PrintBytes(value, style, out);
  out->Append("\n");
}

void PrintDecodedEntry(const Slice& user_key, SequenceNumber sequence,
                       ValueType type, const std::string& text, ByteStyle style,
                       Output* out) {
  PrintBeforeValue(user_key, sequence, type, style, out);
  out->Append(text + "\n");
}

void PrintCanonicalEntry(const Slice& user_key, SequenceNumber sequence,
                         ValueType type, const Slice& value, Output* out) {
  PrintHex(user_key, HexCase::kLower, out);
  char* const start = out->Reserve(kMaxMiddleBytes);
  char* const end = start + kMaxMiddleBytes;
  char* to = start;
  *to++ = ' ';
  to = std::to_chars(to, end, sequence).ptr;
  *to++ = ' ';
  to = std::to_chars(to, end, static_cast<unsigned>(type)).ptr;
  *to++ = ' ';
  out->Advance(static_cast<size_t>(to - start));
  PrintHex(value, HexCase::kLower, out);
  out->Append("\n");
}

std::string TypeWord(ValueType type) {
  for (const auto& row : kTypeWords) {
    if (row.type == type) return std::string(row.word);
  }
  return std::to_string(static_cast<unsigned>(type));
}

std::optional<ValueType> ParseTypeWord(std::string_view word) {
  for (const auto& row : kTypeWords) {
    if (row.word == word) return row.type;
  }
  const std::optional<uint64_t> number = ParseNumber(word);
  if (!number || *number > 0xff) return std::nullopt;
  return static_cast<ValueType>(*number);
}

}  // namespace ashlar::tool
