#include "tools/quantity.h"

#include <charconv>
#include <span>

namespace ashlar::tool {
namespace {

struct Unit {
  std::string_view name;  // in upper case
  uint64_t size;
};

constexpr uint64_t Power(uint64_t base, int exponent) {
  uint64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= base;
  return power;
}

constexpr uint64_t kBinary = 1024;
constexpr uint64_t kDecimal = 1000;

constexpr Unit kBytes[] = {
    {"", 1},
    {"B", 1},
    {"K", Power(kBinary, 1)},
    {"M", Power(kBinary, 2)},
    {"G", Power(kBinary, 3)},
    {"T", Power(kBinary, 4)},
    {"KIB", Power(kBinary, 1)},
    {"MIB", Power(kBinary, 2)},
    {"GIB", Power(kBinary, 3)},
    {"TIB", Power(kBinary, 4)},
    {"KB", Power(kDecimal, 1)},
    {"MB", Power(kDecimal, 2)},
    {"GB", Power(kDecimal, 3)},
    {"TB", Power(kDecimal, 4)},
};
constexpr Unit kCounts[] = {
    {"", 1},
    {"K", Power(kDecimal, 1)},
    {"M", Power(kDecimal, 2)},
    {"G", Power(kDecimal, 3)},
    {"T", Power(kDecimal, 4)},
};

char UpperCase(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

bool EqualsIgnoringCase(std::string_view text, std::string_view upper) {
  if (text.size() != upper.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (UpperCase(text[i]) != upper[i]) return false;
  }
  return true;
}

std::optional<uint64_t> Parse(std::string_view text,
                              std::span<const Unit> units) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view rest(stop, static_cast<size_t>(end - stop));
  for (const Unit& unit : units) {
    if (!EqualsIgnoringCase(rest, unit.name)) continue;
    uint64_t product;
    if (__builtin_mul_overflow(number, unit.size, &product)) break;
    return product;
  }
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> ParseBytes(std::string_view text) {
  return Parse(text, kBytes);
}

std::optional<uint64_t> ParseCount(std::string_view text) {
  return Parse(text, kCounts);
}

}  // namespace ashlar::tool
