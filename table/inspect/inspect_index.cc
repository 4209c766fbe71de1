// The part of the Inspector that walks over index blocks, and checks what a
// reader relies on in them.

#include <algorithm>

#include "table/index/parsed_index.h"
#include "table/inspect/inspector.h"
#include "table/inspect/restart_points.h"
#include "table/meta/plain_block.h"

namespace ashlar::internal {

std::optional<BlockHandle> Inspector::IndexHandle() const {
  const Footer& footer = source_->footer();
  if (!footer.traits().has_context_checksums) return footer.index;
  const MetaBlockEntry* const entry =
      FindMetaBlock(found_->meta_blocks, kIndexBlockName);
  if (entry == nullptr) return std::nullopt;
  return BlockHandle{entry->offset, entry->size};
}

Status Inspector::ParseIndexAs(const IndexForm& form, const BlockView& view,
                               const BlockPlace& place, IndexItems* items,
                               RestartPoints* restarts) const {
  const uint64_t limit = source_->footer().offset;
  const size_t timestamp = order_.has_value() ? order_->timestamp_size() : 0;
  const size_t smallest =
      timestamp + (form.user_keys ? 0 : kInternalKeyTailBytes);
  // Mostly each entry is at a restart point.
  items->Expect(view.num_restarts);
  return ForEachIndexEntry(
      view, place, form, [&](const Slice& separator, const IndexEntry& entry) {
        const BlockHandle& handle = entry.handle;
        restarts->Pass(entry.offset, entry.shared);
        if (separator.size() < smallest) {
          return place.Corruption(
              "bad index entry",
              "number " + std::to_string(items->size()) +
                  (timestamp == 0 ? " has a key that is not an internal key"
                                  : " has a key that is shorter than its "
                                    "timestamp and tail"));
        }
        if (!handle.FitsBelow(limit)) {
          return place.Corruption(
              "bad block handle",
              "entry " + std::to_string(items->size()) + " names offset " +
                  std::to_string(handle.offset) + " size " +
                  std::to_string(handle.size) + ", expected to end by " +
                  std::to_string(limit));
        }
        if (!items->empty() && handle.offset < items->back().handle.End()) {
          return place.Corruption(
              "bad block handle",
              "entry " + std::to_string(items->size()) + " names offset " +
                  std::to_string(handle.offset) + ", expected " +
                  std::to_string(items->back().handle.End()) +
                  " or more, where the block before it ends");
        }
        items->Add(handle, separator, entry.first_key);
        return Status();
      });
}

Status Inspector::ParseIndex(const Slice& contents, const BlockPlace& place,
                             IndexItems* items) {
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (!status.ok()) return status;
  if (!index_form_known_) return GuessIndex(view, place, items);
  RestartPoints restarts(view);
  status = ParseIndexAs(index_form_, view, place, items, &restarts);
  return status.ok() ? restarts.Judge(place) : status;
}

// Checks the items from number `first` on, all of one block, for what a reader
// relies on. `first_keys`: whether they have first keys.
Status Inspector::CheckIndexOrder(const IndexItems& items, size_t first,
                                  const BlockPlace& place,
                                  bool first_keys) const {
  std::string whole;
  for (size_t i = first; i < items.size(); ++i) {
    const auto damage = [&](const std::string& what) {
      return place.Corruption("bad index entry",
                              "entry " + std::to_string(i - first) + what);
    };
    if (order_.has_value() && i > first &&
        CompareSeparators(items[i - 1].separator, items[i].separator) >= 0) {
      return damage(" is not larger than the one before it");
    }
    if (!first_keys) continue;
    const Slice stored = items[i].first_key;
    if (stored.size() < walk_order_.smallest_key()) {
      return damage(" has a first key that is not an internal key");
    }
    if (!order_.has_value()) continue;
    const Slice key = AsRead(stored, &whole);
    if (CompareSeparator(items[i].separator, key) < 0) {
      return damage(" has a first key after its separator");
    }
    if (i > first && CompareSeparator(items[i - 1].separator, key) >= 0) {
      return damage(" has a first key not after the separator before it");
    }
  }
  return {};
}

Status Inspector::InspectIndex() {
  const std::optional<BlockHandle> handle = IndexHandle();
  if (!handle.has_value()) {
    if (metaindex_sound_) {
      AddFault({BlockKind::kIndex, {}, 0},
               Status::Corruption("the metaindex does not name rocksdb.index"));
    }
    return {};
  }
  BeginStep();
  const BlockPlace place{BlockKind::kIndex, *handle, 0};
  BlockInfo info;
  info.name = kIndexBlockName;
  Slice contents;
  IndexItems items;
  // If the block does not parse, the items before the damage are used.
  if (Read(place, &info, &contents)) {
    info.status = ParseIndex(contents, place, &items);
  }
  if (!index_levels_known_ && info.status.ok()) {
    std::optional<bool> two_levels;
    Status given_up = GuessTwoLevels(items, &two_levels);
    if (!given_up.ok()) return given_up;
    index_is_two_level_ = two_levels.value_or(false);
    if (!two_levels) {
      info.status =
          place.Corruption("bad index",
                           "without the properties block it is unknown whether "
                           "the index names data blocks or index partitions");
      items = IndexItems();
    }
  }
  if (index_form_known_ && info.status.ok()) {
    info.status = CheckIndexOrder(
        items, 0, place, index_form_.first_keys && !index_is_two_level_);
  }
  index_form_known_ = index_form_known_ || info.status.ok();
  found_->index_has_user_keys = index_form_.user_keys;
  info.num_entries = items.size();
  index_complete_ = info.status.ok();
  Keep(std::move(info));
  ShowIndexEntries(items, 0);
  if (!index_is_two_level_) {
    data_blocks_ = std::move(items);
    return {};
  }
  top_level_ = std::move(items);
  return InspectPartitions();
}

bool Inspector::GoesOnToPart(size_t i) const {
  constexpr size_t kPartsPerReport = 256;
  // The partitions are after the data blocks, of which none is done so far.
  return i % kPartsPerReport != 0 || ReportProgress(0);
}

// Returns how much memory a reader needs for an index partition that was
// parsed, slot hints included. At least: words or ends of keys, packed handles,
// first keys, and the separators unless what they have in common is stored
// once. At most: whole keys and their ends, whole handles, words and inner
// nodes, and what groups need.
Inspector::PartMemory Inspector::MemoryOfItems(size_t first) const {
  constexpr uint64_t kLeastPerItem = 3 + sizeof(uint32_t);
  constexpr uint64_t kMostPerItem = 128;
  constexpr uint64_t kMostOfBlock = 1024;
  const bool packs = whole_order_.has_value() && whole_order_->known() &&
                     whole_order_->IsOfBytes();
  PartMemory memory;
  memory.most = kMostOfBlock;
  for (size_t i = first; i < data_blocks_.size(); ++i) {
    // Timestamps that are not stored are put back.
    const uint64_t keys = data_blocks_[i].separator.size() +
                          data_blocks_[i].first_key.size() +
                          2 * key_form_.stripped_timestamp;
    memory.least += kLeastPerItem + data_blocks_[i].first_key.size() +
                    (packs ? 0 : data_blocks_[i].separator.size());
    memory.most += kMostPerItem + 2 * keys;
  }
  return memory;
}

// Measures it as a reader does. That costs time, and is not needed if `most`
// fits.
Status Inspector::MeasurePartition(const Slice& contents,
                                   const BlockPlace& place,
                                   uint64_t* bytes) const {
  IndexForm form = index_form_;
  form.keys = key_form_;
  ParsedIndex parsed(whole_order_.has_value()
                         ? *whole_order_
                         : KeyOrder::Unknown(BytewiseComparator()),
                     form);
  Status status = parsed.Parse(contents, place, source_->footer().offset);
  *bytes = parsed.MostMemoryUsage();
  return status;
}

// Checks one partition that was parsed. A reader refuses a single one that is
// larger than all of them together may be.
Status Inspector::CheckMemoryOfPartition(const Slice& contents,
                                         const BlockPlace& place,
                                         const PartMemory& memory) const {
  const uint64_t most = KeyBudget(source_->footer().offset).left();
  if (memory.most <= most) return {};
  uint64_t bytes = memory.least;
  if (bytes <= most) {
    Status status = MeasurePartition(contents, place, &bytes);
    if (!status.ok()) return status;
  }
  return bytes <= most
             ? Status()
             : place.Corruption(
                   "bad index partition",
                   "its keys together are many times larger than the file");
}

Status Inspector::IndexIsTooLarge() const {
  return Status::MemoryLimit(
      "the index partitions were not checked: their keys need more than " +
      std::to_string(KeyBudget(source_->footer().offset).left()) +
      " bytes of memory, many times the size of the file");
}

// For an index of which the bounds left open whether a reader can keep all
// partitions.
Status Inspector::MeasurePartitions() {
  KeyBudget budget(source_->footer().offset);
  BeginStep();
  for (size_t i = 0; i < top_level_.size(); ++i) {
    if (!GoesOnToPart(i)) return GivenUp();
    const BlockPlace place{BlockKind::kIndexPartition, top_level_[i].handle, i};
    Slice contents;
    uint64_t bytes = 0;
    // Faults of partitions have been reported already.
    if (Peek(place, &contents) &&
        MeasurePartition(contents, place, &bytes).ok() && !budget.Take(bytes)) {
      return IndexIsTooLarge();
    }
  }
  return {};
}

Status Inspector::InspectPartitions() {
  const uint64_t most = KeyBudget(source_->footer().offset).left();
  PartMemory total;
  BeginStep();
  for (size_t i = 0; i < top_level_.size(); ++i) {
    if (!GoesOnToPart(i)) return GivenUp();
    const BlockPlace place{BlockKind::kIndexPartition, top_level_[i].handle, i};
    BlockInfo info;
    Slice contents;
    const IndexItems::Mark mark = data_blocks_.mark();
    const size_t before = mark.items;
    partition_begins_.push_back(before);
    if (Read(place, &info, &contents)) {
      info.status = ParseIndex(contents, place, &data_blocks_);
      if (info.status.ok()) {
        info.status = CheckIndexOrder(data_blocks_, before, place,
                                      index_form_.first_keys);
      }
      if (info.status.ok()) info.status = CheckPartition(place, before);
      const PartMemory memory = MemoryOfItems(before);
      const Status fits = CheckMemoryOfPartition(contents, place, memory);
      if (fits.ok()) {
        total.least += memory.least;
        total.most += memory.most;
        if (total.least > most) return IndexIsTooLarge();
      } else {
        data_blocks_.GoBack(mark);
        if (info.status.ok()) info.status = fits;
      }
    }
    info.num_entries = data_blocks_.size() - before;
    index_complete_ = index_complete_ && info.status.ok();
    Keep(std::move(info));
    ShowIndexEntries(data_blocks_, before);
  }
  return total.most <= most ? Status() : MeasurePartitions();
}

// The same rule as the reader's, which looks for a key in the top level first:
// before the first block of a partition comes the separator of the partition
// before.
Slice Inspector::SeparatorBefore(size_t i) const {
  const auto next =
      std::upper_bound(partition_begins_.begin(), partition_begins_.end(), i);
  const auto part = static_cast<size_t>(next - partition_begins_.begin());
  return part >= 2 && partition_begins_[part - 1] == i
             ? top_level_[part - 2].separator
             : data_blocks_[i - 1].separator;
}

int Inspector::CompareSeparators(const Slice& a, const Slice& b) const {
  return index_form_.user_keys ? order_->CompareUserKeys(a, b)
                               : order_->Compare(a, b);
}

Status Inspector::CheckFilterSeparators(const IndexItems& parts,
                                        const BlockPlace& place) const {
  for (size_t i = 1; i < parts.size(); ++i) {
    if (CompareSeparators(parts[i].separator, parts[i - 1].separator) < 0) {
      return place.Corruption("bad filter", "entry " + std::to_string(i) +
                                                " sorts before entry " +
                                                std::to_string(i - 1));
    }
  }
  return {};
}

// Checks that its separators are between those of the top level on both sides.
Status Inspector::CheckPartition(const BlockPlace& place, size_t first) const {
  const IndexItems& top = top_level_;
  constexpr const char* kWhat = "bad index partition";
  if (first == data_blocks_.size()) {
    return place.Corruption(kWhat, "expected one entry or more, found none");
  }
  if (!order_.has_value()) return {};
  const size_t i = static_cast<size_t>(*place.index);
  if (CompareSeparators(data_blocks_.back().separator, top[i].separator) > 0) {
    return place.Corruption(kWhat,
                            "its last separator is larger than its separator "
                            "in the top-level index");
  }
  if (i > 0 && CompareSeparators(data_blocks_[first].separator,
                                 top[i - 1].separator) <= 0) {
    return place.Corruption(
        kWhat,
        "its first separator is not larger than the separator of the partition "
        "before it in the top-level index");
  }
  return {};
}

}  // namespace ashlar::internal
