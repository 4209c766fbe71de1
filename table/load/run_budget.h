// RunBudget: how much of a run of blocks may be decoded ahead of a walk.
//
// All runs of a walk share one count of bytes, as they are in memory. A thread
// that decodes a run asks before each block. So the walk holds at most the
// budget, and one block more per thread, whatever blocks are decompressed to.
//
// The thread that has the run calls MayGoOn. The run's owner before and after
// that calls Begin and End. Stop may be called at any time, by the walk.
#ifndef ASHLAR_TABLE_LOAD_RUN_BUDGET_H_
#define ASHLAR_TABLE_LOAD_RUN_BUDGET_H_

#include <cstdint>

#include "util/sync/atomic.h"

namespace ashlar::internal {

// Shared by all runs of a walk.
struct AheadBytes {
  explicit AheadBytes(uint64_t most_in) : most(most_in) {}

  const uint64_t most;
  RelaxedAtomic<uint64_t> held{0};
};

class RunBudget {
 public:
  void Begin(AheadBytes* shared) {
    shared_ = shared;
    bytes_ = 0;
    ran_out_ = false;
    stopped_.Store(false);
  }
  // Asks the thread that decodes the run to stop before its next block.
  void Stop() { stopped_.Store(true); }
  // Takes note that the run has so many bytes by now. Returns whether another
  // block may be decoded.
  bool MayGoOn(uint64_t bytes) {
    Note(bytes);
    const bool is_left = shared_->held.Load() <= shared_->most;
    ran_out_ = ran_out_ || !is_left;
    return is_left && !stopped_.Load();
  }
  // Returns whether there was no budget for a block of the run.
  bool ran_out() const { return ran_out_; }
  void Note(uint64_t bytes) {
    shared_->held.FetchAdd(bytes - bytes_);
    bytes_ = bytes;
  }
  void End() { Note(0); }

 private:
  AheadBytes* shared_ = nullptr;
  uint64_t bytes_ = 0;  // of this run
  bool ran_out_ = false;
  RelaxedAtomic<bool> stopped_{false};
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_RUN_BUDGET_H_
