// Walks over the index, and takes the separator of a block whenever enough
// bytes have gone by. A separator is not below the keys of its block, and below
// all that follow.

#include "table/read/key_anchors.h"

#include <algorithm>

#include "table/index/index_cursor.h"

namespace ashlar::internal {

Status AppendKeyAnchors(const OpenedTable& table, uint64_t most,
                        std::vector<KeyAnchor>* anchors) {
  IndexCursor at(&table.index);
  IndexCursor last(&table.index);
  uint64_t end = 0;
  if (last.SeekToLast()) end = last.handle().End();
  const size_t timestamp_size = table.order.timestamp_size();
  std::string memory;
  uint64_t from = 0;
  uint64_t step = 0;
  bool is_first = true;
  for (bool on_block = at.SeekToFirst(); on_block; on_block = at.Next()) {
    const BlockHandle handle = at.handle();
    if (is_first) {
      from = handle.offset;
      // Rounded up, since each anchor but the last is for at least a step.
      const uint64_t bytes = end - std::min(end, from);
      const uint64_t rest = bytes % most != 0 ? 1 : 0;
      step = std::max<uint64_t>(bytes / most + rest, 1);
      is_first = false;
    }
    // An embedded blob may be between blocks; offsets ascend.
    const bool is_last = handle.End() == end;
    if (!is_last && handle.End() - from < step) continue;
    const Slice separator = at.separator(&memory);
    const Slice user_key =
        at.SeparatorIsUserKey() ? separator : UserKeyOf(separator);
    anchors->push_back({WithoutTimestamp(user_key, timestamp_size).ToString(),
                        handle.End() - from});
    from = handle.End();
  }
  return at.status().ok() ? last.status() : at.status();
}

}  // namespace ashlar::internal
