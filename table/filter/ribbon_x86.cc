// The hot loops of Ribbon filters for processors with AVX2, and with AVX-512.
//
// Match: eight columns at a time, without a branch that depends on the key. A
// register holds two columns; words are added (XOR) until each column is one
// of 32 bits, the bits of that are added up into the topmost one, and the top
// bits are taken out.
//
// Solve: eight columns at a time, one in each lane. VPOPCNTDQ counts the bits
// of each.

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "table/filter/ribbon_kernels.h"

#define ASHLAR_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define ASHLAR_AVX512                                          \
  __attribute__((                                              \
      target("avx2,bmi,bmi2,popcnt,avx512f,avx512vl,avx512dq," \
             "avx512vpopcntdq")))

namespace ashlar::internal {

namespace {

constexpr uint32_t kGroup = 8;  // columns
constexpr size_t kSegmentBytes = 16;

ASHLAR_AVX2 inline __m128i Load(const char* segment) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(segment));
}

// Columns i and i + 4 of both blocks, with the coefficients.
ASHLAR_AVX2 inline __m256i TwoColumns(const char* first, const char* second,
                                      uint32_t i, __m256i lower,
                                      __m256i upper) {
  constexpr size_t kOther = kGroup / 2 * kSegmentBytes;
  first += i * kSegmentBytes;
  second += i * kSegmentBytes;
  const __m256i a = _mm256_inserti128_si256(_mm256_castsi128_si256(Load(first)),
                                            Load(first + kOther), 1);
  const __m256i b = _mm256_inserti128_si256(
      _mm256_castsi128_si256(Load(second)), Load(second + kOther), 1);
  return _mm256_xor_si256(_mm256_and_si256(a, lower),
                          _mm256_and_si256(b, upper));
}

// Adds the 64-bit halves of a and b: one column per word.
ASHLAR_AVX2 inline __m256i AddHalves(__m256i a, __m256i b) {
  return _mm256_xor_si256(_mm256_unpacklo_epi64(a, b),
                          _mm256_unpackhi_epi64(a, b));
}

// Returns the parities of eight columns.
ASHLAR_AVX2 inline uint32_t Parities(const char* first, const char* second,
                                     __m256i lower, __m256i upper) {
  const __m256i w0 = AddHalves(TwoColumns(first, second, 0, lower, upper),
                               TwoColumns(first, second, 1, lower, upper));
  const __m256i w1 = AddHalves(TwoColumns(first, second, 2, lower, upper),
                               TwoColumns(first, second, 3, lower, upper));
  const __m256 f0 = _mm256_castsi256_ps(w0);
  const __m256 f1 = _mm256_castsi256_ps(w1);
  __m256i x =
      _mm256_xor_si256(_mm256_castps_si256(_mm256_shuffle_ps(f0, f1, 0x88)),
                       _mm256_castps_si256(_mm256_shuffle_ps(f0, f1, 0xdd)));
  x = _mm256_xor_si256(x, _mm256_slli_epi32(x, 16));
  x = _mm256_xor_si256(x, _mm256_slli_epi32(x, 8));
  x = _mm256_xor_si256(x, _mm256_slli_epi32(x, 4));
  x = _mm256_xor_si256(x, _mm256_slli_epi32(x, 2));
  x = _mm256_xor_si256(x, _mm256_slli_epi32(x, 1));
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(x)));
}

ASHLAR_AVX2 inline __m256i Twice(Uint128 x) {
  return _mm256_broadcastsi128_si256(
      _mm_set_epi64x(static_cast<int64_t>(static_cast<uint64_t>(x >> 64)),
                     static_cast<int64_t>(static_cast<uint64_t>(x))));
}

ASHLAR_AVX2 inline bool MatchesAvx2(const RibbonQuestion& q) {
  const char* const second =
      q.upper != 0 ? q.first + q.columns * kSegmentBytes : q.first;
  // All groups are read whole.
  const uint32_t rounded = (q.columns + kGroup - 1) / kGroup * kGroup;
  if (static_cast<size_t>(q.end - second) < rounded * kSegmentBytes) {
    return RibbonMatches(q);
  }
  const __m256i lower = Twice(q.lower);
  const __m256i upper = Twice(q.upper);
  for (uint32_t column = 0; column < q.columns; column += kGroup) {
    const uint32_t parities =
        Parities(q.first + column * kSegmentBytes,
                 second + column * kSegmentBytes, lower, upper);
    const uint32_t used = ~0u >> (32 - std::min(q.columns - column, kGroup));
    if (((parities ^ (q.result >> column)) & used) != 0) return false;
  }
  return true;
}

