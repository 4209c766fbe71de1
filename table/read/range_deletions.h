// RangeDeletions: the range deletions of an open table, as stored and as
// fragments.
//
// They are loaded when a table is opened: a table whose range deletions cannot
// be read would give wrong answers. There are no fragments if the order of keys
// is not known. Never changed afterwards: thread-safe.
#ifndef ASHLAR_TABLE_READ_RANGE_DELETIONS_H_
#define ASHLAR_TABLE_READ_RANGE_DELETIONS_H_

#include <memory>
#include <vector>

#include "ashlar/table/block_kind.h"
#include "ashlar/util/status.h"
#include "table/format/key_form.h"
#include "table/load/block_source.h"
#include "table/meta/range_del_block.h"
#include "table/meta/range_del_fragments.h"

namespace ashlar::internal {

struct RangeDeletions {
  explicit RangeDeletions(KeyOrder order) : fragments(order) {}

  LoadedBlock block;
  RangeDeletionList list;
  RangeDeletionFragments fragments;

  uint64_t MemoryUsage() const {
    return block.owned.capacity() + list.keys.capacity() +
           list.entries.capacity() * sizeof(RangeDeletion) +
           fragments.MemoryUsage();
  }
};

// Loads the range deletions. Leaves *deletions null if the metaindex names no
// range deletion block, or an empty one. Pebble names one block twice; one of
// the names is followed. `window` may be null; a block that it has is not read
// again.
Status LoadRangeDeletions(const BlockSource& source,
                          const std::vector<MetaBlockEntry>& meta_blocks,
                          KeyOrder order, const KeyForm& form,
                          FileWindow* window,
                          std::unique_ptr<const RangeDeletions>* deletions);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_RANGE_DELETIONS_H_
