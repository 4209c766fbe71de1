// Varints of up to eight bytes, decoded without loops.
//
// A varint stores a number in groups of 7 bits, a byte each. While the top bits
// of the bytes are cleared, the groups are compared and added as they are:
//
//   bytes of a varint    1fffffff 1ggggggg 0hhhhhhh
//   its groups           0fffffff 0ggggggg 0hhhhhhh 0 0 0 0 0
//   the number           hhhhhhhgggggggfffffff
//
// For walks over many numbers whose sizes are not known ahead. Pure functions:
// thread-safe.
#ifndef ASHLAR_TABLE_INDEX_VARINT_GROUPS_H_
#define ASHLAR_TABLE_INDEX_VARINT_GROUPS_H_

#include <bit>
#include <cstdint>

#include "util/coding/coding.h"

namespace ashlar::internal {

inline constexpr uint64_t kGroupTops = 0x8080808080808080;

// Decodes a varint to its groups. Returns where it ends; null if it has more
// than eight bytes. Requires: eight bytes may be loaded at p.
[[gnu::always_inline]] inline const char* DecodeGroups(const char* p,
                                                       uint64_t* groups) {
  const uint64_t bytes = LoadFixed64(p);
  const uint64_t ends = ~bytes & kGroupTops;
  if (ends == 0) [[unlikely]]
    return nullptr;
  // Up to the top bit of the last byte; then the top bits go.
  *groups = bytes & (ends ^ (ends - 1)) & ~kGroupTops;
  return p + std::countr_zero(ends) / 8 + 1;
}

// Returns the number that the groups stand for.
[[gnu::always_inline]] inline uint64_t JoinGroups(uint64_t groups) {
  uint64_t x = groups;
  if (x < uint64_t{1} << 16) return (x & 0x7f) | (x & 0x7f00) >> 1;
  // Pairs of groups of 7 bits, of 14 and of 28 are put together.
  x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
  x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
  x = (x & 0x000000000fffffff) | (x & 0x0fffffff00000000) >> 4;
  return x;
}

// Returns the groups of a number below 2^56.
[[gnu::always_inline]] inline uint64_t SpreadGroups(uint64_t number) {
  uint64_t x = number;
  x = (x & 0x000000000fffffff) | (x & 0x00fffffff0000000) << 4;
  x = (x & 0x00003fff00003fff) | (x & 0x0fffc0000fffc000) << 2;
  x = (x & 0x007f007f007f007f) | (x & 0x3f803f803f803f80) << 1;
  return x;
}

// Returns the groups of the sum of two numbers, modulo 2^56.
[[gnu::always_inline]] inline uint64_t AddGroups(uint64_t a, uint64_t b) {
  // Carries run through top bits that are 1.
  return ((a | kGroupTops) + b) & ~kGroupTops;
}

// Decodes a varint. Returns where it ends; null if it has more than eight
// bytes. Requires: eight bytes may be loaded at p.
[[gnu::always_inline]] inline const char* DecodeShortVarint(const char* p,
                                                            uint64_t* v) {
  uint64_t groups;
  p = DecodeGroups(p, &groups);
  if (p != nullptr) [[likely]]
    *v = JoinGroups(groups);
  return p;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_VARINT_GROUPS_H_