ASHLAR_AVX2 uint64_t MatchAvx2(const RibbonQuestion* questions, size_t n) {
  uint64_t answers = 0;
  for (size_t i = 0; i < n; ++i) {
    answers |= uint64_t{MatchesAvx2(questions[i])} << i;
  }
  return answers;
}

ASHLAR_AVX2 bool InsertAvx2(std::span<const uint64_t> hashes,
                            uint64_t num_starts, RibbonBand* band, uint64_t end,
                            std::vector<RibbonBand::Equation>* aside) {
  return InsertRibbonRows(hashes, num_starts, band, end, aside);
}

ASHLAR_AVX2 void SolveAvx2(const RibbonBand& band, const RibbonShape& shape,
                           char* segments) {
  SolveRibbonByColumn(band, shape, segments);
}

// The latest 128 bits of eight columns, one per lane.
struct EightColumns {
  __m512i low;
  __m512i high;
};

// GCC 12 takes the intrinsics for this to use something uninitialised.
ASHLAR_AVX512 inline __m512i ShiftRight(__m512i x, __m512i bits) {
  return reinterpret_cast<__m512i>(reinterpret_cast<__v8du>(x) >>
                                   reinterpret_cast<__v8du>(bits));
}

// `shifts` has the numbers of the columns.
ASHLAR_AVX512 inline void Step(uint64_t c_low, uint64_t c_high, uint64_t result,
                               __m512i shifts, EightColumns* s) {
  const __m512i carry = ShiftRight(s->low, _mm512_set1_epi64(63));
  s->high = _mm512_or_si512(_mm512_add_epi64(s->high, s->high), carry);
  const __m512i low = _mm512_add_epi64(s->low, s->low);
  const __m512i sum = _mm512_xor_si512(
      _mm512_and_si512(low, _mm512_set1_epi64(static_cast<int64_t>(c_low))),
      _mm512_and_si512(s->high,
                       _mm512_set1_epi64(static_cast<int64_t>(c_high))));
  const __m512i wanted =
      ShiftRight(_mm512_set1_epi64(static_cast<int64_t>(result)), shifts);
  const __m512i bit = _mm512_and_si512(
      _mm512_xor_si512(_mm512_popcnt_epi64(sum), wanted), _mm512_set1_epi64(1));
  s->low = _mm512_or_si512(low, bit);
}

ASHLAR_AVX512 inline void StoreColumns(const EightColumns& s, uint32_t n,
                                       char* out) {
  alignas(64) uint64_t low[kGroup];
  alignas(64) uint64_t high[kGroup];
  _mm512_store_si512(low, s.low);
  _mm512_store_si512(high, s.high);
  for (uint32_t i = 0; i < n; ++i) {
    std::memcpy(out + i * kSegmentBytes, &low[i], sizeof low[i]);
    std::memcpy(out + i * kSegmentBytes + 8, &high[i], sizeof high[i]);
  }
}

ASHLAR_AVX512 void SolveAvx512(const RibbonBand& band, const RibbonShape& shape,
                               char* segments) {
  // One group after the other: mostly there is only one.
  for (uint32_t group = 0; group < shape.upper_columns; group += kGroup) {
    const auto g = static_cast<int64_t>(group);
    const __m512i shifts =
        _mm512_setr_epi64(g, g + 1, g + 2, g + 3, g + 4, g + 5, g + 6, g + 7);
    EightColumns s = {_mm512_setzero_si512(), _mm512_setzero_si512()};
    for (uint32_t block = shape.num_blocks; block-- > 0;) {
      for (uint64_t slot = (uint64_t{block} + 1) * kRibbonWidth;
           slot-- > uint64_t{block} * kRibbonWidth;) {
        const Uint128 c = band.coefficients()[slot];
        Step(static_cast<uint64_t>(c), static_cast<uint64_t>(c >> 64),
             band.results()[slot], shifts, &s);
      }
      const uint32_t columns = shape.Columns(block);
      if (columns <= group) continue;
      StoreColumns(
          s, std::min(columns - group, kGroup),
          segments + (shape.FirstSegment(block) + group) * kSegmentBytes);
    }
  }
}

}  // namespace

const RibbonKernels kAvx2RibbonKernels = {InsertAvx2, SolveAvx2, MatchAvx2};
const RibbonKernels kAvx512RibbonKernels = {InsertAvx2, SolveAvx512, MatchAvx2};

}  // namespace ashlar::internal

#endif  // defined(__x86_64__)
