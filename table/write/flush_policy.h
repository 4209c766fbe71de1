// FlushPolicy: says when a data block is full.
//
// The builder asks it once per entry. The rule is RocksDB's, so that equal
// input gives equal blocks; FORMAT.md, "Block size". In addition it keeps
// blocks within what readers accept. Any other cut would give a valid file too.
// Pure arithmetic; one thread at a time.
#ifndef ASHLAR_TABLE_WRITE_FLUSH_POLICY_H_
#define ASHLAR_TABLE_WRITE_FLUSH_POLICY_H_

#include <cstdint>

#include "table/format/block_handle.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

class FlushPolicy {
 public:
  // aligned: blocks with their trailers shall fit into block_size bytes.
  FlushPolicy(uint64_t block_size, int deviation_percent, bool aligned = false)
      : block_size_(block_size),
        nearly_full_(NearlyFull(block_size, deviation_percent, aligned)),
        trailer_bytes_(aligned ? kBlockTrailerSize : 0) {}

  // Returns the policy of a table with a FlushBlockPolicy of the application.
  static FlushPolicy OfApplication() { return FlushPolicy(kLargestBlock, 0); }
  // OfApplication only: says whether to cut the block before the next entry.
  void Decide(bool cut) { block_size_ = cut ? 0 : kLargestBlock; }

  // Returns whether a block of `size` bytes is to be closed before an entry of
  // these sizes is added. Does not count shared prefixes, on purpose.
  // more_restart_bytes is what a restart point takes in addition to its offset.
  bool ShouldCut(uint64_t size, uint64_t key_size, uint64_t value_size,
                 bool restart_due, uint64_t more_restart_bytes = 0) const {
    if (size <= nearly_full_ && value_size < kHugeValue) [[likely]]
      return size >= block_size_;
    if (size >= block_size_) return true;
    constexpr uint64_t kHeaderGuess = 4;
    const uint64_t after =
        size + key_size + value_size +
        (restart_due ? sizeof(uint32_t) + more_restart_bytes : 0) +
        kHeaderGuess + VarintLength(key_size) + VarintLength(value_size) +
        trailer_bytes_;
    return after > (size <= nearly_full_ ? kMostAfter : block_size_);
  }

 private:
  static constexpr uint64_t kLargestBlock = uint64_t{1} << 28;
  // What readers accept, less what the sum leaves out.
  static constexpr uint64_t kMostAfter = kMostReadableBlockBytes - 1024;
  // No smaller value makes a block larger than that: the block before it is
  // smaller than kLargestBlock, and a key has about 2^26 bytes at most.
  static constexpr uint64_t kHugeValue = uint64_t{1} << 29;

  static uint64_t NearlyFull(uint64_t block_size, int deviation_percent,
                             bool aligned) {
    // 100 turns the deviation off: only the block's own size counts.
    if (deviation_percent == 100) return block_size;
    if (aligned) return 0;
    const auto share = 100 - static_cast<uint64_t>(deviation_percent);
    return (block_size * share + 99) / 100;
  }

  uint64_t block_size_;
  uint64_t nearly_full_;
  uint64_t trailer_bytes_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_FLUSH_POLICY_H_
