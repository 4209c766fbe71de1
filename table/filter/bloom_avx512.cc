// Sets all probes of a key in its Bloom filter line by one store, for
// processors with AVX-512 of the generation that also has VPOPCNTDQ: earlier
// ones lower their clock for registers of this width.
//
// Data flow, eight hashes at a time: their lines are prefetched, and the bit
// numbers of their probes put into an array. Then the eight hashes before them
// are set, whose lines have arrived meanwhile. A bit number is broadcast from
// memory to all 16 words of a register; shifting the top bit right by (32 *
// word + 31 - bit) leaves it where it belongs in the one word that has it, and
// shifts it out in all others, since counts beyond 31 (negative ones too) give
// zero.

#if defined(__x86_64__)

#include <immintrin.h>

#include <array>
#include <cstring>
#include <utility>

#include "table/filter/bloom.h"

#define ASHLAR_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq")))

namespace ashlar::internal {

namespace {

constexpr size_t kGroup = 8;
constexpr __mmask16 kAllWords = 0xFFFF;

// What the next lines need, kept while they are on their way.
struct Group {
  alignas(64) uint32_t bits[kGroup][kBloomVectorProbes];
  char* lines[kGroup];
};

consteval std::array<uint32_t, kBloomVectorProbes> Multipliers() {
  std::array<uint32_t, kBloomVectorProbes> powers{};
  uint32_t power = 1;
  for (uint32_t& p : powers) {
    p = power;
    power *= kBloomProbeMultiplier;
  }
  return powers;
}

consteval std::array<uint32_t, 16> LastBits() {
  std::array<uint32_t, 16> last{};
  for (uint32_t word = 0; word < last.size(); ++word)
    last[word] = word * 32 + 31;
  return last;
}

ASHLAR_AVX512 inline void Prepare(const uint64_t* hashes, uint32_t num_lines,
                                  char* lines, Group* group) {
  static constexpr auto kMultipliers = Multipliers();
  const __m256i multipliers =
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kMultipliers.data()));
  for (size_t i = 0; i < kGroup; ++i) {
    group->lines[i] = lines + BloomLineOf(hashes[i], num_lines);
    __builtin_prefetch(group->lines[i], 1);
    const __m256i x = _mm256_set1_epi32(static_cast<int>(hashes[i] >> 32));
    _mm256_store_si256(
        reinterpret_cast<__m256i*>(group->bits[i]),
        _mm256_srli_epi32(_mm256_mullo_epi32(x, multipliers), kBloomBitShift));
  }
}

template <size_t... kProbe>
ASHLAR_AVX512 inline void SetLine(char* line, const uint32_t* bits,
                                  std::index_sequence<kProbe...>) {
  static constexpr auto kLastBits = LastBits();
  const __m512i last_bits = _mm512_loadu_si512(kLastBits.data());
  const __m512i top_bit = _mm512_set1_epi32(INT32_MIN);
  __m512i words = _mm512_loadu_si512(line);
  const auto add = [&](uint32_t bit) ASHLAR_AVX512 {
    const __m512i shifts =
        _mm512_sub_epi32(last_bits, _mm512_set1_epi32(static_cast<int>(bit)));
    // The masked form, since GCC 12 warns of the plain one; the code is one.
    words = _mm512_or_si512(
        words, _mm512_maskz_srlv_epi32(kAllWords, top_bit, shifts));
  };
  (add(bits[kProbe]), ...);
  _mm512_storeu_si512(line, words);
}

template <size_t kProbes>
ASHLAR_AVX512 void SetAll(const uint64_t* hashes, size_t n, uint32_t num_lines,
                          char* lines) {
  constexpr auto kProbe = std::make_index_sequence<kProbes>();
  Group groups[2];
  const size_t whole = n / kGroup;
  for (size_t g = 0; g <= whole; ++g) {
    if (g < whole) {
      Prepare(hashes + g * kGroup, num_lines, lines, &groups[g % 2]);
    }
    if (g == 0) continue;
    const Group& arrived = groups[(g - 1) % 2];
    for (size_t i = 0; i < kGroup; ++i) {
      SetLine(arrived.lines[i], arrived.bits[i], kProbe);
    }
  }
  SetBloomLinesPortable(hashes + whole * kGroup, n % kGroup, num_lines, lines,
                        kProbes);
}

// The functions, from one probe on.
constexpr auto kSetAll = []<size_t... kMore>(std::index_sequence<kMore...>) {
  return std::array<decltype(&SetAll<1>), sizeof...(kMore)>{
      &SetAll<kMore + 1>...};
}(std::make_index_sequence<kBloomVectorProbes>());

}  // namespace

void SetBloomLinesAvx512(const uint64_t* hashes, size_t n, uint32_t num_lines,
                         char* lines, int probes) {
  kSetAll[static_cast<size_t>(probes) - 1](hashes, n, num_lines, lines);
}

}  // namespace ashlar::internal

#endif  // defined(__x86_64__)
