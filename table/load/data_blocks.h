// DataBlocks: the data blocks of a table, from the block cache or from the
// file.
//
// Get, MultiGet, iterators and checks ask this class for their data blocks. The
// top of data_blocks.cc describes the steps of a request. If the reader has a
// cache, a block that is not in it is loaded and inserted (DataBlockCache). A
// block that several threads miss at once is loaded once (BlockLoader).
//
// A reader has one, which any number of threads may use. UseCache is called
// first, while the table is opened.
#ifndef ASHLAR_TABLE_LOAD_DATA_BLOCKS_H_
#define ASHLAR_TABLE_LOAD_DATA_BLOCKS_H_

#include <memory>
#include <span>

#include "ashlar/table/options.h"
#include "table/load/block_loader.h"
#include "table/load/block_request.h"
#include "table/load/data_block_cache.h"
#include "table/load/pinned_block.h"
#include "table/load/run_budget.h"

namespace ashlar::internal {

class DataBlocks {
 public:
  // The requests of one table.
  struct OfTable {
    const DataBlocks* blocks = nullptr;
    std::span<BlockRequest> requests;
  };

  DataBlocks(const BlockSource* source, ReadCounters counters)
      : cache_(counters), loader_(source, counters) {}

  // From then on blocks that are loaded together are read together like this.
  void Coalesce(const Coalescing& coalescing) { loader_.Coalesce(coalescing); }
  // From then on blocks go to this cache: see DataBlockCache::Use.
  void UseCache(std::shared_ptr<Cache> cache, const CacheKey& file,
                const KeyOrder* order, const CacheFilling& filling);
  // For callers that want only what is in the cache.
  const DataBlockCache& cache() const { return cache_; }

  // Prefetches what Load, and a search of the block, will need first, from
  // where the note's slot hint says that it is. A caller that knows the note
  // early calls this early.
  void Fetch(const BlockNote& note) const { cache_.Fetch(note); }

  // Makes *block the block at `place`, as the file stores it, for a Get. The
  // block then outlives everything but the file and the cache. Returns the
  // errors of BlockSource::LoadOwned, and Corruption if the block does not
  // parse.
  Status Load(const BlockPlace& place, const ReadOptions& options,
              PinnedBlock* block, const BlockNote& note = {}) const;
  // Does the same for a walk, which reads through its window. A block that is
  // not in the cache may live only as long as the window stays.
  Status LoadForWalk(const BlockPlace& place, const ReadOptions& options,
                     const ReadThrough& through, PinnedBlock* block,
                     const BlockNote& note) const;
  // Does the same as Load for up to kBlockBatchMax blocks of a MultiGet, whose
  // waits for memory overlap. Blocks that are not in the cache are read
  // together. If those before a block in the file are larger than
  // kBlockBatchBytes together, the block is postponed.
  void LoadBatch(std::span<BlockRequest> requests,
                 const ReadOptions& options) const;
  // Does the same for blocks of several tables: what is in no cache is read
  // from all files at once. The order of the tables stands in for that of the
  // file. Requires: at most kTablesBatchMax requests in all.
  static void LoadTogether(std::span<const OfTable> tables,
                           const ReadOptions& options);
  // Does the same for a run of blocks that a walk will come to, on any thread,
  // and waits for no other thread. A block is postponed if another thread is
  // loading it, or if the budget says so: the walk then loads it by itself.
  void LoadAhead(std::span<BlockRequest> requests, const ReadOptions& options,
                 RunBudget* budget) const;
  // Does the same as Load for a request that LoadBatch postponed. Its lookup in
  // the cache was counted then, and is not counted again.
  Status LoadPostponed(const BlockRequest& request,
                       const ReadOptions& options) const;

 private:
  template <typename Wanted>
  static void Bring(const ReadOptions& options, Wanted* wanted);
  template <typename Wanted>
  static void Await(const ReadOptions& options,
                    std::span<BlockRequest* const> awaited, uint64_t held,
                    Wanted* wanted);
  template <typename Reads>
  Status LoadAndHandOut(const Reads& reads, size_t i,
                        const ReadOptions& options,
                        const BlockRequest& r) const;
  template <typename Reads>
  static Status LoadForOtherCore(const Reads& reads, size_t i,
                                 const ReadOptions& options,
                                 const BlockRequest& r);
  template <typename Reads>
  Status LoadForCache(const Reads& reads, size_t i,
                      const BlockRequest& r) const;

  DataBlockCache cache_;
  BlockLoader loader_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_DATA_BLOCKS_H_
