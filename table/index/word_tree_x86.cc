// The searches of a WordTree for processors with AVX2: the 16 words of a node
// in four comparisons.

#if defined(__x86_64__)

#include <cstring>

#include "table/index/word_tree_kernels.h"

#define ASHLAR_AVX2 __attribute__((target("avx2")))

namespace ashlar::internal {

namespace {

// In the compiler's own vectors: a function that names instructions could not
// be inlined into the searches, which are for all processors.
struct CountByVectors {
  [[gnu::always_inline]] size_t operator()(const int64_t* node,
                                           int64_t word) const {
    using Vector = int64_t __attribute__((vector_size(32)));
    constexpr size_t kLanes = sizeof(Vector) / sizeof(int64_t);
    const Vector all = {word, word, word, word};
    Vector smaller = {};  // -1 for each
#pragma GCC unroll 4
    for (size_t i = 0; i < WordTree::kWidth; i += kLanes) {
      Vector words;
      std::memcpy(&words, node + i, sizeof words);
      smaller += words < all;
    }
    return static_cast<size_t>(
        -(smaller[0] + smaller[1] + smaller[2] + smaller[3]));
  }
};

ASHLAR_AVX2 size_t FindLeaf(const WordLevels& levels, int64_t word) {
  return SearchLeaf(levels, word, CountByVectors());
}

ASHLAR_AVX2 size_t FindInLeaf(const WordLeaf& leaf, int64_t word) {
  return CountByVectors()(leaf.words.data(), word);
}

ASHLAR_AVX2 void LowerBounds(const WordLevels& levels, const int64_t* words,
                             size_t n, uint32_t* places) {
  SearchWordsTogether(levels, words, n, places, CountByVectors());
}

}  // namespace

const WordTreeKernels kAvx2WordTreeKernels = {FindLeaf, FindInLeaf,
                                              LowerBounds};

}  // namespace ashlar::internal

#endif  // defined(__x86_64__)
