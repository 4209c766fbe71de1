// LoadsInFlight: the blocks of a table that threads are loading for the block
// cache.
//
// Thanks to it, a block that many threads miss at once is read and decompressed
// once. A reader that has a cache has one for data blocks (BlockLoader), and
// one for index and filter blocks that are kept there (MetadataCache). It is
// asked only after a miss: hits do not touch it. Any number of threads. It has
// 8 bytes: the claims of all tables of the process are in one place.
// DataBlocks::Bring and LoadOnce follow the protocol (data_blocks.cc,
// metadata_cache.cc).
//
// Protocol, for loads that go into the cache, and that no rate limiter may hold
// back (other loads take no part):
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
//      read, and no thread waits twice for a block. A thread whose read has a
//      limit of time loads the block at once.
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
//
// A claim is known by a number. That of a block is made of its cache, the key
// of its file there, and its offset. Blocks of one file and one cache have
// different numbers. Two readers of one file that share a cache share its
// claims too. Otherwise two blocks have one number only by a chance of 2^-62,
// and then one thread may wait for the wrong block, and loads its own
// afterwards.
//
// A child of fork makes its own claims at its first miss. Those of the parent
// stay where they are, because the thread that forked may have a claim there.
#ifndef ASHLAR_TABLE_LOAD_LOADS_IN_FLIGHT_H_
#define ASHLAR_TABLE_LOAD_LOADS_IN_FLIGHT_H_

#include <cstdint>
#include <utility>

#include "ashlar/cache/cache_key.h"
#include "util/sync/claims.h"

namespace ashlar {
class Cache;
}

namespace ashlar::internal {

// One claim of a thread, or none. The destructor ends it, if End did not.
class LoadClaim {
 public:
  LoadClaim() = default;
  LoadClaim(const LoadClaim&) = delete;
  LoadClaim& operator=(const LoadClaim&) = delete;
  ~LoadClaim() { End(); }

  void End() {
    if (claims_ != nullptr) std::exchange(claims_, nullptr)->Finish(number_);
  }

 private:
  friend class LoadsInFlight;

  Claims* claims_ = nullptr;
  uint64_t number_ = 0;
};

class LoadsInFlight {
 public:
  using Turn = Claims::Turn;

  // Of the table whose blocks have keys of this file in the cache. The cache is
  // only told from others.
  LoadsInFlight(const Cache* cache, const CacheKey& file);

  // Claims the block at `offset`, and returns whose turn it is. If the turn is
  // this thread's, *claim is its claim, unless there was no place for one.
  // Requires: *claim is empty.
  Turn Begin(uint64_t offset, LoadClaim* claim) const;
  // Returns when no thread has a claim on the block at `offset`.
  void Await(uint64_t offset) const;

 private:
  uint64_t NumberOf(uint64_t offset) const {
    constexpr uint64_t kNumbers = (uint64_t{1} << 62) - 1;
    return (first_ + offset) & kNumbers;
  }

  uint64_t first_;  // the number of offset 0
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_LOADS_IN_FLIGHT_H_
