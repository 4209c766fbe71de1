#include "tools/escaped_text.h"

#include <cstring>

#include "tools/text_numbers.h"

namespace ashlar::tool {
namespace {

// Reads the escape at `from`, which is a backslash. Returns its length, and
// sets *byte; or returns 0 if it is invalid.
size_t ReadEscape(const char* from, const char* end, char* byte) {
  if (end - from < 2) return 0;
  constexpr size_t kShort = 2;
  constexpr size_t kLong = 4;
  switch (from[1]) {
    case 't':
      *byte = '\t';
      return kShort;
    case 'n':
      *byte = '\n';
      return kShort;
    case 'r':
      *byte = '\r';
      return kShort;
    case '\\':
      *byte = '\\';
      return kShort;
    case 'x':
      break;
    default:
      return 0;
  }
  if (end - from < static_cast<std::ptrdiff_t>(kLong)) return 0;
  const int high = HexDigit(from[2]);
  const int low = HexDigit(from[3]);
  if (high < 0 || low < 0) return 0;
  *byte = static_cast<char>(high << 4 | low);
  return kLong;
}

}  // namespace

std::string Escape(const Slice& bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    if (c == '\\') {
      text += "\\\\";
    } else if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      text += "\\x" + ToHex(Slice(&c, 1), HexCase::kUpper);
    }
  }
  return text;
}

std::optional<std::string> Unescape(std::string_view text) {
  std::string bytes(text);
  size_t size = bytes.size();
  if (UnescapeInPlace(bytes.data(), &size)) return std::nullopt;
  bytes.resize(size);
  return bytes;
}

std::optional<size_t> UnescapeInPlace(char* begin, size_t* size) {
  // memchr must not be passed null.
  if (*size == 0) return std::nullopt;
  const char* const end = begin + *size;
  const char* from = static_cast<char*>(std::memchr(begin, '\\', *size));
  if (from == nullptr) return std::nullopt;
  char* to = begin + (from - begin);
  while (from < end) {
    if (*from != '\\') {
      *to++ = *from++;
      continue;
    }
    char byte;
    const size_t length = ReadEscape(from, end, &byte);
    if (length == 0) return static_cast<size_t>(from - begin);
    *to++ = byte;
    from += length;
  }
  *size = static_cast<size_t>(to - begin);
  return std::nullopt;
}

}  // namespace ashlar::tool
