// MetadataCache: index and filter blocks that a reader keeps in the block cache
// instead of in the reader.
//
// As with data blocks, their cache keys are the file's key and their offset.
// They are cached parsed, charged with all the memory that they take. A block
// that was evicted is read again, compared with its checksum, and parsed with
// all checks of its parser. What was checked across blocks when the table was
// opened (that the filter is not empty) is not checked again. Two threads that
// miss a block at once both read it, and one copy stays. A parsed block records
// by which comparator and form it was parsed. A reader of the same file that
// has others puts its own in their place.
//
// A reader has one, which any number of threads may use.
#ifndef ASHLAR_TABLE_LOAD_METADATA_CACHE_H_
#define ASHLAR_TABLE_LOAD_METADATA_CACHE_H_

#include <memory>

#include "ashlar/cache/typed_cache.h"
#include "table/counters/read_counters.h"
#include "table/filter/filter_bits.h"
#include "table/index/index_hold.h"
#include "table/load/block_source.h"
#include "util/mem/aligned_bytes.h"

namespace ashlar::internal {

// A filter, or a partition of one.
struct CachedFilter {
  explicit CachedFilter(const BlockHandle& handle_in) : handle(handle_in) {}

  size_t ApproximateMemoryUsage() const { return sizeof *this + bytes.room(); }

  const BlockHandle handle;
  AlignedBytes bytes;
  FilterBitsReader bits;
};
using CachedFilterHandle = TypedHandle<CachedFilter>;

// Returns Corruption unless these may be the contents of a filter partition.
Status CheckFilterPartition(const BlockPlace& place, const Slice& contents);

class MetadataCache {
 public:
  // Requires: the source, and what the counters write to, outlive this.
  MetadataCache(const BlockSource* source, const std::shared_ptr<Cache>& cache,
                const CacheKey& file, CachePriority priority,
                ReadCounters counters)
      : source_(source),
        file_(file),
        priority_(priority),
        counters_(counters),
        index_(cache, file, priority, counters),
        filter_top_(cache, file, priority, counters),
        filters_(cache) {}

  // Where index blocks of all levels, and the top level of a filter, are kept.
  const IndexBlockStore* index() const { return &index_; }
  const IndexBlockStore* filter_top() const { return &filter_top_; }

  // Makes *filter a handle to the filter, or filter partition, at this place:
  // from the cache, or from the file.
  Status HoldFilter(const BlockPlace& place, CachedFilterHandle* filter) const;

 private:
  template <CacheEntryRole kRole>
  class IndexBlocks final : public IndexBlockStore {
   public:
    IndexBlocks(std::shared_ptr<Cache> cache, const CacheKey& file,
                CachePriority priority, ReadCounters counters)
        : blocks_(std::move(cache)),
          file_(file),
          priority_(priority),
          counters_(counters) {}
    IndexHold Find(const BlockPlace& place, const KeyOrder& order,
                   const IndexForm& form) const override;
    IndexHold Keep(const BlockPlace& place, ParsedIndex parsed) const override;

   private:
    mutable TypedCache<CachedIndexBlock, kRole> blocks_;
    const CacheKey file_;
    const CachePriority priority_;
    const ReadCounters counters_;
  };

  const BlockSource* const source_;
  const CacheKey file_;
  const CachePriority priority_;
  const ReadCounters counters_;
  IndexBlocks<CacheEntryRole::kIndexBlock> index_;
  IndexBlocks<CacheEntryRole::kFilterMetaBlock> filter_top_;
  mutable TypedCache<CachedFilter, CacheEntryRole::kFilterBlock> filters_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_METADATA_CACHE_H_
