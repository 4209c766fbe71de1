#include "byte_text.h"

#include <cstddef>
#include <cstdint>

namespace ashlar_rocksdb {

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

int Base64Value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

// Reads `digits` base64 digits into one number, six bits each. Returns false if
// one of them is none.
bool ReadDigits(std::string_view digits, uint32_t* bits) {
  *bits = 0;
  for (const char c : digits) {
    const int value = Base64Value(c);
    if (value < 0) return false;
    *bits = *bits << 6 | static_cast<uint32_t>(value);
  }
  return true;
}

}  // namespace

std::string ToHex(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kHexDigits[byte >> 4];
    text += kHexDigits[byte & 15];
  }
  return text;
}

bool FromHex(std::string_view text, std::string* bytes) {
  bytes->clear();
  if (text.size() % 2 != 0) return false;
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = HexValue(text[i]);
    const int low = HexValue(text[i + 1]);
    if (high < 0 || low < 0) return false;
    *bytes += static_cast<char>(high << 4 | low);
  }
  return true;
}

std::string ToBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j) {
      const char byte = j < group.size() ? group[j] : '\0';
      bits = bits << 8 | static_cast<unsigned char>(byte);
    }
    for (size_t j = 0; j < 4; ++j) {
      const uint32_t digit = bits >> (18 - 6 * j) & 63;
      text += j <= group.size() ? kBase64Digits[digit] : '=';
    }
  }
  return text;
}

bool FromBase64(std::string_view text, std::string* bytes) {
  bytes->clear();
  if (text.size() % 4 != 0) return false;
  for (size_t i = 0; i < text.size(); i += 4) {
    std::string_view group = text.substr(i, 4);
    if (i + 4 == text.size()) {
      if (group.ends_with('=')) group.remove_suffix(1);
      if (group.ends_with('=')) group.remove_suffix(1);
    }
    uint32_t bits = 0;
    if (group.size() < 2 || !ReadDigits(group, &bits)) return false;
    const size_t whole = group.size() * 6 / 8;
    const size_t unused = group.size() * 6 - whole * 8;
    if ((bits & ((uint32_t{1} << unused) - 1)) != 0) return false;
    bits >>= unused;
    for (size_t j = whole; j > 0; --j) {
      *bytes += static_cast<char>(bits >> (8 * (j - 1)) & 0xff);
    }
  }
  return true;
}

}  // namespace ashlar_rocksdb
