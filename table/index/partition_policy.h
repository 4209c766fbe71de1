// PartitionPolicy: where partitions of an index, and of a filter, are cut.
//
// The rules are RocksDB's, so that equal input gives equal files; FORMAT.md,
// "Partitions". Any other cut would give a valid file too. It has two users,
// the two-level index and the partitioned filter, which do not know each other.
// Pure arithmetic: thread-safe.
#ifndef ASHLAR_TABLE_INDEX_PARTITION_POLICY_H_
#define ASHLAR_TABLE_INDEX_PARTITION_POLICY_H_

#include <cstdint>

#include "util/coding/coding.h"

namespace ashlar::internal {

// What an entry adds to an index partition, before it is encoded. Sizes in
// bytes.
struct IndexEntrySizes {
  uint64_t last_key = 0;  // of the data block's last internal key, whole
  uint64_t handle = 0;    // of the handle, encoded whole
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

  // Returns whether an index partition that has `size` bytes is to be closed
  // before the entry is added. Does not count shared prefixes, on purpose. A
  // handle that will be stored as a difference counts half.
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

  // Returns how many bytes a filter partition shall have at most.
  uint64_t filter_partition_bytes() const { return nearly_full_; }

 private:
  uint64_t size_;
  uint64_t nearly_full_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_PARTITION_POLICY_H_
