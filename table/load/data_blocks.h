// DataBlocks: the data blocks of a table, from the block cache or from the
// file.
//
// If the reader has a cache, a block that is not there is loaded, parsed once
// and put there, as the file stores it. Keys that need to be restored are
// restored for each read, since readers of one file may differ in how. Only
// blocks that were compared with their checksum go into the cache. A cache
// without room changes nothing but the speed. A block that several threads miss
// at once is loaded once (loads_in_flight.h). If the index remembers where in
// the cache a block was last found (a slot hint), its cache lines are
// prefetched while the cache is still being asked.
//
// A reader has one, which any number of threads may use. UseCache is called
// first, while the table is opened.
#ifndef ASHLAR_TABLE_LOAD_DATA_BLOCKS_H_
#define ASHLAR_TABLE_LOAD_DATA_BLOCKS_H_

#include <memory>
#include <span>

#include "ashlar/cache/typed_cache.h"
#include "ashlar/table/options.h"
#include "table/block/block.h"
#include "table/block/block_iterator.h"
#include "table/index/block_note.h"
#include "table/load/block_source.h"
#include "table/load/cached_data_block.h"
#include "table/load/loads_in_flight.h"

namespace ashlar::internal {

using CachedBlockHandle = TypedHandle<CachedDataBlock>;

// A data block that was loaded. It is kept alive by this object, or by what
// Release or Share gave away. One thread at a time.
class PinnedBlock {
 public:
  const BlockView& view() const { return view_; }
  // Returns the cached block that the view shows; null if it is not in the
  // cache.
  const CachedDataBlock* cached() const { return seen_; }

  // Releases the block, and keeps memory of its own for the next one.
  void Clear();
  // Gives away what keeps the block's bytes alive.
  Cleanable Release();
  // If the block is in the cache: checks all its entries, with `walker`, unless
  // a reader with this comparator has done so. Walks over it then need not
  // check them. Requires: the order is known.
  void CheckOnce(const KeyOrder& order, const BlockPlace& place,
                 BlockIterator* walker);
  // Makes `keeper` keep the block's bytes alive too. May be called for any
  // number of keepers.
  void Share(Cleanable* keeper);
  // Returns the block's entry words, if it has any yet. To be called once per
  // search. Requires: `order` is the table's, and IsOfBytes().
  EntryWords Words(const KeyOrder& order) const {
    if (seen_ == nullptr) return {};
    if (was_found_) seen_->MakeWordsOfFound(order);
    return seen_->words();
  }
  // Returns about how large the block is, in bytes.
  uint64_t bytes() const {
    return view_.restarts == nullptr
               ? 0
               : static_cast<uint64_t>(view_.restarts - view_.entries);
  }
  // Returns whether its bytes can be kept alive. False if they are in the
  // file's memory, or in a window.
  bool HasOwnBytes() const {
    return cached_ || shared_ || own_.contents.data() == own_.owned.data();
  }

 private:
  friend class DataBlocks;

  BlockView view_;
  CachedDataBlock* seen_ = nullptr;
  bool was_found_ = false;  // in the cache, and not just put there
  LoadedBlock own_;         // its bytes, if it is not in the cache
  CachedBlockHandle cached_;
  SharedCleanable shared_;  // replaces both once the block was shared
};

// One block of several that are loaded together.
struct BlockRequest {
  BlockPlace place;
  BlockNote note;
  PinnedBlock* block = nullptr;
  Status status;  // the answer
  // Whether it was not loaded, because the others are large. It is to be loaded
  // when they are released.
  bool postponed = false;
};

class DataBlocks {
 public:
  static constexpr size_t kBatch = 32;
  // A batch that holds more bytes than this loads no further blocks.
  static constexpr uint64_t kBatchBytes = uint64_t{64} << 20;

  DataBlocks(const BlockSource* source, ReadCounters counters)
      : source_(source), counters_(counters) {}

  // From then on blocks go to this cache. `file` is the cache key of the file.
  // `order` is that of the keys in its blocks, and null if these shall have no
  // entry words.
  void UseCache(std::shared_ptr<Cache> cache, const CacheKey& file,
                const KeyOrder* order);

