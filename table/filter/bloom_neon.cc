// Eight probes of a Bloom filter line at a time, for AArch64, whose processors
// all have NEON.
//
// The line's 64 bytes are held in four registers, and one instruction picks a
// byte out of them for each probe. There is no branch that depends on the key.

#if defined(__aarch64__)

#include <arm_neon.h>

#include "table/filter/bloom.h"

namespace ashlar::internal {

namespace {

constexpr int kLanes = 8;

constexpr uint32_t Power(int n) {
  uint32_t product = 1;
  for (int i = 0; i < n; ++i) product *= kBloomProbeMultiplier;
  return product;
}

constexpr uint32_t kPowers[kLanes] = {Power(0), Power(1), Power(2), Power(3),
                                      Power(4), Power(5), Power(6), Power(7)};

// Returns 1 in each lane that has one of this many probes, 0 in the others.
inline uint8x8_t UsedLanes(int probes) {
  const uint8x8_t lanes = vcreate_u8(0x0706050403020100);
  const uint8x8_t all = vdup_n_u8(static_cast<uint8_t>(probes));
  return vand_u8(vcgt_u8(all, lanes), vdup_n_u8(1));
}

// Returns whether up to eight probes all find their bits set.
inline bool AllSet(const char* line, uint32_t x, uint8x8_t used) {
  const uint32x4_t first = vmulq_n_u32(vld1q_u32(kPowers), x);
  const uint32x4_t second = vmulq_n_u32(vld1q_u32(kPowers + 4), x);
  // The upper halves of the eight values: 6 bits choose a byte of the line, and
  // the next 3 a bit of the byte.
  const uint16x8_t halves =
      vuzp2q_u16(vreinterpretq_u16_u32(first), vreinterpretq_u16_u32(second));
  const uint8x8_t bytes = vshr_n_u8(vshrn_n_u16(halves, 8), 2);
  const uint8x8_t bits = vand_u8(vshrn_n_u16(halves, 7), vdup_n_u8(7));
  const uint8x16x4_t table =
      vld1q_u8_x4(reinterpret_cast<const uint8_t*>(line));
  const uint8x8_t found = vqtbl4_u8(table, bytes);
  const uint8x8_t wanted = vshl_u8(used, vreinterpret_s8_u8(bits));
  const uint8x8_t missing = vbic_u8(wanted, found);
  return vget_lane_u64(vreinterpret_u64_u8(missing), 0) == 0;
}

}  // namespace

bool BloomLineMatchesNeon(const char* line, uint32_t x, int probes) {
  for (; probes > 0; probes -= kLanes, x *= Power(kLanes)) {
    if (!AllSet(line, x, UsedLanes(probes))) return false;
  }
  return true;
}

uint64_t BloomLinesMatchNeon(const char* const* lines, const uint64_t* hashes,
                             size_t n, int probes) {
  uint64_t answers = 0;
  for (size_t i = 0; i < n; ++i) {
    const auto x = static_cast<uint32_t>(hashes[i] >> 32);
    answers |= uint64_t{BloomLineMatchesNeon(lines[i], x, probes)} << i;
  }
  return answers;
}

}  // namespace ashlar::internal

#endif  // defined(__aarch64__)
