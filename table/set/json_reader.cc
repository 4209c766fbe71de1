#include "table/set/json_reader.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "ashlar/util/printable.h"

namespace ashlar::internal {
namespace {

constexpr uint32_t kFirstHigh = 0xD800;  // surrogates
constexpr uint32_t kFirstLow = 0xDC00;
constexpr uint32_t kBehindLow = 0xE000;

void AppendUtf8(uint32_t c, std::string* out) {
  const auto tail = [&](int shift) {
    out->push_back(static_cast<char>(0x80 | (c >> shift & 0x3F)));
  };
  if (c < 0x80) {
    out->push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out->push_back(static_cast<char>(0xC0 | c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | c >> 12));
    tail(6);
    tail(0);
  } else {
    out->push_back(static_cast<char>(0xF0 | c >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

void JsonReader::SkipSpace() {
  const size_t at = text_.find_first_not_of(" \t\r\n");
  text_.remove_prefix(std::min(at, text_.size()));
}

bool JsonReader::Take(char c) {
  SkipSpace();
  if (text_.empty() || text_.front() != c) return false;
  text_.remove_prefix(1);
  return true;
}

bool JsonReader::TakeWord(std::string_view word) {
  SkipSpace();
  if (!text_.starts_with(word)) return false;
  text_.remove_prefix(word.size());
  return true;
}

bool JsonReader::AtEnd() {
  SkipSpace();
  return text_.empty();
}

bool JsonReader::FourDigits(uint32_t* unit) {
  constexpr size_t kDigits = 4;
  if (text_.size() < kDigits) return false;
  const char* const end = text_.data() + kDigits;
  const auto parsed = std::from_chars(text_.data(), end, *unit, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end) return false;
  text_.remove_prefix(kDigits);
  return true;
}

// Reads what follows a backslash.
bool JsonReader::Escaped(std::string* value) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (text_.empty()) return false;
  const char letter = text_.front();
  text_.remove_prefix(1);
  const size_t at = kLetters.find(letter);
  if (at != std::string_view::npos) {
    value->push_back(kMeanings[at]);
    return true;
  }
  uint32_t unit = 0;
  if (letter != 'u' || !FourDigits(&unit)) return false;
  if (unit >= kFirstHigh && unit < kBehindLow) {
    uint32_t low = 0;
    if (unit >= kFirstLow || !text_.starts_with("\\u")) return false;
    text_.remove_prefix(2);
    if (!FourDigits(&low) || low < kFirstLow || low >= kBehindLow) return false;
    unit = 0x10000 + ((unit - kFirstHigh) << 10) + (low - kFirstLow);
  }
  AppendUtf8(unit, value);
  return true;
}

bool JsonReader::String(std::string* value) {
  value->clear();
  if (!Take('"')) return false;
  while (!text_.empty()) {
    const char c = text_.front();
    if (c == '"' || c == '\\') {
      text_.remove_prefix(1);
      if (c == '"') return true;
      if (!Escaped(value)) return false;
      continue;
    }
    const size_t length = Utf8CharacterBytes(text_);
    if (length == 0 || static_cast<unsigned char>(c) < ' ') return false;
    value->append(text_.substr(0, length));
    text_.remove_prefix(length);
  }
  return false;
}

bool JsonReader::Number(uint64_t* value) {
  SkipSpace();
  const char* const begin = text_.data();
  const auto parsed = std::from_chars(begin, begin + text_.size(), *value);
  if (parsed.ec != std::errc()) return false;
  text_.remove_prefix(static_cast<size_t>(parsed.ptr - begin));
  // A fraction or an exponent would be left.
  return text_.empty() ||
         std::string_view(".eE").find(text_.front()) == std::string_view::npos;
}

bool JsonReader::Bool(bool* value) {
  *value = TakeWord("true");
  return *value || TakeWord("false");
}

bool JsonReader::SkipNumber() {
  SkipSpace();
  const size_t end =
      std::min(text_.find_first_not_of("+-.0123456789eE"), text_.size());
  text_.remove_prefix(end);
  return end != 0;
}

bool JsonReader::SkipWithin(int depth) {
  SkipSpace();
  if (text_.empty() || depth == 0) return false;
  std::string text;
  switch (text_.front()) {
    case '{':
      return Object(
          [&](const std::string& /*key*/) { return SkipWithin(depth - 1); });
    case '[':
      return Array([&] { return SkipWithin(depth - 1); });
    case '"':
      return String(&text);
    case 't':
      return TakeWord("true");
    case 'f':
      return TakeWord("false");
    case 'n':
      return TakeWord("null");
    default:
      return SkipNumber();
  }
}

}  // namespace ashlar::internal
