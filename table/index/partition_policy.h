// Where partitions of an index, and of a filter, are cut. Pure arithmetic.
//
// The rules are RocksDB's, so that equal input gives equal files; FORMAT.md,
// "Partitions". Any other cut would give a valid file too. Two users, the
// two-level index and the partitioned filter, which know nothing of each other.
#ifndef ASHLAR_TABLE_INDEX_PARTITION_POLICY_H_
#define ASHLAR_TABLE_INDEX_PARTITION_POLICY_H_

#include <cstdint>

#include "util/coding/coding.h"

namespace ashlar::internal {

// What an entry adds to an index partition, told before it is coded.
struct IndexEntrySizes {
  uint64_t last_key = 0;  // the data block's last internal key, whole
  uint64_t handle = 0;    // coded whole
  bool restart_due = false;
  bool delta_handles = false;
};

class PartitionPolicy {
 public:
  PartitionPolicy(uint64_t metadata_block_size, int deviation_percent)
      : size_(metadata_block_size),
        nearly_full_((metadata_block_size *
                          (100 - static_cast<uint64_t>(deviation_percent)) +
                      99) /
                     100) {}

  // Whether an index partition that has `size` bytes is to be closed before an
  // entry is added. Prefix sharing is left out of account on purpose; a handle
  // that will be told as a difference counts as half.
  bool ShouldCutIndex(uint64_t size, const IndexEntrySizes& entry) const {
    if (size >= size_) return true;
    if (nearly_full_ == 0 || size <= nearly_full_) return false;
    constexpr uint64_t kHeaderGuess = 4;
    uint64_t after =
        size + entry.last_key + kHeaderGuess + VarintLength(entry.last_key);
    if (entry.restart_due) after += sizeof(uint32_t);
    if (entry.delta_handles && !entry.restart_due) {
      after += entry.handle / 2;
    } else {
      after += entry.handle + VarintLength(entry.handle);
    }
    return after > size_;
  }

  // Bytes that a filter partition shall not exceed.
  uint64_t filter_partition_bytes() const { return nearly_full_; }

 private:
  uint64_t size_;
  uint64_t nearly_full_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_PARTITION_POLICY_H_
