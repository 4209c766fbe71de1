// DataBlockCache: the data blocks of one table in the block cache. It finds
// them there, and keeps them there.
//
// It reads nothing from the file, and knows no claims. Blocks are kept as the
// file stores them, parsed once. Keys that need to be restored are restored for
// each read, since readers of one file may differ in how. A cache without room
// changes nothing but the speed, unless the reader asks for an error. If the
// index remembers where in the cache a block was last found (a slot hint), its
// cache lines are prefetched while the cache is still being asked.
//
// Each request for a block counts one hit or one miss, and is traced once,
// however often the cache is asked: by Find and FindBatch. FindAgain counts
// nothing. FindAhead counts hits alone.
//
// Part of DataBlocks, which any number of threads may use. Use is called first,
// while the table is opened; without it there is no cache.
#ifndef ASHLAR_TABLE_LOAD_DATA_BLOCK_CACHE_H_
#define ASHLAR_TABLE_LOAD_DATA_BLOCK_CACHE_H_

#include <memory>
#include <span>

#include "ashlar/cache/typed_cache.h"
#include "ashlar/table/options.h"
#include "table/counters/read_counters.h"
#include "table/load/block_request.h"
#include "table/load/cache_filling.h"
#include "table/load/pinned_block.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class DataBlockCache {
 public:
  explicit DataBlockCache(ReadCounters counters) : counters_(counters) {}

  // From then on there is this cache. `file` is the cache key of the file.
  // `order` is that of the keys in its blocks, and null if these shall have no
  // entry words.
  void Use(std::shared_ptr<Cache> cache, const CacheKey& file,
           const KeyOrder* order, const CacheFilling& filling = {});
  bool any() const { return cache_ != nullptr; }
  // Require: any().
  const std::shared_ptr<Cache>& cache() const { return cache_->cache(); }
  const CacheKey& file() const { return file_; }
  // Returns whether blocks that a read with these options loads are to be kept
  // here. Blocks that were not compared with their checksum are not.
  bool Takes(const ReadOptions& options) const {
    return any() && options.fill_cache && options.verify_checksums;
  }

  // Prefetches what Find, and a search of the block, will need first, from
  // where the note's slot hint says that it is.
  void Fetch(const BlockNote& note) const;

  // Makes *block the block at `place`, and returns true, if it is here.
  // Requires: *block is empty.
  bool Find(const BlockPlace& place, const ReadOptions& options,
            TracedCaller caller, const BlockNote& note,
            PinnedBlock* block) const;
  // Does the same for a request that was counted as a miss.
  bool FindAgain(const BlockPlace& place, const ReadOptions& options,
                 const BlockNote& note, PinnedBlock* block) const {
    return any() && Look(place, options, note, block) != Found::kNowhere;
  }
  // Does the same as Find for each request of a batch, whose waits for
  // memory overlap. Puts those that are missing into `missing`, and returns how
  // many these are. Requires: any(), at most kBlockBatchMax requests, and their
  // blocks are empty.
  size_t FindBatch(std::span<BlockRequest> requests, const ReadOptions& options,
                   TracedCaller caller, BlockRequest** missing) const;
  // Makes found[i] a handle to blocks[i] if the first tier has it, else empty.
  // For blocks that a walk will come to. Requires: at most kBlockBatchMax
  // blocks.
  void FindAhead(std::span<const BlockHandle> blocks, const BlockNote* notes,
                 TracedCaller caller, CachedBlockHandle* found) const;

  // Erases the block at `offset`, of whatever kind: all blocks of a file have
  // keys of one form. Requires: any().
  void Erase(uint64_t offset) const { cache_->Erase(file_.AtOffset(offset)); }

  // Returns room for a block that is to be kept here. Requires: Takes().
  BlockRoom RoomForBlock() const {
    return {cache_->cache()->memory_allocator(),
            CachedDataBlock::FrontBytes(word_bytes_.Load())};
  }
  // Puts the block with these contents into the cache, and makes *block that
  // block. If the cache has no room, *block alone holds it, or MemoryLimit is
  // returned if the filling says so. If there is no memory for it, *block stays
  // empty. What is in `room` is then lost. Returns Corruption if the contents
  // do not parse. Requires: *block is empty, `room`
  // is of RoomForBlock, and Takes().
  Status Keep(const BlockPlace& place, const Slice& contents,
              const BlockNote& note, BlockRoom* room, PinnedBlock* block) const;

 private:
  using BlockCache = TypedCache<CachedDataBlock, CacheEntryRole::kDataBlock>;
  enum class Found : uint8_t { kNowhere, kFirstTier, kSecondTier };

  CacheKey KeyOf(const BlockHandle& block) const {
    return file_.AtOffset(block.offset);
  }
  void LearnWordBytes(size_t needed) const;
  Found Look(const BlockPlace& place, const ReadOptions& options,
             const BlockNote& note, PinnedBlock* block) const;
  void FindInSecondTier(std::span<const BlockHandle> blocks,
                        const ReadOptions& options, TracedCaller caller,
                        const BlockNote* notes, CachedBlockHandle* found) const;

  const ReadCounters counters_;
  std::unique_ptr<BlockCache> cache_;  // null: there is none
  CacheKey file_;
  CacheFilling filling_;
  const KeyOrder* words_order_ = nullptr;
  // How many entries there are from one restart point to the next; 0 until a
  // block has shown it.
  mutable RelaxedAtomic<uint32_t> restart_interval_{0};
  // The room for entry words with which blocks are loaded: enough for nearly
  // all blocks, as the last ones have shown.
  mutable RelaxedAtomic<size_t> word_bytes_{0};
  bool small_pages_ = true;  // whether the cache's memory has small pages
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_DATA_BLOCK_CACHE_H_
