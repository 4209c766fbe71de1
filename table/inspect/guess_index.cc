// The part of the Inspector that finds out the form of the index if there are
// no properties to say it.

#include "table/inspect/inspector.h"
#include "table/inspect/restart_points.h"
#include "table/meta/plain_block.h"
#include "util/mem/memory_limit.h"

namespace ashlar::internal {

namespace {

bool IsPointType(ValueType type) {
  return type != ValueType::kTypeRangeDeletion &&
         ValueTypeName(type) != "unknown";
}

}  // namespace

// User keys that end in such bytes, and are in the order of internal keys, are
// rare. The other way round nothing would be learnt: every internal key could
// be a user key.
bool Inspector::AreInternalKeys(const IndexItems& items, size_t first) {
  for (size_t i = first; i < items.size(); ++i) {
    const Slice& key = items[i].separator;
    if (key.size() < kInternalKeyTailBytes || !IsPointType(TypeOf(key))) {
      return false;
    }
    if (i == first) continue;
    const Slice& last = items[i - 1].separator;
    if (UserKeyOf(last) == UserKeyOf(key) && TailOf(last) <= TailOf(key)) {
      return false;
    }
  }
  return true;
}

Status Inspector::GuessIndex(const BlockView& view, const BlockPlace& place,
                             IndexItems* items) {
  const FormatTraits& traits = source_->footer().traits();
  const IndexItems::Mark before = items->mark();
  Status status;
  for (const bool first_keys : {false, true}) {
    for (const bool delta : {true, false}) {
      if (delta && !traits.may_have_delta_handles) continue;
      IndexForm form{traits.may_have_user_key_index, delta, first_keys};
      RestartPoints restarts(view);
      status = ParseIndexAs(form, view, place, items, &restarts);
      if (status.ok()) {
        form.user_keys =
            form.user_keys && !AreInternalKeys(*items, before.items);
        index_form_ = form;
        return status;
      }
      items->GoBack(before);
    }
  }
  return status;
}

Status Inspector::ParseFilterIndex(const BlockView& view,
                                   const BlockPlace& place,
                                   IndexItems* items) const {
  IndexForm form = index_form_;
  form.first_keys = false;
  RestartPoints restarts(view);
  if (index_form_known_) {
    Status status = ParseIndexAs(form, view, place, items, &restarts);
    return status.ok() ? restarts.Judge(place) : status;
  }
  const FormatTraits& traits = source_->footer().traits();
  const IndexItems::Mark before = items->mark();
  form.user_keys = traits.may_have_user_key_index;
  form.delta_handles = traits.may_have_delta_handles;
  Status status = ParseIndexAs(form, view, place, items, &restarts);
  if (status.ok() || !form.delta_handles) return status;
  items->GoBack(before);
  form.delta_handles = false;
  return ParseIndexAs(form, view, place, items, &restarts);
}

bool Inspector::Peek(const BlockPlace& place, Slice* contents) {
  if (!MaySeek(place, &walk_)) return false;
  StoredBlock stored;
  Status status = source_->ReadStored(place, true, &walk_.window,
                                      &walk_.workspace.stored, &stored);
  ThrowIfOutOfMemory(status);
  if (!status.ok() || !BlockSource::CheckChecksum(place, stored).ok()) {
    return false;
  }
  *contents = stored.payload;
  if (stored.compression_type == 0) return true;
  walk_.loaded.owned.clear();
  status = source_->Decompress(place, stored, &walk_.workspace.decompressor,
                               &walk_.loaded.owned);
  ThrowIfOutOfMemory(status);
  if (!status.ok()) return false;
  *contents = walk_.loaded.owned.slice();
  return true;
}

bool Inspector::IsDataBlock(const BlockHandle& handle) {
  const BlockPlace place{BlockKind::kData, handle, 0};
  Slice contents;
  BlockView view;
  if (!Peek(place, &contents) || !ParseBlock(contents, place, &view).ok()) {
    return false;
  }
  size_t entries = 0;
  const Status status = ForEachPlainEntry(
      view, place, [&](const Slice& key, const Slice&) -> Status {
        if (key.size() < kInternalKeyTailBytes || !IsPointType(TypeOf(key))) {
          return place.Corruption("bad entry",
                                  "a data block cannot hold such a key");
        }
        ++entries;
        return {};
      });
  return status.ok() && entries != 0;
}

// A partition of the index is after all its data blocks, and ends with the same
// separator as it has in the top level.
bool Inspector::LooksLikePartition(const IndexItem& item,
                                   IndexItems* children) {
  const BlockPlace place{BlockKind::kIndexPartition, item.handle, 0};
  Slice contents;
  BlockView view;
  if (!Peek(place, &contents) || !ParseBlock(contents, place, &view).ok()) {
    return false;
  }
  RestartPoints restarts(view);
  return ParseIndexAs(index_form_, view, place, children, &restarts).ok() &&
         !children->empty() &&
         children->back().handle.End() <= item.handle.offset &&
         children->back().separator == item.separator;
}

// In the older form a partition of an index could be taken for a data block. So
// a block that looks like a partition must lead to a data block, or it decides
// nothing.
Status Inspector::GuessTwoLevels(const IndexItems& top,
                                 std::optional<bool>* two_levels) {
  BeginStep();
  if (top.empty()) *two_levels = false;
  size_t seen = 0;
  for (const IndexItem& item : top) {
    if (!GoesOnToBlock(seen++, 0)) return GivenUp();
    IndexItems children;
    if (!LooksLikePartition(item, &children)) {
      if (IsDataBlock(item.handle)) {
        *two_levels = false;
        return {};
      }
      continue;
    }
    for (const IndexItem& child : children) {
      if (!GoesOnToBlock(seen++, 0)) return GivenUp();
      if (IsDataBlock(child.handle)) {
        *two_levels = true;
        return {};
      }
    }
  }
  return {};
}

}  // namespace ashlar::internal
