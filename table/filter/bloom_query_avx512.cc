// Up to sixteen probes of a Bloom filter line at a time, for processors with
// AVX-512 that also has VPOPCNTDQ: earlier ones lower their clock for registers
// of this width.
//
// One register holds the whole line, of which each probe picks its word by one
// permutation; the kernel for AVX2 has to choose between two halves. No branch
// depends on the key.

#if defined(__x86_64__)

#include <immintrin.h>

#include <array>
#include <cstring>

#include "table/filter/bloom.h"

#define ASHLAR_AVX512 __attribute__((target("avx512f")))

namespace ashlar::internal {

namespace {

constexpr __mmask16 kAllWords = 0xFFFF;

consteval std::array<uint32_t, kBloomLongestMatch> Multipliers() {
  std::array<uint32_t, kBloomLongestMatch> powers{};
  uint32_t power = 1;
  for (uint32_t& p : powers) {
    p = power;
    power *= kBloomProbeMultiplier;
  }
  return powers;
}

}  // namespace

ASHLAR_AVX512 uint64_t BloomLinesMatchAvx512(const char* const* lines,
                                             const uint64_t* hashes, size_t n,
                                             int probes) {
  static constexpr auto kMultipliers = Multipliers();
  const __m512i multipliers = _mm512_loadu_si512(kMultipliers.data());
  const __m512i one = _mm512_set1_epi32(1);
  const auto used = static_cast<__mmask16>((1u << probes) - 1);
  uint64_t answers = 0;
  for (size_t i = 0; i < n; ++i) {
    const __m512i x = _mm512_set1_epi32(static_cast<int>(hashes[i] >> 32));
    const __m512i values = _mm512_mullo_epi32(x, multipliers);
    // The 9 bits of a probe: 4 choose a word of the line, and 5 a bit of that
    // word. Masked forms, since GCC 12 warns of the plain ones; the code is
    // one.
    const __m512i words = _mm512_maskz_srli_epi32(kAllWords, values, 28);
    const __m512i bits = _mm512_maskz_srli_epi32(
        kAllWords, _mm512_maskz_slli_epi32(kAllWords, values, 4), 32 - 5);
    const __m512i found = _mm512_maskz_permutexvar_epi32(
        kAllWords, words, _mm512_loadu_si512(lines[i]));
    const __m512i wanted = _mm512_maskz_sllv_epi32(kAllWords, one, bits);
    const __mmask16 missing = _mm512_mask_testn_epi32_mask(used, found, wanted);
    answers |= uint64_t{missing == 0} << i;
  }
  return answers;
}

}  // namespace ashlar::internal

#endif  // defined(__x86_64__)
