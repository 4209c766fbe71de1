// MovedIndexes: recognises indexes whose blocks are elsewhere than they say,
// since bytes were inserted into the file or cut out of it.
//
// For files without context checksums, in which such an index is a sound block.
// It is no help to find blocks, but its separators would pass for entries. What
// stays true of it are the sizes of its blocks, and how far they are from each
// other. Files with context checksums are read as they were written instead
// (restored_file.h). Not thread-safe.
#ifndef ASHLAR_TABLE_INSPECT_MOVED_INDEXES_H_
#define ASHLAR_TABLE_INSPECT_MOVED_INDEXES_H_

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "table/block/block.h"
#include "table/index/index_block.h"
#include "table/inspect/index_items.h"
#include "table/inspect/inspected_file.h"
#include "table/walk/moved_blocks.h"

namespace ashlar::internal {

class MovedIndexes {
 public:
  // blocks: all that were found, in file order. Requires: all three outlive
  // this.
  MovedIndexes(const std::vector<FoundBlock>& blocks, const InspectedFile& file,
               ThreadReads* reads)
      : blocks_(blocks), inspected_(file), thread_(reads) {}

  // Returns whether this block has the form of an index, and sets *form to it
  // and *items to what the block names, wherever that is. In the full form
  // other bytes may follow a handle.
  bool Guess(const BlockView& view, const BlockPlace& place, IndexForm* form,
             IndexItems* items) const;
  // Returns whether no bytes but first keys do in this block, as in all indexes
  // that Ashlar and RocksDB write.
  static bool IsExact(const BlockView& view, const BlockPlace& place,
                      const IndexForm& form);
  // Returns whether the handle can be one: of a block that was found, which
  // sets *matches, or of bytes in which none was.
  bool IsPlausible(const BlockHandle& handle, bool* matches) const;

  // Returns whether a block that was found has this size.
  bool HasSizeOfBlock(uint64_t size);
  // Returns whether a block that names these is such an index.
  bool IsOne(const IndexItems& items, const BlockPlace& place) {
    return HasDistances(items) || IsTopLevel(items, place);
  }
  // To be called for each index that was recognised, from the last block of the
  // file backward. Then IsPartition returns whether the block at this offset
  // can only be a partition of it.
  void ExpectPartitions(const IndexItems& items, const BlockPlace& place);
  bool IsPartition(uint64_t offset) const {
    return partitions_.contains(offset);
  }

 private:
  bool HasDistances(const IndexItems& items);
  bool IsTopLevel(const IndexItems& items, const BlockPlace& place);
  bool CanBePartition(const BlockHandle& handle, bool* names_found);
  const BlockHandle* BlockBefore(const BlockPlace& place, bool* has_form) const;

  const std::vector<FoundBlock>& blocks_;
  const InspectedFile& inspected_;
  ThreadReads* const thread_;
  // Of all blocks, sorted: the size, and how far the next one is.
  std::vector<std::pair<uint64_t, uint64_t>> sizes_;
  std::set<uint64_t> partitions_;  // of the last index: where they must be
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_MOVED_INDEXES_H_
