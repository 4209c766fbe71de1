// MetadataCache: index and filter blocks that a reader keeps in the block cache
// and not itself.
//
// They are found there by the file's key and their offset, as data blocks are,
// and go there parsed, charged with all that they take. A block that is gone is
// read again, with its checksum compared, and parsed with all checks of its
// parser; what was looked at across blocks when the table was opened (that a
// filter is not empty) is not looked at again. Two threads that miss it
// together read it twice, and one copy stays. Parsed blocks say by which
// comparator and form they were parsed: another reader of the file that has
// others puts its own in their place.
//
// One for a reader, used by any number of threads.
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

// Whether these may be the contents of a filter's partition.
Status CheckFilterPartition(const BlockPlace& place, const Slice& contents);

class MetadataCache {
 public:
  // The source and the statistics must outlive it.
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

  // For index blocks of all levels, and for the top level of a filter.
  const IndexBlockStore* index() const { return &index_; }
  const IndexBlockStore* filter_top() const { return &filter_top_; }

  // The filter, or partition, at this place.
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
