// WordTree: finds a key's place among the separators of an index.
//
// Data flow. Separators are held as words: the eight bytes after what all of
// them have in common, big-endian, so that integers compare as bytes do. The
// last level holds all words, in leaves of 8, two cache lines each. Every level
// above has, for each node of the level below, the last word in it, 16 to a
// node. A search counts, level by level, how many of a node's words are
// smaller. No branch depends on the key, and each level is one wait for memory.
//
// A word is less than the key: the caller tells keys with equal words apart.
//
// Beside its words a leaf keeps slot hints, of where the cache has the blocks:
// they are in the cache lines that the search has just fetched. They are
// relaxed, since a hint is never believed: the key in the slot is compared, and
// an address is only prefetched.
//
// Built once; then any number of threads may use it.
#ifndef ASHLAR_TABLE_INDEX_WORD_TREE_H_
#define ASHLAR_TABLE_INDEX_WORD_TREE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "ashlar/util/slice.h"
#include "util/coding/coding.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

// A slot hint: where a reader found a block last. Both values may be wrong.
struct BlockHint {
  static constexpr uint32_t kNoSlot = std::numeric_limits<uint32_t>::max();

  uint32_t slot = kNoSlot;        // in the cache's table
  const char* address = nullptr;  // of the block; null: not known
};

// 8 words, and the slot hints of their blocks. Words are kept with their top
// bit inverted, for processors that can only compare signed numbers.
struct alignas(64) WordLeaf {
  static constexpr size_t kWidth = 8;

  std::array<int64_t, kWidth> words;
  std::array<RelaxedAtomic<uint32_t>, kWidth> slots;
  // Bits 6 to 37 of each block's address.
  std::array<RelaxedAtomic<uint32_t>, kWidth> lines;
};
static_assert(sizeof(WordLeaf) == 128);

// What the kernels (word_tree_kernels.h) search.
struct WordLevels {
  static constexpr size_t kMost = 8;  // 8 * 16^8 words

  const WordLeaf* leaves = nullptr;
  // The levels above the leaves, from the root down.
  std::array<const int64_t*, kMost> inner = {};
  size_t num_inner = 0;
};

struct WordTreeKernels;

class WordTree {
 public:
  static constexpr size_t kWidth = 16;  // of the nodes above the leaves
  static constexpr size_t kBatch = 32;

  // Returns eight bytes of a key from `at` on, as a big-endian integer. Bytes
  // after its end count as 0. Requires: at <= key.size().
  static uint64_t WordOf(const Slice& key, size_t at);

  // Builds the tree. To be called once. Requires: words ascend; equal ones may
  // follow each other.
  void Build(std::span<const uint64_t> words);
  void Build(std::span<const uint64_t> words, const WordTreeKernels& kernels);

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
  uint64_t word(size_t i) const {
    return Turn(leaves_[i / WordLeaf::kWidth].words[i % WordLeaf::kWidth]);
  }

  BlockHint hint(size_t i) const {
    const WordLeaf& leaf = leaves_[i / WordLeaf::kWidth];
    const uint64_t line = leaf.lines[i % WordLeaf::kWidth].Load();
    return {leaf.slots[i % WordLeaf::kWidth].Load(),
            line == 0 ? nullptr
                      : reinterpret_cast<const char*>(region_.Load() |
                                                      line << kLineBits)};
  }
  // Sets the slot hint of block i. Any thread may call it.
  void Note(size_t i, uint32_t slot, const void* address) const;

  uint64_t MemoryUsage() const;

 private:
  static constexpr int kLineBits = 6;
  static constexpr int kRegionBits = 32 + kLineBits;

  static int64_t Turn(uint64_t word) {
    return static_cast<int64_t>(word ^ uint64_t{1} << 63);
  }
  static uint64_t Turn(int64_t word) {
    return static_cast<uint64_t>(word) ^ uint64_t { 1 } << 63;
  }

  struct alignas(64) Node {
    std::array<int64_t, kWidth> words;
  };

  const WordTreeKernels* kernels_ = nullptr;
  size_t size_ = 0;
  uint64_t last_ = 0;
  WordLevels levels_;
  std::vector<std::unique_ptr<Node[]>> inner_;
  size_t inner_bytes_ = 0;
  std::unique_ptr<WordLeaf[]> leaves_;
  // The upper bits of addresses.
  mutable RelaxedAtomic<uint64_t> region_{0};
};

inline uint64_t WordTree::WordOf(const Slice& key, size_t at) {
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
