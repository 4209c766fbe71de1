// LoadsInFlight: the blocks that threads are loading for the block cache.
//
// Thanks to it, a block that many threads miss at once is read and decompressed
// once. A reader that has a cache has one for data blocks (BlockLoader), and
// one for index and filter blocks that are kept there (MetadataCache). It is
// asked only after a miss: hits do not touch it. Any number of threads. It
// takes 1 KiB, whatever happens, and never allocates. DataBlocks::Bring and
// LoadOnce follow the protocol (data_blocks.cc, metadata_cache.cc).
//
// Protocol, for loads that go into the cache (other loads take no part):
//
//   1. A thread that misses a block claims it. If the block was loaded a short
//      time ago, the thread asks the cache again first: the block may have
//      come there since the miss.
//   2. The thread that has the claim reads the block, puts it into the cache,
//      and ends the claim, in this order. An error ends the claim too.
//   3. A thread that finds another thread's claim waits for its end, and asks
//      the cache again. If the block is not there (the load failed, the cache
//      has no room, or the block was evicted already), the thread loads it for
//      itself, without a claim. So an error is always that of the thread's own
//      read, and no thread waits twice for a block.
//
// A batch claims as many of its blocks as it can, reads all of those, puts them
// into the cache, ends all its claims, and only then waits for what other
// threads have claimed. No thread waits while it has a claim. So batches that
// want each other's blocks make progress, and a batch that wants a block twice
// does not wait for itself. The same holds for blocks whose claims share one
// place in the table: the later one is loaded without a claim, perhaps by
// several threads.
//
// There is one exception. A thread that has claimed a filter may wait for the
// index, by which it checks an empty filter. No load of an index waits for a
// filter, so there is no cycle.
#ifndef ASHLAR_TABLE_LOAD_LOADS_IN_FLIGHT_H_
#define ASHLAR_TABLE_LOAD_LOADS_IN_FLIGHT_H_

#include <cstdint>
#include <utility>

#include "util/sync/claims.h"

namespace ashlar::internal {

using LoadsInFlight = Claims;

// One claim of a thread, or none. The destructor ends it, if End did not.
class LoadClaim {
 public:
  LoadClaim() = default;
  LoadClaim(const LoadClaim&) = delete;
  LoadClaim& operator=(const LoadClaim&) = delete;
  ~LoadClaim() { End(); }

  // Claims the block at `offset`, and returns whose turn it is. Requires: this
  // has no claim.
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
