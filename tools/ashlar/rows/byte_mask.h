// ByteMask: which of 64 bytes are a given one, as the bits of a number.
//
// By it a text is searched for several bytes at once, 64 bytes at a time. Pure:
// thread-safe.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_BYTE_MASK_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_BYTE_MASK_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace ashlar::tool {

constexpr size_t kMaskBytes = 64;

// Bit i of the result is 1 if text[i] is `wanted`. Reads kMaskBytes bytes.
inline uint64_t ByteMask(const char* text, char wanted) {
#if defined(__SSE2__)
  uint64_t mask = 0;
  constexpr size_t kStep = sizeof(__m128i);
  const __m128i all = _mm_set1_epi8(wanted);
  for (size_t at = 0; at < kMaskBytes; at += kStep) {
    const __m128i bytes =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + at));
    const int equal = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, all));
    mask |= static_cast<uint64_t>(static_cast<unsigned>(equal)) << at;
  }
  return mask;
#elif defined(__aarch64__)
  // A bit for each byte of eight, so that three sums of neighbours put the bits
  // of 64 bytes side by side.
  const uint8x16_t bits = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
  const uint8x16_t all = vdupq_n_u8(static_cast<uint8_t>(wanted));
  const auto* const bytes = reinterpret_cast<const uint8_t*>(text);
  const auto equal = [&](size_t at) {
    return vandq_u8(vceqq_u8(vld1q_u8(bytes + at), all), bits);
  };
  const uint8x16_t pairs = vpaddq_u8(vpaddq_u8(equal(0), equal(16)),
                                     vpaddq_u8(equal(32), equal(48)));
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)), 0);
#else
  uint64_t mask = 0;
  for (size_t i = 0; i < kMaskBytes; ++i) {
    mask |= static_cast<uint64_t>(text[i] == wanted) << i;
  }
  return mask;
#endif
}

// The lowest `count` bits; all, if `count` is 64 or more.
constexpr uint64_t LowBits(size_t count) {
  return count >= kMaskBytes ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

// Returns the first of the bytes [from, end) that is one of those wanted, or
// `end`. Requires: after `end`, the text has kMaskBytes more bytes of any kind.
template <typename... Chars>
char* FindAnyOf(char* from, char* end, Chars... wanted) {
  while (from < end) {
    const auto left = static_cast<size_t>(end - from);
    const uint64_t marks = (ByteMask(from, wanted) | ...) & LowBits(left);
    if (marks != 0) return from + std::countr_zero(marks);
    from += std::min(left, kMaskBytes);
  }
  return end;
}

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_BYTE_MASK_H_
