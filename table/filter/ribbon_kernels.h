// The hot loops of Ribbon filters, compiled for several processors.
//
// Used by ribbon.cc; tests compare them with each other. They change only what
// they are given: thread-safe.
#ifndef ASHLAR_TABLE_FILTER_RIBBON_KERNELS_H_
#define ASHLAR_TABLE_FILTER_RIBBON_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "table/filter/ribbon_shape.h"
#include "table/filter/ribbon_solver.h"

namespace ashlar::internal {

// A key's equation, split over the two blocks of the solution that it touches.
struct RibbonQuestion {
  const char* first;  // first segment of the first block; the second's follow
  const char* end;    // the end of all segments
  Uint128 lower;      // coefficients in the first block
  Uint128 upper;      // and in the second; 0: there may be none
  uint32_t columns;   // of the first block, which count for both
  uint32_t result;
};

// Returns whether the solution satisfies the equation.
inline bool RibbonMatches(const RibbonQuestion& q) {
  const char* first = q.first;
  const char* second = first + q.columns * sizeof(Uint128);
  uint32_t result = q.result;
  for (uint32_t column = 0; column < q.columns; ++column, result >>= 1) {
    Uint128 segment;
    std::memcpy(&segment, first, sizeof segment);
    Uint128 sum = segment & q.lower;
    if (q.upper != 0) {
      std::memcpy(&segment, second, sizeof segment);
      sum ^= segment & q.upper;
    }
    const uint64_t folded =
        static_cast<uint64_t>(sum) ^ static_cast<uint64_t>(sum >> 64);
    if ((static_cast<uint32_t>(__builtin_parityll(folded)) ^ (result & 1)) !=
        0) {
      return false;
    }
    first += sizeof(Uint128);
    second += sizeof(Uint128);
  }
  return true;
}

struct RibbonKernels {
  // InsertRibbonRows and SolveRibbonByColumn.
  bool (*insert)(std::span<const uint64_t> hashes, uint64_t num_starts,
                 RibbonBand* band, uint64_t end,
                 std::vector<RibbonBand::Equation>* aside);
  void (*solve)(const RibbonBand& band, const RibbonShape& shape,
                char* segments);
  // Bit i: whether the solution satisfies question i. Requires: n <= 64.
  uint64_t (*match)(const RibbonQuestion* questions, size_t n);
};

// For any processor.
extern const RibbonKernels kPortableRibbonKernels;
#if defined(__x86_64__)
// Requires: AVX2, BMI2 and POPCNT.
extern const RibbonKernels kAvx2RibbonKernels;
// Requires: AVX-512 with VPOPCNTDQ.
extern const RibbonKernels kAvx512RibbonKernels;
#endif

// Returns the best ones that this processor can run.
const RibbonKernels& ThisCpusRibbonKernels();

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_RIBBON_KERNELS_H_
