// The part of the Inspector that shows the entries of blocks.

#include "table/block/block.h"
#include "table/inspect/inspector.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

// The block is sound, so the walk meets no error.
void Inspector::ShowEntries(const Slice& contents,
                            const BlockPlace& place) const {
  if (!options_.on_entry) return;
  const BlockInfo& info = found_->blocks.back();
  if (place.kind == BlockKind::kDictionary) {
    options_.on_entry(info, Slice(), contents);
    return;
  }
  if (place.kind != BlockKind::kData &&
      place.kind != BlockKind::kRangeDeletion) {
    return;
  }
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (status.ok()) {
    status = ForEachPlainEntry(
        view, place, [&](const Slice& key, const Slice& value) -> Status {
          options_.on_entry(info, key, value);
          return {};
        });
  }
  status.IgnoreError();
}

void Inspector::ShowIndexEntries(const IndexItems& items, size_t first) const {
  if (!options_.on_entry) return;
  const BlockInfo& info = found_->blocks.back();
  std::string value;
  for (size_t i = first; i < items.size(); ++i) {
    const IndexItem& item = items[i];
    value.clear();
    AppendVarint64(&value, item.handle.offset);
    AppendVarint64(&value, item.handle.size);
    if (index_form_.first_keys) {
      AppendVarint64(&value, item.first_key.size());
      value.append(item.first_key.data(), item.first_key.size());
    }
    const Slice& key = item.separator;
    options_.on_entry(info, index_form_.user_keys ? key : UserKeyOf(key),
                      value);
  }
}

}  // namespace ashlar::internal
