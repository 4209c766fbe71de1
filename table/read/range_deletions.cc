#include "table/read/range_deletions.h"

#include <utility>

#include "table/format/block_trailer.h"
#include "table/load/pinned_block.h"
#include "table/meta/plain_block.h"

namespace ashlar::internal {

Status LoadRangeDeletions(const BlockSource& source,
                          const std::vector<MetaBlockEntry>& meta_blocks,
                          KeyOrder order, const KeyForm& form,
                          FileWindow* window,
                          std::unique_ptr<const RangeDeletions>* deletions) {
  const MetaBlockEntry* entry =
      FindMetaBlock(meta_blocks, kRangeDeletionBlockName);
  if (entry == nullptr) {
    entry = FindMetaBlock(meta_blocks, kPebbleRangeDeletionBlockName);
  }
  if (entry == nullptr) return {};
  const BlockPlace place{BlockKind::kRangeDeletion,
                         {entry->offset, entry->size}};
  auto loaded = std::make_unique<RangeDeletions>(order);
  Status status;
  if (window != nullptr &&
      window->Has(place.handle.offset, place.handle.size + kBlockTrailerSize)) {
    BlockWorkspace workspace;
    status = source.Load(place, true, window, &workspace, &loaded->block);
    // The window ends with the opening.
    if (status.ok()) status = OwnContents(place, &loaded->block);
  } else {
    status = source.LoadOwned(place, true, &loaded->block);
  }
  if (status.ok()) {
    status = DecodeRangeDeletions(
        loaded->block.contents, place,
        {order.timestamp_size() - form.stripped_timestamp, form},
        &loaded->list);
  }
  if (status.ok() && order.known()) {
    status = loaded->fragments.Build(loaded->list.entries, place);
  }
  if (status.ok() && !loaded->list.entries.empty()) {
    *deletions = std::move(loaded);
  }
  return status;
}

}  // namespace ashlar::internal
