#include "table/inspect/findings.h"

#include <string>
#include <utility>

#include "table/block/block.h"
#include "util/coding/coding.h"
#include "util/mem/memory_limit.h"

namespace ashlar::internal {

// Running out of memory is not a fault of a block.
void Findings::AddFault(const BlockPlace& place, Status status) {
  ThrowIfOutOfMemory(status);
  inspection_->faults.push_back({place.kind, place.index.value_or(0),
                                 place.handle.offset, place.handle.size,
                                 std::move(status)});
}

void Findings::Judge(BlockInfo* info) {
  if (info->status.ok()) {
    info->contents_sound = true;
    ++inspection_->blocks_ok;
    return;
  }
  ++inspection_->blocks_bad;
  AddFault(PlaceOf(*info), info->status);
}

void Findings::Keep(BlockInfo info) {
  Judge(&info);
  if (options_.on_block) options_.on_block(info);
  inspection_->blocks.push_back(std::move(info));
}

// The block is sound, so the walk meets no error.
void Findings::ShowEntries(const Slice& contents,
                           const BlockPlace& place) const {
  if (!options_.on_entry) return;
  const BlockInfo& info = inspection_->blocks.back();
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

void Findings::ShowIndexEntries(const IndexItems& items, size_t first,
                                const IndexForm& form) const {
  if (!options_.on_entry) return;
  const BlockInfo& info = inspection_->blocks.back();
  std::string value;
  for (size_t i = first; i < items.size(); ++i) {
    const IndexItem& item = items[i];
    value.clear();
    AppendVarint64(&value, item.handle.offset);
    AppendVarint64(&value, item.handle.size);
    if (form.first_keys) {
      AppendVarint64(&value, item.first_key.size());
      value.append(item.first_key.data(), item.first_key.size());
    }
    const Slice& key = item.separator;
    options_.on_entry(info, form.user_keys ? key : UserKeyOf(key), value);
  }
}

}  // namespace ashlar::internal
