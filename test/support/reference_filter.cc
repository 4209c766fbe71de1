// The filters of the reference reader. Section numbers in these comments refer
// to table/FORMAT.md.
#include <bitset>
#include <cstddef>

#include "test/support/reference_bytes.h"
#include "test/support/reference_hash.h"
#include "test/support/reference_reader.h"

namespace ashlar::testing {
namespace reference {
namespace {

constexpr uint32_t kFilterSeed = 0xBC9F1D34;

// Bit 0 is the least significant bit of the first byte.
bool BitAt(std::string_view bytes, uint64_t bit) {
  return (ByteAt(bytes, bit / 8) >> (bit % 8) & 1) != 0;
}

// Section 9.3.
bool BloomMayMatch(std::string_view bits, uint64_t probes,
                   std::string_view user_key) {
  uint64_t h = ReferenceFilterHash(user_key);
  uint64_t line = (uint64_t{Lo32(h)} * (bits.size() / 64)) >> 32;
  uint32_t x = Hi32(h);
  for (uint64_t i = 0; i < probes; i++) {
    if (!BitAt(bits, 512 * line + (x >> 23))) return false;
    x *= 0x9E3779B9;
  }
  return true;
}

// Section 9.5. A Row is one row of the equations, or one column of the solution
// for 128 slots.
using Row = std::bitset<128>;

Row MakeRow(uint64_t high, uint64_t low) {
  return (Row(high) << 64) | Row(low);
}

Row SegmentAt(std::string_view bytes, uint64_t i) {
  return MakeRow(Fixed64(bytes, 16 * i + 8), Fixed64(bytes, 16 * i));
}

struct Equation {
  uint64_t start = 0;
  Row coefficients;
  uint32_t result = 0;
};

Equation MakeEquation(uint64_t hash, uint8_t seed, uint64_t num_blocks) {
  uint64_t mask = seed * 0xC78219A23EEADD03;
  mask ^= (mask & 0xF0F0F0F0F0F0F0F0) >> 4;
  uint64_t h = (hash ^ Lo32(mask)) * 0x6193D459236A3A0D;
  uint64_t a = h * 0xC28F82822B650BED;
  Equation equation;
  equation.start = Multiply(h, 128 * num_blocks - 127).high;
  equation.coefficients = MakeRow(a, (a ^ 0xC367844A6E52731D) | 1);
  for (int i = 0; i < 4; i++) {  // the upper four bytes, reversed
    equation.result |= (Lo32(a >> (32 + 8 * i)) & 0xFF) << (8 * (3 - i));
  }
  return equation;
}

bool RibbonMayMatch(std::string_view solution, uint8_t seed,
                    uint64_t num_blocks, std::string_view user_key) {
  if (num_blocks < 2) return true;
  uint64_t num_segments = solution.size() / 16;
  uint64_t upper = (num_segments + num_blocks - 1) / num_blocks;
  uint64_t upper_start = upper * num_blocks - num_segments;
  if (upper > 32) {
    upper = 32;
    upper_start = 0;
  }
  Equation e = MakeEquation(ReferenceFilterHash(user_key), seed, num_blocks);
  uint64_t b = e.start / 128;
  uint64_t k = e.start % 128;
  uint64_t columns = b < upper_start ? upper - 1 : upper;
  uint64_t first = b * upper - (b < upper_start ? b : upper_start);
  for (uint64_t c = 0; c < columns; c++) {
    Row ones = SegmentAt(solution, first + c) & (e.coefficients << k);
    size_t count = ones.count();
    if (k != 0) {
      Row next = SegmentAt(solution, first + columns + c);
      count += (next & (e.coefficients >> (128 - k))).count();
    }
    if (count % 2 != (e.result >> c & 1)) return false;
  }
  return true;
}

// Section 9.6.
bool LegacyMayMatch(std::string_view bits, uint64_t probes, uint64_t num_lines,
                    std::string_view user_key) {
  if (num_lines == 0 || bits.size() % num_lines != 0) return true;
  uint64_t line = bits.size() / num_lines;
  if ((line & (line - 1)) != 0) return true;
  uint32_t h = Hash32(user_key, kFilterSeed, Tail::kSigned);
  uint32_t d = h >> 17 | h << 15;
  uint64_t base = (h % num_lines) * line;
  for (uint64_t i = 0; i < probes; i++, h += d) {
    if (!BitAt(bits.substr(base), h % (8 * line))) return false;
  }
  return true;
}

}  // namespace
}  // namespace reference

using reference::ByteAt;
using reference::Fixed32;

// Section 9.1.
bool ReferenceFilterMayMatch(std::string_view filter,
                             std::string_view user_key) {
  if (filter.size() <= 5) return false;
  size_t length = filter.size() - 5;
  std::string_view bytes = filter.substr(0, length);
  auto m = [&](size_t i) { return ByteAt(filter, length + i); };
  if (m(0) == 0xFF && m(1) == 0 && m(2) >= 1 && m(2) <= 30 && m(3) == 0 &&
      m(4) == 0) {
    return length % 64 != 0 || reference::BloomMayMatch(bytes, m(2), user_key);
  }
  if (m(0) == 0xFE) {
    uint64_t num_blocks = reference::Fixed(filter, length + 2, 3);
    return reference::RibbonMayMatch(bytes, m(1), num_blocks, user_key);
  }
  if (m(0) >= 0x01 && m(0) <= 0x7F) {
    return reference::LegacyMayMatch(bytes, m(0), Fixed32(filter, length + 1),
                                     user_key);
  }
  return true;
}

// Section 9.7.
bool ReferenceLevelDbFilterMayMatch(std::string_view block, uint64_t offset,
                                    std::string_view user_key) {
  if (block.size() < 5) return true;
  uint8_t lg = ByteAt(block, block.size() - 1);
  uint64_t starts = Fixed32(block, block.size() - 5);
  if (lg > 63 || starts > block.size() - 5 ||
      (block.size() - 5 - starts) % 4 != 0) {
    return true;
  }
  uint64_t count = (block.size() - 5 - starts) / 4;
  uint64_t i = offset >> lg;
  if (i >= count) return true;
  uint64_t begin = Fixed32(block, starts + 4 * i);
  uint64_t end = i + 1 == count ? starts : Fixed32(block, starts + 4 * (i + 1));
  if (begin > end || end > starts) return true;
  if (end - begin < 2) return false;
  std::string_view bits = block.substr(begin, end - begin - 1);
  uint8_t probes = ByteAt(block, end - 1);
  if (probes > 30) return true;
  uint32_t h = reference::Hash32(user_key, reference::kFilterSeed,
                                 reference::Tail::kUnsigned);
  uint32_t d = h >> 17 | h << 15;
  for (int p = 0; p < probes; p++, h += d) {
    if (!reference::BitAt(bits, h % (8 * bits.size()))) return false;
  }
  return true;
}

}  // namespace ashlar::testing
