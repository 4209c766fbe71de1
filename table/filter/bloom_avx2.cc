// Eight probes of a Bloom filter line at a time, for processors with AVX2.
//
// The line's sixteen words are held in two registers, and each probe picks its
// word out of both: a gather would go to memory once for each. There is no
// branch that depends on the key, which is what makes it several times faster
// than the loop even where the line must come from memory.

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#include "table/filter/bloom.h"

#define ASHLAR_AVX2 __attribute__((target("avx2")))

namespace ashlar::internal {

namespace {

// The multiplier of a probe, to the powers 0 to 7, and to the power 8.
constexpr uint32_t kMultiplier = 0x9E3779B9;
constexpr int kLanes = 8;

consteval uint32_t Power(int n) {
  uint32_t product = 1;
  for (int i = 0; i < n; ++i) product *= kMultiplier;
  return product;
}

// Returns 1 in each lane that has one of this many probes, 0 in the others.
ASHLAR_AVX2 inline __m256i UsedLanes(int probes) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_and_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(probes), lanes),
                          _mm256_set1_epi32(1));
}

ASHLAR_AVX2 inline __m256i Powers() {
  return _mm256_setr_epi32(
      static_cast<int>(Power(0)), static_cast<int>(Power(1)),
      static_cast<int>(Power(2)), static_cast<int>(Power(3)),
      static_cast<int>(Power(4)), static_cast<int>(Power(5)),
      static_cast<int>(Power(6)), static_cast<int>(Power(7)));
}

// Returns whether up to eight probes all find their bits set. x is in every
// lane.
ASHLAR_AVX2 inline bool AllSet(const char* line, __m256i x, __m256i used) {
  const __m256i values = _mm256_mullo_epi32(x, Powers());
  // The 9 bits of a probe: one chooses a half of the line, 3 a word of that
  // half, and 5 a bit of the word. The first is the sign bit, by which a blend
  // chooses.
  const __m256i words = _mm256_srli_epi32(values, 28);
  const auto* const halves = reinterpret_cast<const __m256i*>(line);
  const __m256i lower =
      _mm256_permutevar8x32_epi32(_mm256_loadu_si256(halves), words);
  const __m256i upper =
      _mm256_permutevar8x32_epi32(_mm256_loadu_si256(halves + 1), words);
  const __m256i found = _mm256_castps_si256(
      _mm256_blendv_ps(_mm256_castsi256_ps(lower), _mm256_castsi256_ps(upper),
                       _mm256_castsi256_ps(values)));
  const __m256i bits = _mm256_srli_epi32(_mm256_slli_epi32(values, 4), 27);
  return _mm256_testc_si256(found, _mm256_sllv_epi32(used, bits)) != 0;
}

// Returns the upper word of a hash in every lane, loaded from memory: from a
// register it would need the one port that shuffles need too.
ASHLAR_AVX2 inline __m256i UpperWord(const uint64_t* hash) {
  int x;
  std::memcpy(&x, reinterpret_cast<const char*>(hash) + sizeof x, sizeof x);
  return _mm256_set1_epi32(x);
}

}  // namespace

ASHLAR_AVX2 bool BloomLineMatchesAvx2(const char* line, uint32_t x,
                                      int probes) {
  for (; probes > 0; probes -= kLanes, x *= Power(kLanes)) {
    const __m256i lanes = _mm256_set1_epi32(static_cast<int>(x));
    if (!AllSet(line, lanes, UsedLanes(probes))) return false;
  }
  return true;
}

ASHLAR_AVX2 uint64_t BloomLinesMatchAvx2(const char* const* lines,
                                         const uint64_t* hashes, size_t n,
                                         int probes) {
  uint64_t answers = 0;
  if (probes <= kLanes) {
    const __m256i used = UsedLanes(probes);
    for (size_t i = 0; i < n; ++i) {
      answers |= uint64_t{AllSet(lines[i], UpperWord(&hashes[i]), used)} << i;
    }
    return answers;
  }
  for (size_t i = 0; i < n; ++i) {
    const auto x = static_cast<uint32_t>(hashes[i] >> 32);
    answers |= uint64_t{BloomLineMatchesAvx2(lines[i], x, probes)} << i;
  }
  return answers;
}

}  // namespace ashlar::internal

#endif  // defined(__x86_64__)
