// SnapshotStripes: which versions of a key no snapshot tells apart.
//
// Snapshots S1 < S2 < ... < Sn divide sequence numbers into stripes. The stripe
// of q is the smallest Si with q <= Si; above Sn it is kMaxSequenceNumber. Of
// the versions of a key in one stripe, only the newest is ever read.
//
// Immutable: thread-safe.
#ifndef ASHLAR_TABLE_COMPACTION_SNAPSHOT_STRIPES_H_
#define ASHLAR_TABLE_COMPACTION_SNAPSHOT_STRIPES_H_

#include <algorithm>
#include <utility>
#include <vector>

#include "ashlar/table/internal_key.h"

namespace ashlar::internal {

class SnapshotStripes {
 public:
  // Snapshots may come in any order, and repeat.
  explicit SnapshotStripes(std::vector<SequenceNumber> snapshots)
      : snapshots_(std::move(snapshots)) {
    std::sort(snapshots_.begin(), snapshots_.end());
    snapshots_.erase(std::unique(snapshots_.begin(), snapshots_.end()),
                     snapshots_.end());
  }

  SequenceNumber Of(SequenceNumber q) const {
    if (snapshots_.empty() || q > snapshots_.back()) return kMaxSequenceNumber;
    return *std::lower_bound(snapshots_.begin(), snapshots_.end(), q);
  }
  // Returns the largest snapshot below q; 0 if there is none. The stripe of q
  // has the sequence numbers above it.
  SequenceNumber Below(SequenceNumber q) const {
    const auto at = std::lower_bound(snapshots_.begin(), snapshots_.end(), q);
    return at == snapshots_.begin() ? 0 : at[-1];
  }
  SequenceNumber earliest() const {
    return snapshots_.empty() ? kMaxSequenceNumber : snapshots_.front();
  }
  // The newest snapshot; 0 if there is none.
  SequenceNumber newest() const {
    return snapshots_.empty() ? 0 : snapshots_.back();
  }

 private:
  std::vector<SequenceNumber> snapshots_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_COMPACTION_SNAPSHOT_STRIPES_H_
