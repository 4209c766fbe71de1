// DataBlocks: the data blocks of a table, from the block cache or the file.
//
// Where the reader has a cache, a block that is not there is loaded, parsed
// once and put there, as the file stores it: keys that need to be restored are
// restored for each read, since readers of one file may differ in how. Only
// blocks that were compared with their checksum go there. A cache without room
// changes nothing but the speed. A block that several threads miss at once is
// loaded once (loads_in_flight.h). Where the index remembers where a block was
// found last, its lines are fetched while the cache is still being asked. One
// for a reader, used by any number of threads.
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

// A data block that was loaded, alive for as long as this is, or what Release
// or Share hands out.
class PinnedBlock {
 public:
  const BlockView& view() const { return view_; }
  // What the view is of; null where it is not the cache's.
  const CachedDataBlock* cached() const { return seen_; }

  // Forgets the block; keeps its memory for the next one.
  void Clear();
  // Hands over what keeps the block's bytes alive.
  Cleanable Release();
  // Has all entries of a block in the cache looked at once, with `walker`, so
  // that walks over it need not check them. The order must be known.
  void CheckOnce(const KeyOrder& order, const BlockPlace& place,
                 BlockIterator* walker);
  // Has the block's bytes kept alive by `keeper` too, and by as many others as
  // one likes.
  void Share(Cleanable* keeper);
  // What searches find its entries by, if it has any yet; to be asked for once
  // a search. `order`: that of the table, which is of bytes.
  EntryWords Words(const KeyOrder& order) const {
    if (seen_ == nullptr) return {};
    if (was_found_) seen_->MakeWordsOfFound(order);
    return seen_->words();
  }
  // About how large it is.
  uint64_t bytes() const {
    return view_.restarts == nullptr
               ? 0
               : static_cast<uint64_t>(view_.restarts - view_.entries);
  }
  // Whether it can: false where the bytes are the file's, or a window's.
  bool HasOwnBytes() const {
    return cached_ || shared_ || own_.contents.data() == own_.owned.data();
  }

 private:
  friend class DataBlocks;

  BlockView view_;
  CachedDataBlock* seen_ = nullptr;
  bool was_found_ = false;  // in the cache, and not just put there
  LoadedBlock own_;         // its bytes, where they are not the cache's
  CachedBlockHandle cached_;
  SharedCleanable shared_;  // in place of both, once it was shared
};

// One block of several that are loaded together.
struct BlockRequest {
  BlockPlace place;
  BlockNote note;
  PinnedBlock* block = nullptr;
  Status status;  // the answer
  // Not loaded, since the others are large: to be loaded when they are gone.
  bool postponed = false;
};

class DataBlocks {
 public:
  static constexpr size_t kBatch = 32;
  // A batch that holds more than this loads no further blocks.
  static constexpr uint64_t kBatchBytes = uint64_t{64} << 20;

  DataBlocks(const BlockSource* source, ReadCounters counters)
      : source_(source), counters_(counters) {}

  // From then on blocks go there. `file` is the key of the file. `order`: that
  // of the keys in its blocks, where these shall have words; else null.
  void UseCache(std::shared_ptr<Cache> cache, const CacheKey& file,
                const KeyOrder* order);

  // Begins to fetch what Load and a search of the block will need first, from
  // where the note says that it lies. Left to the caller, who may do it as soon
  // as he knows the note.
  void Fetch(const BlockNote& note) const;
  // The block as the file stores it. The window may be null, and the block then
  // outlives everything but the file and the cache.
  Status Load(const BlockPlace& place, const ReadOptions& options,
              FileWindow* window, BlockWorkspace* workspace, PinnedBlock* block,
              const BlockNote& note = {}) const;
  // The same without a window and with the thread's own workspace.
  Status Load(const BlockPlace& place, const ReadOptions& options,
              PinnedBlock* block, const BlockNote& note = {}) const;
  // The same for a request that LoadBatch postponed: its lookup was counted.
  Status LoadPostponed(const BlockRequest& request,
                       const ReadOptions& options) const;
  // The same for up to kBatch blocks, with the waits for memory side by side;
  // those that are not in the cache are read together, or postponed where those
  // before them in the file are too large.
  void LoadBatch(std::span<BlockRequest> requests,
                 const ReadOptions& options) const;
  // Those of the blocks that are in the cache; the rest are empty. Reads
  // nothing. At most kBatch.
  void FindInCache(std::span<const BlockHandle> blocks, const BlockNote* notes,
                   TracedCaller caller, CachedBlockHandle* found) const;
  // Makes what was found *block; false where it is none, or another.
  static bool Take(CachedBlockHandle found, const BlockPlace& place,
                   PinnedBlock* block);
  bool has_cache() const { return cache_ != nullptr; }
  // Copies the block where its bytes are not its own.
  static Status MakeOwn(const BlockPlace& place, PinnedBlock* block);
  // Puts other bytes in its place.
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
  // From one restart point to the next, once a block has told it.
  mutable RelaxedAtomic<uint32_t> restart_interval_{0};
  bool small_pages_ = true;  // of the cache's memory
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_DATA_BLOCKS_H_
