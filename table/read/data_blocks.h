// DataBlocks: the data blocks of a table, from the block cache or the file.
//
// Where the reader has a cache, a block that is not there is loaded, parsed
// once and put there, as the file stores it: keys that need to be restored are
// restored for each read, since readers of one file may differ in how. Only
// blocks that were compared with their checksum go there. A cache without room
// changes nothing but the speed. One for a reader, used by any number of
// threads.
#ifndef ASHLAR_TABLE_READ_DATA_BLOCKS_H_
#define ASHLAR_TABLE_READ_DATA_BLOCKS_H_

#include <memory>
#include <span>

#include "cache/typed_cache.h"
#include "table/block/block.h"
#include "table/block/block_iterator.h"
#include "table/options.h"
#include "table/read/block_source.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

// What the cache keeps.
struct CachedDataBlock {
  BlockHandle handle;  // of the file
  Buffer bytes;
  BlockView view;  // of them
  // What an iterator found that looked at all entries, and by what order.
  RelaxedAtomic<uint32_t> largest_key{0};
  RelaxedAtomic<uint32_t> largest_interval{0};
  AcqRelAtomic<const Comparator*> checked_by{nullptr};

  size_t ApproximateMemoryUsage() const {
    return sizeof(*this) + bytes.capacity() + Buffer::kSlack;
  }
};

using CachedBlockHandle = TypedHandle<CachedDataBlock>;

// A data block that was loaded, alive for as long as this is, or what Release
// hands out.
class PinnedBlock {
 public:
  const BlockView& view() const { return view_; }

  // Forgets the block; keeps its memory for the next one.
  void Clear();
  // Hands over what keeps the block's bytes alive.
  Cleanable Release();
  // Has all entries of a block in the cache looked at once, with `walker`, so
  // that walks over it need not check them. The order must be known.
  void CheckOnce(const KeyOrder& order, const BlockPlace& place,
                 BlockIterator* walker);

 private:
  friend class DataBlocks;

  BlockView view_;
  LoadedBlock own_;  // its bytes, where they are not the cache's
  CachedBlockHandle cached_;
};

class DataBlocks {
 public:
  explicit DataBlocks(const BlockSource* source) : source_(source) {}

  // From then on blocks go there. `file` is the key of the file.
  void UseCache(std::shared_ptr<Cache> cache, const CacheKey& file);

  // The block as the file stores it. The window may be null, and the block then
  // outlives everything but the file and the cache.
  Status Load(const BlockPlace& place, const ReadOptions& options,
              FileWindow* window, BlockWorkspace* workspace,
              PinnedBlock* block) const;
  // The same without a window and with the thread's own workspace.
  Status Load(const BlockPlace& place, const ReadOptions& options,
              PinnedBlock* block) const;
  // Those of the blocks that are in the cache; the rest are empty. Reads
  // nothing. At most 32.
  void FindInCache(std::span<const BlockHandle> blocks,
                   CachedBlockHandle* found) const;
  // Makes what was found *block; false where it is none, or another.
  static bool Take(CachedBlockHandle found, const BlockPlace& place,
                   PinnedBlock* block);
  bool has_cache() const { return cache_ != nullptr; }
  // Puts other bytes in its place.
  static Status Replace(const BlockPlace& place, Buffer bytes,
                        PinnedBlock* block);

 private:
  using BlockCache = TypedCache<CachedDataBlock, CacheEntryRole::kDataBlock>;

  bool FindInCache(const BlockPlace& place, PinnedBlock* block) const;
  Status Keep(const BlockPlace& place, const ReadOptions& options,
              PinnedBlock* block) const;

  const BlockSource* const source_;
  std::unique_ptr<BlockCache> cache_;  // null: there is none
  CacheKey file_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_DATA_BLOCKS_H_
