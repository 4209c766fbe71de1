// Paused: the status of a compaction that was cancelled.
#ifndef ASHLAR_TABLE_COMPACTION_PAUSED_H_
#define ASHLAR_TABLE_COMPACTION_PAUSED_H_

#include "ashlar/util/status.h"

namespace ashlar::internal {

// RocksDB's code and words.
inline Status Paused() {
  return Status::Incomplete("manual compaction paused");
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_COMPACTION_PAUSED_H_