  // Prefetches what Load, and a search of the block, will need first, from
  // where the note's slot hint says that it is. A caller that knows the note
  // early calls this early.
  void Fetch(const BlockNote& note) const;
  // Makes *block the block at `place`, as the file stores it. `window` may be
  // null; the block then outlives everything but the file and the cache.
  // Returns the errors of BlockSource::Load, and Corruption if the block does
  // not parse.
  Status Load(const BlockPlace& place, const ReadOptions& options,
              FileWindow* window, BlockWorkspace* workspace, PinnedBlock* block,
              const BlockNote& note = {}) const;
  // Does the same without a window, and with a workspace that the thread keeps.
  Status Load(const BlockPlace& place, const ReadOptions& options,
              PinnedBlock* block, const BlockNote& note = {}) const;
  // Does the same for a request that LoadBatch postponed. Its lookup in the
  // cache was counted then, and is not counted again.
  Status LoadPostponed(const BlockRequest& request,
                       const ReadOptions& options) const;
  // Does the same for up to kBatch blocks, whose waits for memory overlap.
  // Blocks that are not in the cache are read together. If those before a block
  // in the file are larger than kBatchBytes together, the block is postponed.
  void LoadBatch(std::span<BlockRequest> requests,
                 const ReadOptions& options) const;
  // Makes found[i] a handle to blocks[i] if that is in the cache, else empty.
  // Reads nothing from the file. Requires: at most kBatch blocks.
  void FindInCache(std::span<const BlockHandle> blocks, const BlockNote* notes,
                   TracedCaller caller, CachedBlockHandle* found) const;
  // Makes *block what was found. Returns false if nothing was found, or if it
  // is another block than that at `place`.
  static bool Take(CachedBlockHandle found, const BlockPlace& place,
                   PinnedBlock* block);
  bool has_cache() const { return cache_ != nullptr; }
  // Copies the block's bytes, unless they can be kept alive (HasOwnBytes).
  static Status MakeOwn(const BlockPlace& place, PinnedBlock* block);
  // Replaces the block by one of these bytes.
  static Status Replace(const BlockPlace& place, Buffer bytes,
                        PinnedBlock* block);

 private:
  using BlockCache = TypedCache<CachedDataBlock, CacheEntryRole::kDataBlock>;

  bool GoesToCache(const ReadOptions& options) const {
    return cache_ != nullptr && options.fill_cache && options.verify_checksums;
  }
  static Status OwnContents(const BlockPlace& place, PinnedBlock* block);
  CacheKey KeyOf(const BlockHandle& block) const {
    return file_.AtOffset(block.offset);
  }
  bool FindInCache(const BlockPlace& place, const ReadOptions& options,
                   TracedCaller caller, const BlockNote& note,
                   PinnedBlock* block) const;
  enum class Found : uint8_t { kNowhere, kFirstTier, kSecondTier };
  Found FindUncounted(const BlockPlace& place, const ReadOptions& options,
                      const BlockNote& note, PinnedBlock* block) const;
  bool FindAgain(const BlockPlace& place, const ReadOptions& options,
                 const BlockNote& note, PinnedBlock* block) const {
    return FindUncounted(place, options, note, block) != Found::kNowhere;
  }
  Status LoadAfterMiss(const BlockPlace& place, const ReadOptions& options,
                       const BlockNote& note, PinnedBlock* block) const;
  bool FindAfterMiss(const BlockPlace& place, const ReadOptions& options,
                     const BlockNote& note, PinnedBlock* block,
                     LoadClaim* claim) const;
  Status LoadAlone(const BlockPlace& place, const ReadOptions& options,
                   const BlockNote& note, PinnedBlock* block) const;
  Status Keep(const BlockPlace& place, const ReadOptions& options,
              const BlockNote& note, LoadedBlock* loaded,
              PinnedBlock* block) const;
  Status KeepInCache(const BlockPlace& place, const Slice& contents,
                     const BlockNote& note, PinnedBlock* block) const;
  void FindInSecondTier(std::span<const BlockHandle> blocks,
                        const ReadOptions& options, const BlockNote* notes,
                        CachedBlockHandle* found) const;
  size_t FindBatchInCache(std::span<BlockRequest> requests,
                          const ReadOptions& options,
                          BlockRequest** missing) const;
  void LoadMissing(std::span<BlockRequest*> missing,
                   const ReadOptions& options) const;
  uint64_t ReadBatch(std::span<BlockRequest*> requests, LoadClaim* claims,
                     const ReadOptions& options) const;

  Status TakeRead(const Status& read, const Slice& bytes,
                  const ReadOptions& options, const BlockRequest* r) const;

  const BlockSource* const source_;
  const ReadCounters counters_;
  std::unique_ptr<BlockCache> cache_;     // null: there is none
  std::unique_ptr<LoadsInFlight> loads_;  // for it
  CacheKey file_;
  const KeyOrder* words_order_ = nullptr;
  // How many entries there are from one restart point to the next; 0 until a
  // block has shown it.
  mutable RelaxedAtomic<uint32_t> restart_interval_{0};
  bool small_pages_ = true;  // whether the cache's memory has small pages
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_DATA_BLOCKS_H_
