#include "ashlar/util/printable.h"

#include <cstring>

namespace ashlar {

size_t Utf8CharacterBytes(std::string_view text) {
  const auto byte = [text](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  if (text.empty()) return 0;
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  size_t length;
  // Not every second byte is allowed after these: that excludes overlong forms,
  // surrogates, and everything above U+10FFFF.
  unsigned low = 0x80;
  unsigned high = 0xbf;
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
  } else {
    return 0;
  }
  if (byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  return length;
}

bool IsControlCharacter(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (first < 0x80) return first < ' ' || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

std::string PrintableText(std::string_view text) {
  std::string printable(internal::WritePrintable(text, nullptr), '\0');
  internal::WritePrintable(text, printable.data());
  return printable;
}

namespace internal {

namespace {

// The number of bytes before the first that is not printable ASCII.
size_t PlainBytes(std::string_view text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* p = begin;
  while (p != end && *p >= ' ' && *p < 0x7f) ++p;
  return static_cast<size_t>(p - begin);
}

}  // namespace

size_t WritePrintable(std::string_view text, char* out) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  size_t written = 0;
  const auto write = [&](std::string_view bytes) {
    if (out != nullptr) std::memcpy(out + written, bytes.data(), bytes.size());
    written += bytes.size();
  };
  while (!text.empty()) {
    const size_t plain = PlainBytes(text);
    write(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const size_t length = Utf8CharacterBytes(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length != 0 && !IsControlCharacter(character)) {
      write(character);
    } else {
      for (const char c : character) {
        const auto byte = static_cast<unsigned char>(c);
        const char escaped[] = {'\\', 'x', kDigits[byte >> 4],
                                kDigits[byte & 15]};
        write({escaped, sizeof escaped});
      }
    }
    text.remove_prefix(character.size());
  }
  return written;
}

}  // namespace internal

}  // namespace ashlar
