// CacheFiller: puts the data blocks of a table into the block cache while the
// table is built (BuildOptions::prepopulate_block_cache).
//
// Data flow. A block is complete when the builder ends it, but its cache key
// needs its offset, which is known when it is written, some blocks later. So:
//
//   Add     copies the block, before the sink takes it, to memory where the
//           cache can keep it. Blocks that wait for a dictionary are not copied
//           twice: they are added when the sink lets go of them
//   Place   takes the copy of the oldest block without an offset, which this is
//           the offset of, and puts it into the cache
//
// The sink gives handles in the order in which it took blocks, whichever thread
// wrote them. So the copies are a queue, and the threads of a ring know nothing
// of it. There are at most as many copies as blocks in the ring.
//
// A reader must find a block of its own file, or none. No reader of the file
// exists yet, but a build that is given up may be repeated with the same
// identity and other bytes. So what was put there is erased again, unless
// Commit says that the file is complete.
//
// Want of memory, and a cache without room, only leave blocks out. Belongs to
// the emit thread. Rejected: blocks that wait in memory until the table is
// complete, which is a second memtable; and to insert in the ring's workers,
// for whom the queue would need a lock.
#ifndef ASHLAR_TABLE_WRITE_CACHE_FILLER_H_
#define ASHLAR_TABLE_WRITE_CACHE_FILLER_H_

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "table/load/data_block_cache.h"

namespace ashlar::internal {

class CacheFiller {
 public:
  // `file` is the cache key of the table. `order` is that of the keys in its
  // blocks, must outlive this, and is null if readers restore their keys.
  // `statistics` may be null.
  CacheFiller(std::shared_ptr<Cache> cache, const CacheKey& file,
              const KeyOrder* order, CachePriority priority,
              const Statistics* statistics)
      : cache_(ReadCounters(statistics)) {
    cache_.Use(std::move(cache), file, order, {.priority = priority});
  }
  CacheFiller(const CacheFiller&) = delete;
  CacheFiller& operator=(const CacheFiller&) = delete;
  ~CacheFiller() { Erase(); }

  // Takes a block that the sink takes next.
  void Add(const Slice& block) { waiting_.emplace_back(cache_, block); }

  // Puts the oldest of those blocks into the cache, and forgets it.
  void Place(const BlockHandle& handle) {
    Waiting& block = waiting_.front();
    if (block.contents.data() != nullptr) {
      placed_.push_back(handle.offset);
      PinnedBlock kept;
      // A block that does not parse is left out: reads of the file say why.
      static_cast<void>(cache_.Keep({BlockKind::kData, handle}, block.contents,
                                    BlockNote(), &block.room, &kept));
    }
    waiting_.pop_front();
  }

  // To be called when the file is complete: the blocks stay in the cache.
  void Commit() { placed_.clear(); }
  // Erases all blocks that were put there since then.
  void Erase() {
    for (const uint64_t offset : placed_) cache_.Erase(offset);
    placed_.clear();
  }

 private:
  struct Waiting {
    Waiting(const DataBlockCache& cache, const Slice& block)
        : room(cache.RoomForBlock()) {
      char* const copy = room.Take(block.size());
      if (copy == nullptr) return;
      std::memcpy(copy, block.data(), block.size());
      contents = Slice(copy, block.size());
    }
    BlockRoom room;
    Slice contents{nullptr, 0};  // null: there was no memory
  };

  DataBlockCache cache_;
  std::deque<Waiting> waiting_;
  std::vector<uint64_t> placed_;  // the offsets of what is in the cache
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_CACHE_FILLER_H_
