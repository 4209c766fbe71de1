// FilterPartitions: a filter that is cut into partitions.
//
// An index block names them by the keys where they end. Each is read when a key
// in its range is asked for first, checked, and kept; a damaged one fails only
// those questions. Never changed after opening but for partitions that are
// read in: thread-safe.
#ifndef ASHLAR_TABLE_READ_FILTER_PARTITIONS_H_
#define ASHLAR_TABLE_READ_FILTER_PARTITIONS_H_

#include <cstdint>
#include <memory>

#include "table/filter/filter_bits.h"
#include "table/format/block_place.h"
#include "table/index/parsed_index.h"
#include "table/read/block_source.h"
#include "util/slice.h"
#include "util/status.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class FilterPartitions {
 public:
  // Of the index block with these contents; the source must outlive it.
  static Status Open(const BlockSource* source, const ParsedIndex& form,
                     const Slice& contents, const BlockPlace& place,
                     std::unique_ptr<FilterPartitions>* filter);
  FilterPartitions(const FilterPartitions&) = delete;
  FilterPartitions& operator=(const FilterPartitions&) = delete;
  ~FilterPartitions();

  size_t size() const { return index_.size(); }
  BlockPlace Place(size_t i) const {
    return {BlockKind::kFilterPartition, index_.handle(i), i};
  }
  // Whether `asked`, which is a key or its prefix, may be in the partition that
  // the internal key belongs to.
  Status MayMatch(const Slice& internal_key, const Slice& asked,
                  bool* maybe) const;
  // Reads in all that can be read.
  void LoadAll() const;

  uint64_t MemoryUsage() const;

 private:
  struct Partition {
    LoadedBlock block;
    FilterBitsReader bits;
  };

  FilterPartitions(const BlockSource* source, ParsedIndex index);
  Status Load(size_t i, const Partition** partition) const;

  const BlockSource* const source_;
  const ParsedIndex index_;
  std::unique_ptr<PublishedPointer<const Partition>[]> partitions_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_FILTER_PARTITIONS_H_
