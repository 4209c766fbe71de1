// The searches of a WordRun for processors with AVX2: four words of a
// node in a comparison.

#if defined(__x86_64__)

#include <cstring>

#include "table/index/word_tree_kernels.h"

#define ASHLAR_AVX2 __attribute__((target("avx2")))

namespace ashlar::internal {

namespace {

// Uses the compiler's own vectors: a function that names instructions could not
// be inlined into the searches, which are compiled for all processors.
struct CountByVectors {
  template <size_t kWidth>
  [[gnu::always_inline]] static size_t In(const int64_t* node, int64_t word) {
    using Vector = int64_t __attribute__((vector_size(32)));
    constexpr size_t kLanes = sizeof(Vector) / sizeof(int64_t);
    const Vector all = {word, word, word, word};
    Vector smaller = {};  // -1 for each
#pragma GCC unroll 4
    for (size_t i = 0; i < kWidth; i += kLanes) {
      Vector words;
      std::memcpy(&words, node + i, sizeof words);
      smaller += words < all;
    }
    return static_cast<size_t>(
        -(smaller[0] + smaller[1] + smaller[2] + smaller[3]));
  }
};

ASHLAR_AVX2 size_t FindLeaf(const WordLevels& levels, int64_t word) {
  return SearchLeaf<CountByVectors>(levels, word);
}

ASHLAR_AVX2 size_t FindInLeaf(const int64_t* leaf, int64_t word) {
  return SearchInLeaf<CountByVectors>(leaf, word);
}

ASHLAR_AVX2 void LowerBounds(const WordLevels& levels, const int64_t* words,
                             size_t n, uint32_t* places) {
  SearchWordsTogether<CountByVectors>(levels, words, n, places);
}

}  // namespace

const WordTreeKernels kAvx2WordTreeKernels = {FindLeaf, FindInLeaf,
                                              LowerBounds};

}  // namespace ashlar::internal

#endif  // defined(__x86_64__)
