// The searches of a WordRun for AArch64, whose processors all have NEON: two
// words of a node in a comparison.

#if defined(__aarch64__)

#include <arm_neon.h>

#include "table/index/word_tree_kernels.h"

namespace ashlar::internal {

namespace {

struct CountByNeon {
  template <size_t kWidth>
  [[gnu::always_inline]] static size_t In(const int64_t* node, int64_t word) {
    constexpr size_t kLanes = 2;
    const int64x2_t all = vdupq_n_s64(word);
    uint64x2_t smaller = vdupq_n_u64(0);
#pragma GCC unroll 8
    for (size_t i = 0; i < kWidth; i += kLanes) {
      // A comparison gives -1 in each lane where it holds.
      smaller = vsubq_u64(smaller, vcgtq_s64(all, vld1q_s64(node + i)));
    }
    return vaddvq_u64(smaller);
  }
};

}  // namespace

const WordTreeKernels kNeonWordTreeKernels = {SearchLeaf<CountByNeon>,
                                              SearchInLeaf<CountByNeon>,
                                              SearchWordsTogether<CountByNeon>};

}  // namespace ashlar::internal

#endif  // defined(__aarch64__)
