#include "tools/text_numbers.h"

#include <array>
#include <charconv>
#include <cstring>
#include <system_error>

namespace ashlar::tool {
namespace {

// The two digits of each byte, so that dumping takes one copy per byte.
using HexPairs = std::array<char, 512>;
constexpr HexPairs MakeHexPairs(const char* digits) {
  HexPairs pairs = {};
  for (size_t byte = 0; byte < 256; ++byte) {
    pairs[2 * byte] = digits[byte >> 4];
    pairs[2 * byte + 1] = digits[byte & 15];
  }
  return pairs;
}
constexpr HexPairs kLowerPairs = MakeHexPairs("0123456789abcdef");
constexpr HexPairs kUpperPairs = MakeHexPairs("0123456789ABCDEF");

const HexPairs& PairsOf(HexCase hex_case) {
  return hex_case == HexCase::kLower ? kLowerPairs : kUpperPairs;
}

}  // namespace

void WriteHex(const Slice& bytes, HexCase hex_case, char* to) {
  const HexPairs& pairs = PairsOf(hex_case);
  for (const char byte : bytes) {
    std::memcpy(to, &pairs[2 * static_cast<unsigned char>(byte)], 2);
    to += 2;
  }
}

std::string ToHex(const Slice& bytes, HexCase hex_case) {
  std::string hex(2 * bytes.size(), '\0');
  WriteHex(bytes, hex_case, hex.data());
  return hex;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> FromHex(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes(text.size() / 2, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int high = HexDigit(text[2 * i]);
    const int low = HexDigit(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes[i] = static_cast<char>(high << 4 | low);
  }
  return bytes;
}

std::optional<uint64_t> ParseNumber(std::string_view text) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace ashlar::tool
