// LoadsInFlight: the blocks that threads are loading for the block cache.
//
// So that a block which many threads miss at once is read and decompressed
// once. Part of the DataBlocks of a reader that has a cache, asked only after a
// miss: hits know nothing of it. Any number of threads. 1 KiB, whatever
// happens; never allocates.
//
// Protocol, for loads that go into the cache (others take no part):
//
//   1. Who misses a block claims it. If it was loaded not long ago, the cache
//      is asked again first: it may have come there since the miss.
//   2. Who has the claim reads the block, puts it into the cache, and ends the
//      claim, in this order; an error ends it as well.
//   3. Who finds another's claim waits for its end and asks the cache again.
//      If the block is not there (the load failed, the cache has no room, the
//      block is gone already), he loads it for himself, without a claim: an
//      error is thus always of the reader's own read, and nobody waits twice
//      for a block.
//
// A batch claims what it can of its blocks, reads all of those, puts them into
// the cache, ends all its claims, and only then waits for what others have
// claimed: nobody waits who has a claim, so batches that want each other's
// blocks get on, and one that wants a block twice does not wait for itself.
// The same holds for blocks whose claims meet in one place: the later one is
// loaded without a claim, perhaps by several threads.
#ifndef ASHLAR_TABLE_LOAD_LOADS_IN_FLIGHT_H_
#define ASHLAR_TABLE_LOAD_LOADS_IN_FLIGHT_H_

#include <cstdint>
#include <utility>

#include "util/sync/claims.h"

namespace ashlar::internal {

using LoadsInFlight = Claims;

// One claim of a thread, or none; ended at the latest by the destructor.
class LoadClaim {
 public:
  LoadClaim() = default;
  LoadClaim(const LoadClaim&) = delete;
  LoadClaim& operator=(const LoadClaim&) = delete;
  ~LoadClaim() { End(); }

  // Of the block at `offset`; this has none.
  LoadsInFlight::Turn Begin(LoadsInFlight* loads, uint64_t offset) {
    const LoadsInFlight::Turn turn = loads->Claim(offset);
    if (turn == LoadsInFlight::Turn::kMine ||
        turn == LoadsInFlight::Turn::kMineAgain) {
      loads_ = loads;
      offset_ = offset;
    }
    return turn;
  }
  void End() {
    if (loads_ != nullptr) std::exchange(loads_, nullptr)->Finish(offset_);
  }

 private:
  LoadsInFlight* loads_ = nullptr;
  uint64_t offset_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_LOADS_IN_FLIGHT_H_
