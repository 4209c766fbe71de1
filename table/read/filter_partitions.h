// FilterPartitions: a filter that is cut into partitions.
//
// An index block names them by the keys where they end. Each is read when a key
// in its range is asked for first, checked, and kept, or found in the block
// cache, where the index block is then held as well; a damaged one fails only
// those questions. Never changed after opening but for partitions that are
// read in: thread-safe.
#ifndef ASHLAR_TABLE_READ_FILTER_PARTITIONS_H_
#define ASHLAR_TABLE_READ_FILTER_PARTITIONS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/filter/filter_bits.h"
#include "table/format/block_place.h"
#include "table/index/parsed_index.h"
#include "table/load/block_source.h"
#include "table/load/metadata_cache.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class FilterPartitions {
 public:
  // Of the index block with these contents, in the order and form of the
  // table's index; the source must outlive it, and the cache, which may be
  // null.
  static Status Open(const BlockSource* source, const MetadataCache* cache,
                     const KeyOrder& order, IndexForm form,
                     const Slice& contents, const BlockPlace& place,
                     std::unique_ptr<FilterPartitions>* filter);
  FilterPartitions(const FilterPartitions&) = delete;
  FilterPartitions& operator=(const FilterPartitions&) = delete;
  ~FilterPartitions();

  size_t size() const { return index_->size(); }
  BlockPlace Place(size_t i) const {
    return {BlockKind::kFilterPartition, index_->handle(i), i};
  }
  // Whether `asked`, which is a key or its prefix, may be in the partition that
  // the internal key belongs to.
  Status MayMatch(const Slice& internal_key, const Slice& asked,
                  bool* maybe) const;
  // Has all that can be read at hand, as long as this lives. To be called
  // before others use it.
  void LoadAll();

  uint64_t MemoryUsage() const;

 private:
  struct Partition {
    LoadedBlock block;
    FilterBitsReader bits;
  };

  FilterPartitions(const BlockSource* source, const MetadataCache* cache)
      : source_(source), cache_(cache) {}
  Status Load(size_t i, const Partition** partition) const;
  Status MayMatchInCache(size_t i, const Slice& asked, bool* maybe) const;

  const BlockSource* const source_;
  const MetadataCache* const cache_;  // null: partitions are kept here
  std::unique_ptr<const ParsedIndex> kept_index_;
  IndexHold index_;  // of kept_index_, or in the cache
  std::unique_ptr<PublishedPointer<const Partition>[]> partitions_;
  std::vector<CachedFilterHandle> pinned_;  // of the cache, or none
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_FILTER_PARTITIONS_H_
