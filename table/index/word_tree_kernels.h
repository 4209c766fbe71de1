// The searches of a WordRun, compiled for several processors.
//
// Used by word_tree.cc; tests compare them with each other. Pure: thread-safe.
#ifndef ASHLAR_TABLE_INDEX_WORD_TREE_KERNELS_H_
#define ASHLAR_TABLE_INDEX_WORD_TREE_KERNELS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "table/index/word_tree.h"

namespace ashlar::internal {

// Require: there are inner nodes.
//
// An inner node always has an entry that is not smaller than any word, so no
// count is that of all its words.
struct WordTreeKernels {
  // The two halves of one search. The first returns the number of the leaf, and
  // prefetches it; the second returns the place in the leaf.
  size_t (*find_leaf)(const WordLevels& levels, int64_t word);
  size_t (*find_in_leaf)(const int64_t* leaf, int64_t word);
  // Searches for n words at once. Requires: n <= WordRun::kBatch.
  void (*lower_bounds)(const WordLevels& levels, const int64_t* words, size_t n,
                       uint32_t* places);
};

// `Count::In<kWidth>(node, word)` returns how many of the node's words are
// smaller.
template <typename Count>
[[gnu::always_inline]] inline size_t SearchLeaf(const WordLevels& levels,
                                                int64_t word) {
  constexpr size_t kWidth = WordRun::kWidth;
  size_t node = 0;
  for (size_t i = 0; i < levels.num_inner; ++i) {
    const int64_t* const words = levels.inner[i] + node * kWidth;
    node = node * kWidth + Count::template In<kWidth>(words, word);
  }
  __builtin_prefetch(levels.leaves + node * WordRun::kLeafWidth);
  return node;
}

template <typename Count>
[[gnu::always_inline]] inline size_t SearchInLeaf(const int64_t* leaf,
                                                  int64_t word) {
  return Count::template In<WordRun::kLeafWidth>(leaf, word);
}

// All searches go down together, level by level.
template <typename Count>
[[gnu::always_inline]] inline void SearchWordsTogether(const WordLevels& levels,
                                                       const int64_t* words,
                                                       size_t n,
                                                       uint32_t* places) {
  constexpr size_t kWidth = WordRun::kWidth;
  constexpr size_t kLineWords = 64 / sizeof(int64_t);
  for (size_t k = 0; k < n; ++k) places[k] = 0;
  for (size_t i = 0; i < levels.num_inner; ++i) {
    const bool above_leaves = i + 1 == levels.num_inner;
    for (size_t k = 0; k < n; ++k) {
      const int64_t* const node = levels.inner[i] + places[k] * kWidth;
      const size_t next =
          places[k] * kWidth + Count::template In<kWidth>(node, words[k]);
      places[k] = static_cast<uint32_t>(next);
      if (above_leaves) {
        __builtin_prefetch(levels.leaves + next * WordRun::kLeafWidth);
        continue;
      }
      const int64_t* const words_of_next = levels.inner[i + 1] + next * kWidth;
      __builtin_prefetch(words_of_next);
      __builtin_prefetch(words_of_next + kLineWords);
    }
  }
  for (size_t k = 0; k < n; ++k) {
    const size_t leaf = places[k];
    places[k] = static_cast<uint32_t>(
        leaf * WordRun::kLeafWidth +
        SearchInLeaf<Count>(levels.leaves + leaf * WordRun::kLeafWidth,
                            words[k]));
  }
}

extern const WordTreeKernels kPortableWordTreeKernels;
#if defined(__x86_64__)
// Requires: CpuFeatures::avx2.
extern const WordTreeKernels kAvx2WordTreeKernels;
#elif defined(__aarch64__)
extern const WordTreeKernels kNeonWordTreeKernels;
#endif
const WordTreeKernels& ThisCpusWordTreeKernels();

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_WORD_TREE_KERNELS_H_
