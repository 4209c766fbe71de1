// MetadataCache: index and filter blocks that a reader keeps in the block cache
// instead of in the reader.
//
// As with data blocks, their cache keys are the file's key and their offset.
// They are cached parsed, charged with all the memory that they take. A block
// that was evicted is read again, compared with its checksum, and checked as
// strictly as the first time. A read that may not fill the cache keeps what it
// loads for itself. Of the threads of one reader that miss a block at
// once, one reads it, and the others wait (loads_in_flight.h has the protocol).
// A parsed block records by which comparator and form it was parsed. A reader
// of the same file that has others puts its own in their place.
//
// A reader has one, which any number of threads may use.
#ifndef ASHLAR_TABLE_LOAD_METADATA_CACHE_H_
#define ASHLAR_TABLE_LOAD_METADATA_CACHE_H_

#include <functional>
#include <memory>

#include "ashlar/cache/typed_cache.h"
#include "table/counters/read_counters.h"
#include "table/filter/filter_bits.h"
#include "table/index/index_hold.h"
#include "table/load/block_source.h"
#include "table/load/cache_filling.h"
#include "table/load/loads_in_flight.h"
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

// Returns Corruption unless these may be the contents of a filter partition of
// this policy; null: of a built-in kind.
Status CheckFilterPartition(const std::shared_ptr<const FilterPolicy>& policy,
                            const BlockPlace& place, const Slice& contents);

// Makes *bits what asks the filter at `place` of a file with this policy.
// Returns Corruption if a policy says that a partition is damaged. A full
// filter that is damaged matches everything.
Status ReadFilterAt(const std::shared_ptr<const FilterPolicy>& policy,
                    const BlockPlace& place, const Slice& contents,
                    FilterBitsReader* bits);

class MetadataCache {
 public:
  // Requires: the source, and what the counters write to, outlive this.
  MetadataCache(const BlockSource* source, const std::shared_ptr<Cache>& cache,
                const CacheKey& file, CacheFilling filling,
                ReadCounters counters)
      : source_(source),
        file_(file),
        filling_(filling),
        counters_(counters),
        loads_(cache.get(), file),
        index_(cache, file, filling, counters, loads_),
        filter_top_(cache, file, filling, counters, loads_),
        filters_(cache) {}

  // Where index blocks of all levels, and the top level of a filter, are kept.
  const IndexBlockStore* index() const { return &index_; }
  const IndexBlockStore* filter_top() const { return &filter_top_; }

  // Returns Corruption if the filter at this place cannot be that of the table.
  using CheckFilter =
      std::function<Status(const BlockPlace& place, const Slice& contents)>;
  // Makes *filter a handle to the filter, or filter partition, at this place:
  // from the cache, or from the file. `check` sees what comes from the file.
  // `slot_hint`: see Cache::Lookup.
  Status HoldFilter(const BlockPlace& place, const CheckFilter& check,
                    Cache::SlotHint* slot_hint,
                    CachedFilterHandle* filter) const;
  // Starts to fetch the memory that a HoldFilter with this hint reads first.
  void PrefetchFilter(Cache::SlotHint slot_hint) const {
    filters_.cache()->PrefetchSlot(slot_hint);
  }

 private:
  template <CacheEntryRole kRole>
  class IndexBlocks final : public IndexBlockStore {
   public:
    IndexBlocks(std::shared_ptr<Cache> cache, const CacheKey& file,
                CacheFilling filling, ReadCounters counters,
                const LoadsInFlight& loads)
        : blocks_(std::move(cache)),
          file_(file),
          filling_(filling),
          counters_(counters),
          loads_(loads) {}
    IndexHold Find(const BlockPlace& place, const KeyOrder& order,
                   const IndexForm& form,
                   Cache::SlotHint* slot_hint) const override;
    void Prefetch(Cache::SlotHint slot_hint) const override {
      blocks_.cache()->PrefetchSlot(slot_hint);
    }
    Status Load(const BlockPlace& place, const KeyOrder& order,
                const IndexForm& form, const ParseIndexBlock& parse,
                IndexHold* held) const override;

   private:
    IndexHold Look(const BlockPlace& place, const KeyOrder& order,
                   const IndexForm& form, Cache::SlotHint* slot_hint) const;
    Status Keep(const BlockPlace& place, ParsedIndex parsed,
                IndexHold* held) const;

    mutable TypedCache<CachedIndexBlock, kRole> blocks_;
    const CacheKey file_;
    const CacheFilling filling_;
    const ReadCounters counters_;
    const LoadsInFlight loads_;
  };

  CachedFilterHandle LookForFilter(const BlockPlace& place,
                                   Cache::SlotHint* slot_hint) const;
  Status LoadFilter(const BlockPlace& place, const CheckFilter& check,
                    CachedFilterHandle* filter) const;

  const BlockSource* const source_;
  const CacheKey file_;
  const CacheFilling filling_;
  const ReadCounters counters_;
  const LoadsInFlight loads_;
  IndexBlocks<CacheEntryRole::kIndexBlock> index_;
  IndexBlocks<CacheEntryRole::kFilterMetaBlock> filter_top_;
  mutable TypedCache<CachedFilter, CacheEntryRole::kFilterBlock> filters_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_METADATA_CACHE_H_
