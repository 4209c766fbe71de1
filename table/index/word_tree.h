// WordRun: finds a word's place among ascending words.
//
// An index keeps separators as words: eight bytes of each, big-endian, so that
// integers compare as bytes do (packed_separators.h). The last level holds all
// words, in leaves of 8, one cache line each. Every level above has, for each
// node of the level below, the last word in it, 16 to a node. A search counts,
// level by level, how many of a node's words are smaller. No branch depends on
// the key, and each level is one wait for memory.
//
//   inner nodes   128 B each: the root, then the level below it, and so on
//   leaves        64 B each
//
// Up to 8 leaves have no inner nodes: a search looks at the last word of each
// leaf. These loads do not wait for each other.
//
// The last leaf is filled up with the largest word. In every inner node the
// entry of the last child is the largest word too, instead of the last word in
// that child. So a search for any word stays within the nodes, and the place of
// a word that is larger than all others is the number of words.
//
// A word is less than the key: the caller tells keys with equal words apart.
//
// A view of memory that the caller keeps. The words do not change: any number
// of threads may search.
#ifndef ASHLAR_TABLE_INDEX_WORD_TREE_H_
#define ASHLAR_TABLE_INDEX_WORD_TREE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "ashlar/util/slice.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

// What the kernels (word_tree_kernels.h) search. Words have their top bit
// inverted, for processors that can only compare signed numbers.
struct WordLevels {
  static constexpr size_t kMost = 8;  // 8 * 16^8 words

  const int64_t* leaves = nullptr;
  // The levels above the leaves, from the root down.
  std::array<const int64_t*, kMost> inner;
  size_t num_inner = 0;
};

struct WordTreeKernels;

class WordRun {
 public:
  static constexpr size_t kLeafWidth = 8;
  static constexpr size_t kWidth = 16;  // of the nodes above the leaves
  static constexpr size_t kBatch = 32;
  // As many leaves have no inner nodes.
  static constexpr size_t kMostBareLeaves = 8;
  static constexpr int64_t kPadding = std::numeric_limits<int64_t>::max();

  // Returns eight bytes of a key from `at` on, as a big-endian integer. Bytes
  // after its end count as 0. Requires: at <= key.size().
  static uint64_t WordOf(const Slice& key, size_t at);
  static size_t NumLeaves(size_t words) {
    return (words + kLeafWidth - 1) / kLeafWidth;
  }
  // Returns the number of nodes above the leaves.
  static size_t NumInner(size_t words);
  static int64_t Turn(uint64_t word) {
    return static_cast<int64_t>(word ^ uint64_t{1} << 63);
  }
  static uint64_t Turn(int64_t word) {
    return static_cast<uint64_t>(word) ^ uint64_t { 1 } << 63;
  }
  // Fills up the last leaf, and writes the inner nodes over the leaves.
  // Requires: words ascend, equal ones may follow each other; there is room for
  // NumInner(words) nodes.
  static void Complete(int64_t* leaves, size_t words, int64_t* inner);

  WordRun() = default;  // may only be assigned to
  WordRun(const WordTreeKernels* kernels, const int64_t* inner,
          const int64_t* leaves, size_t words);

  size_t size() const { return size_; }
  // Returns the first word that is not smaller; size() if there is none.
  size_t LowerBound(uint64_t word) const {
    return FindInLeaf(FindLeaf(word), word);
  }
  // The same in two steps. The first prefetches the leaf, and does not wait for
  // it.
  size_t FindLeaf(uint64_t word) const;
  size_t FindInLeaf(size_t leaf, uint64_t word) const;
  // The same for up to kBatch words at once, whose waits for memory overlap.
  void LowerBounds(std::span<const uint64_t> words, uint32_t* places) const;
  uint64_t word(size_t i) const { return Turn(levels_.leaves[i]); }

 private:
  size_t FindBareLeaf(int64_t word) const;

  const WordTreeKernels* kernels_ = nullptr;
  size_t size_ = 0;
  WordLevels levels_;
};

inline uint64_t WordRun::WordOf(const Slice& key, size_t at) {
  constexpr size_t kWord = sizeof(uint64_t);
  const size_t left = key.size() - at;
  if (left >= kWord) return LoadBigEndian64(key.data() + at);
  if (left == 0) return 0;
  if (key.size() >= kWord) {
    return LoadBigEndian64(key.end() - kWord) << (kWord - left) * 8;
  }
  uint64_t word = 0;
  for (size_t i = 0; i < kWord; ++i) {
    word = word << 8 | (i < left ? static_cast<uint8_t>(key[at + i]) : 0);
  }
  return word;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_WORD_TREE_H_
