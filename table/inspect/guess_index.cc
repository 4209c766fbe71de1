// The part of the index pass that finds out the form of the index if there are
// no properties to say it.

#include "table/inspect/parse_index.h"
#include "table/meta/plain_block.h"

namespace ashlar::internal {

namespace {

bool IsPointType(ValueType type) {
  return type != ValueType::kTypeRangeDeletion &&
         ValueTypeName(type) != "unknown";
}

// Returns whether the separators from number `first` on can be internal keys.
// User keys that end in such bytes, and are in the order of internal keys, are
// rare. The other way round nothing would be learnt: every internal key could
// be a user key.
bool AreInternalKeys(const IndexItems& items, size_t first) {
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

bool IsDataBlock(const BlockHandle& handle, PassReads* reads) {
  const BlockPlace place{BlockKind::kData, handle, 0};
  Slice contents;
  BlockView view;
  if (!reads->Peek(place, &contents) ||
      !ParseBlock(contents, place, &view).ok()) {
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
bool LooksLikePartition(const IndexParser& parser, const IndexForm& form,
                        const IndexItem& item, PassReads* reads,
                        IndexItems* children) {
  const BlockPlace place{BlockKind::kIndexPartition, item.handle, 0};
  Slice contents;
  BlockView view;
  if (!reads->Peek(place, &contents) ||
      !ParseBlock(contents, place, &view).ok()) {
    return false;
  }
  RestartPoints restarts(view);
  return parser.Parse(form, view, place, children, &restarts).ok() &&
         !children->empty() &&
         children->back().handle.End() <= item.handle.offset &&
         children->back().separator == item.separator;
}

}  // namespace

Status IndexParser::Guess(const BlockView& view, const BlockPlace& place,
                          IndexForm* form, IndexItems* items,
                          const Accepts& accepts) const {
  const FormatTraits& traits = footer_.traits();
  const IndexItems::Mark before = items->mark();
  Status status;
  for (const bool first_keys : {false, true}) {
    for (const bool delta : {true, false}) {
      if (delta && !traits.may_have_delta_handles) continue;
      IndexForm tried{traits.may_have_user_key_index, delta, first_keys};
      RestartPoints restarts(view);
      status = Parse(tried, view, place, items, &restarts);
      if (status.ok() && accepts && !accepts(*items)) {
        status = place.Corruption("bad index", "no form of an index fits");
      }
      if (status.ok()) {
        tried.user_keys =
            tried.user_keys && !AreInternalKeys(*items, before.items);
        *form = tried;
        return status;
      }
      items->GoBack(before);
    }
  }
  return status;
}

Status IndexParser::ParseFilterIndex(IndexForm form, bool form_known,
                                     const BlockView& view,
                                     const BlockPlace& place,
                                     IndexItems* items) const {
  form.first_keys = false;
  if (form_known) return ParseAndJudge(form, view, place, items);
  RestartPoints restarts(view);
  const FormatTraits& traits = footer_.traits();
  const IndexItems::Mark before = items->mark();
  form.user_keys = traits.may_have_user_key_index;
  form.delta_handles = traits.may_have_delta_handles;
  Status status = Parse(form, view, place, items, &restarts);
  if (status.ok() || !form.delta_handles) return status;
  items->GoBack(before);
  form.delta_handles = false;
  return Parse(form, view, place, items, &restarts);
}

// In the older form a partition of an index could be taken for a data block. So
// a block that looks like a partition must lead to a data block, or it decides
// nothing.
bool GuessTwoLevels(const IndexParser& parser, const IndexForm& form,
                    const IndexItems& top, PassReads* reads,
                    std::optional<bool>* two_levels) {
  reads->BeginStep();
  if (top.empty()) *two_levels = false;
  size_t seen = 0;
  for (const IndexItem& item : top) {
    if (!reads->GoesOnToBlock(seen++, 0)) return false;
    IndexItems children;
    if (!LooksLikePartition(parser, form, item, reads, &children)) {
      if (IsDataBlock(item.handle, reads)) {
        *two_levels = false;
        return true;
      }
      continue;
    }
    for (const IndexItem& child : children) {
      if (!reads->GoesOnToBlock(seen++, 0)) return false;
      if (IsDataBlock(child.handle, reads)) {
        *two_levels = true;
        return true;
      }
    }
  }
  return true;
}

}  // namespace ashlar::internal
