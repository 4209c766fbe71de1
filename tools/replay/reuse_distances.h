// ReuseDistances: how many bytes of blocks are used between two uses of a
// block, and what follows for caches of every size.
//
// The distance of an access is the size of all different blocks that were used
// since the last use of its block, and of the block itself. An LRU cache with
// one list has the block exactly if its capacity is not below the distance. So
// the distances of one pass give the misses of LRU caches of all sizes. For one
// thread at a time.
#ifndef ASHLAR_TOOLS_REPLAY_REUSE_DISTANCES_H_
#define ASHLAR_TOOLS_REPLAY_REUSE_DISTANCES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ashlar::sim {

// Finds distances. Takes O(log n) for an access, for n blocks.
class ReuseDistances {
 public:
  // Returns the distance since the last use of this block, or nothing if there
  // was none. The block is now used, and has this size.
  std::optional<uint64_t> Use(uint32_t block, uint64_t bytes);
  // Does the same, but this is not a use.
  [[nodiscard]] std::optional<uint64_t> Look(uint32_t block,
                                             uint64_t bytes) const;

 private:
  static constexpr uint32_t kNever = UINT32_MAX;
  struct Block {
    uint32_t place = kNever;
    uint64_t bytes = 0;
  };

  void Add(uint32_t place, uint64_t bytes);
  [[nodiscard]] uint64_t SumTo(uint32_t place) const;
  void MakeRoom();

  std::vector<Block> blocks_;
  // Places are given in the order of uses. Each block counts at the place of
  // its last use.
  std::vector<uint32_t> block_at_;  // kNever: its block was used again
  std::vector<uint64_t> sums_;      // a binary indexed tree over the places
  uint32_t used_blocks_ = 0;
  uint64_t all_bytes_ = 0;
};

// Distances in bins that get wider: four for each power of two above 16, each
// 1.19 times as wide as the one before.
class ReuseHistogram {
 public:
  static constexpr size_t kBins = 4 * (64 - 4) + 1;
  // Returns the largest distance that is in this bin.
  static uint64_t LimitOf(size_t bin);
  static size_t BinOf(uint64_t distance);

  // Adds an access of a kind, which is below `kinds`.
  explicit ReuseHistogram(size_t kinds)
      : kinds_(kinds), counts_(kinds * kBins), first_(kinds) {}
  void Add(size_t kind, std::optional<uint64_t> distance) {
    ++(distance ? counts_[BinOf(*distance) * kinds_ + kind] : first_[kind]);
  }

  [[nodiscard]] uint64_t CountOf(size_t bin, size_t kind) const {
    return counts_[bin * kinds_ + kind];
  }
  // Returns the number in a bin, of all kinds.
  [[nodiscard]] uint64_t CountIn(size_t bin) const;
  // Returns the number of accesses to a block that had not been used before.
  [[nodiscard]] uint64_t first_uses() const;
  [[nodiscard]] uint64_t accesses() const;
  // Return the first bin and the bin after the last one that are not empty, or
  // 0 twice.
  [[nodiscard]] size_t begin_bin() const;
  [[nodiscard]] size_t end_bin() const;

 private:
  size_t kinds_;
  std::vector<uint64_t> counts_;
  std::vector<uint64_t> first_;
};

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_REPLAY_REUSE_DISTANCES_H_
