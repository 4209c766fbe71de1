// FilterPartitions: a filter that is cut into partitions.
//
// An index block names the partitions by the keys where they end. A partition
// is read and checked when a key in its range is first asked for. It then stays
// here, or is found in the block cache, where the index block is held too. A
// damaged partition fails only the questions that need it. Nothing changes
// after opening, except that partitions are read in: thread-safe.
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
#include "util/sync/late_part.h"

namespace ashlar::internal {

class FilterPartitions {
 public:
  // Opens the filter whose index block is at `place`. `order` and `form` are
  // those of the table's index. Leaves *filter null if the block is empty: such
  // a filter lets every key pass. `window` may be null; a block that it has is
  // not read again. Requires: source, and cache unless it is
  // null, outlive the filter.
  static Status Open(const BlockSource* source, const MetadataCache* cache,
                     const KeyOrder& order, IndexForm form,
                     const BlockPlace& place, FileWindow* window,
                     std::unique_ptr<FilterPartitions>* filter);
  FilterPartitions(const FilterPartitions&) = delete;
  FilterPartitions& operator=(const FilterPartitions&) = delete;
  ~FilterPartitions() = default;

  size_t size() const { return index_->size(); }
  BlockPlace Place(size_t i) const {
    return {BlockKind::kFilterPartition, index_->handle(i), i};
  }
  // Sets *maybe to whether `asked`, a user key or its prefix, may be in the
  // partition that internal_key belongs to.
  Status MayMatch(const Slice& internal_key, const Slice& asked,
                  bool* maybe) const;
  // Reads partition i, so that it is in the cache, or here.
  Status Warm(size_t i) const;
  // Reads all partitions, and keeps or holds them as long as this lives. Those
  // that cannot be read are left out. To be called before other threads use it.
  void LoadAll();

  uint64_t MemoryUsage() const;

 private:
  struct Partition {
    AlignedBytes bytes;
    FilterBitsReader bits;
  };

  FilterPartitions(const BlockSource* source, const MetadataCache* cache)
      : source_(source),
        cache_(cache),
        check_([policy = source->filter_policy()](const BlockPlace& place,
                                                  const Slice& contents) {
          return CheckFilterPartition(policy, place, contents);
        }) {}
  Status TakeIndex(const BlockPlace& place, const KeyOrder& order,
                   const IndexForm& form, FileWindow* window);
  Status Load(size_t i, const Partition** partition) const;
  Status LoadKept(const BlockPlace& place,
                  std::unique_ptr<const Partition>* partition) const;
  Status MayMatchInCache(size_t i, const Slice& asked, bool* maybe) const;

  const BlockSource* const source_;
  const MetadataCache* const cache_;  // null: partitions are kept here
  const MetadataCache::CheckFilter check_;
  std::unique_ptr<const ParsedIndex> kept_index_;
  IndexHold index_;  // holds kept_index_, or its copy in the cache
  std::unique_ptr<LatePart<const Partition>[]> partitions_;
  std::vector<CachedFilterHandle> pinned_;  // after LoadAll, with a cache
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_FILTER_PARTITIONS_H_
