// The searches of a WordTree, compiled for several processors.
//
// Used by word_tree.cc; tests compare them with each other. Pure: thread-safe.
#ifndef ASHLAR_TABLE_INDEX_WORD_TREE_KERNELS_H_
#define ASHLAR_TABLE_INDEX_WORD_TREE_KERNELS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "table/index/word_tree.h"

namespace ashlar::internal {

// `word` is not larger than the last one of the levels. So on every level it is
// not larger than the last one of the node that the search comes to, and no
// count is 16.
struct WordTreeKernels {
  size_t (*lower_bound)(const WordLevels& levels, int64_t word);
  // Up to WordTree::kBatch of them.
  void (*lower_bounds)(const WordLevels& levels, const int64_t* words, size_t n,
                       uint32_t* places);
};

// `count(node, word)`: how many of the node's 16 words are smaller.
template <typename Count>
[[gnu::always_inline]] inline size_t SearchWords(const WordLevels& levels,
                                                 int64_t word,
                                                 const Count& count) {
  constexpr size_t kWidth = WordTree::kWidth;
  size_t node = 0;
  for (size_t i = 0; i < levels.num_inner; ++i) {
    node = node * kWidth + count(levels.inner[i] + node * kWidth, word);
  }
  const WordLeaf& leaf = levels.leaves[node];
  // The hints will be asked for.
  __builtin_prefetch(leaf.slots.data());
  __builtin_prefetch(leaf.lines.data());
  return node * kWidth + count(leaf.words.data(), word);
}

// All searches go down level by level, side by side.
template <typename Count>
[[gnu::always_inline]] inline void SearchWordsTogether(const WordLevels& levels,
                                                       const int64_t* words,
                                                       size_t n,
                                                       uint32_t* places,
                                                       const Count& count) {
  constexpr size_t kWidth = WordTree::kWidth;
  constexpr size_t kLineWords = 64 / sizeof(int64_t);
  for (size_t k = 0; k < n; ++k) places[k] = 0;
  for (size_t i = 0; i < levels.num_inner; ++i) {
    const bool above_leaves = i + 1 == levels.num_inner;
    for (size_t k = 0; k < n; ++k) {
      const size_t node = places[k];
      const size_t next =
          node * kWidth + count(levels.inner[i] + node * kWidth, words[k]);
      places[k] = static_cast<uint32_t>(next);
      const auto* const line = above_leaves
                                   ? levels.leaves[next].words.data()
                                   : levels.inner[i + 1] + next * kWidth;
      for (size_t j = 0; j < (above_leaves ? 4 : 2); ++j) {
        __builtin_prefetch(line + j * kLineWords);
      }
    }
  }
  for (size_t k = 0; k < n; ++k) {
    const size_t node = places[k];
    places[k] = static_cast<uint32_t>(
        node * kWidth + count(levels.leaves[node].words.data(), words[k]));
  }
}

extern const WordTreeKernels kPortableWordTreeKernels;
#if defined(__x86_64__)
// Only where CpuFeatures::avx2.
extern const WordTreeKernels kAvx2WordTreeKernels;
#endif
const WordTreeKernels& ThisCpusWordTreeKernels();

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_WORD_TREE_KERNELS_H_
