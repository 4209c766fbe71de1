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

// Requires: `word` is not larger than the last word of the tree. So on every
// level it is not larger than the last word of the node that the search comes
// to, and no count is that of all words of a node.
struct WordTreeKernels {
  // The two halves of one search. The first returns the number of the leaf, and
  // prefetches it; the second returns the place in the leaf.
  size_t (*find_leaf)(const WordLevels& levels, int64_t word);
  size_t (*find_in_leaf)(const WordLeaf& leaf, int64_t word);
  // Searches for n words at once. Requires: n <= WordTree::kBatch.
  void (*lower_bounds)(const WordLevels& levels, const int64_t* words, size_t n,
                       uint32_t* places);
};

inline void FetchLeaf(const WordLeaf& leaf) {
  constexpr size_t kLine = 64;
  const auto* const bytes = reinterpret_cast<const char*>(&leaf);
  for (size_t i = 0; i < sizeof leaf; i += kLine) __builtin_prefetch(bytes + i);
}

// `Count::In<kWidth>(node, word)` returns how many of the node's words are
// smaller.
template <typename Count>
[[gnu::always_inline]] inline size_t SearchLeaf(const WordLevels& levels,
                                                int64_t word) {
  constexpr size_t kWidth = WordTree::kWidth;
  size_t node = 0;
  for (size_t i = 0; i < levels.num_inner; ++i) {
    const int64_t* const words = levels.inner[i] + node * kWidth;
    node = node * kWidth + Count::template In<kWidth>(words, word);
  }
  // The whole leaf: its slot hints will be asked for too.
  FetchLeaf(levels.leaves[node]);
  return node;
}

template <typename Count>
[[gnu::always_inline]] inline size_t SearchInLeaf(const WordLeaf& leaf,
                                                  int64_t word) {
  return Count::template In<WordLeaf::kWidth>(leaf.words.data(), word);
}

// All searches go down together, level by level.
template <typename Count>
[[gnu::always_inline]] inline void SearchWordsTogether(const WordLevels& levels,
                                                       const int64_t* words,
                                                       size_t n,
                                                       uint32_t* places) {
  constexpr size_t kWidth = WordTree::kWidth;
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
        FetchLeaf(levels.leaves[next]);
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
        leaf * WordLeaf::kWidth +
        SearchInLeaf<Count>(levels.leaves[leaf], words[k]));
  }
}

extern const WordTreeKernels kPortableWordTreeKernels;
#if defined(__x86_64__)
// Requires: CpuFeatures::avx2.
extern const WordTreeKernels kAvx2WordTreeKernels;
#endif
const WordTreeKernels& ThisCpusWordTreeKernels();

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_WORD_TREE_KERNELS_H_
