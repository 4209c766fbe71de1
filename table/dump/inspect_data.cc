// The part of the Inspector that walks index and data blocks.

#include <iterator>

#include "port/huge_pages.h"
#include "table/block/hash_index.h"
#include "table/dump/inspector.h"
#include "table/meta/plain_block.h"

namespace ashlar::internal {

namespace {

// Whether the hash index knows the entry that `it` stands on. *restart is the
// ordinal of the last entry's restart interval.
Status CheckHashIndex(const BlockView& view, const BlockPlace& place,
                      const BlockIterator& it, uint32_t* restart) {
  if (*restart + 1 < view.num_restarts &&
      view.RestartOffset(*restart + 1) == it.offset()) {
    ++*restart;
  }
  const uint8_t bucket = BucketOf(view, UserKeyOf(it.key()));
  if (bucket == kSharedBucket || bucket == *restart) return {};
  return place.Corruption("key that the hash index sends elsewhere",
                          DescribeInternalKey(it.key()) + ": found bucket " +
                              std::to_string(bucket) + ", expected " +
                              std::to_string(*restart));
}

}  // namespace

std::optional<BlockHandle> Inspector::IndexHandle() const {
  const Footer& footer = source_->footer();
  if (!footer.traits().has_context_checksums) return footer.index;
  const MetaBlockEntry* const entry =
      FindMetaBlock(found_->meta_blocks, kIndexBlockName);
  if (entry == nullptr) return std::nullopt;
  return BlockHandle{entry->offset, entry->size};
}

Status Inspector::ParseIndexAs(const IndexForm& form, const BlockView& view,
                               const BlockPlace& place,
                               IndexItems* items) const {
  const uint64_t limit = source_->footer().offset;
  const size_t timestamp = order_.has_value() ? order_->timestamp_size() : 0;
  const size_t smallest =
      timestamp + (form.user_keys ? 0 : kInternalKeyTailBytes);
  // Mostly each entry is a restart point.
  items->Expect(view.num_restarts);
  return ForEachIndexEntry(
      view, place, form, [&](const Slice& separator, const IndexEntry& entry) {
        const BlockHandle& handle = entry.handle;
        if (separator.size() < smallest) {
          return place.Corruption(
              "bad index entry",
              "number " + std::to_string(items->size()) +
                  (timestamp == 0 ? " has no internal key"
                                  : " has no timestamp and tail"));
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
  return index_form_known_ ? ParseIndexAs(index_form_, view, place, items)
                           : GuessIndex(view, place, items);
}

Status Inspector::InspectIndex() {
  const std::optional<BlockHandle> handle = IndexHandle();
  if (!handle.has_value()) {
    if (!found_->meta_blocks.empty()) {
      AddFault({BlockKind::kIndex, {}, 0},
               Status::Corruption("no block rocksdb.index in the metaindex"));
    }
    return {};
  }
  const BlockPlace place{BlockKind::kIndex, *handle, 0};
  BlockInfo info;
  info.name = kIndexBlockName;
  Slice contents;
  IndexItems items;
  // Of what does not parse, the part before the damage is used.
  if (Read(place, &info, &contents)) {
    info.status = ParseIndex(contents, place, &items);
  }
  if (!index_levels_known_ && info.status.ok()) {
    const std::optional<bool> two_levels = GuessTwoLevels(items);
    index_is_two_level_ = two_levels.value_or(false);
    if (!two_levels) {
      info.status = place.Corruption(
          "bad index",
          "without the properties nothing tells whether it names data blocks "
          "or parts of the index");
      items = IndexItems();
    }
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
  return InspectPartitions(items);
}

bool Inspector::GoesOnToPart(size_t i) const {
  constexpr size_t kPartsPerReport = 256;
  // They lie behind the data blocks, of which nothing is done so far.
  return i % kPartsPerReport != 0 || TellProgress(0);
}

Status Inspector::InspectPartitions(const IndexItems& top) {
  for (size_t i = 0; i < top.size(); ++i) {
    if (!GoesOnToPart(i)) return GivenUp();
    const BlockPlace place{BlockKind::kIndexPartition, top[i].handle, i};
    BlockInfo info;
    Slice contents;
    const size_t before = data_blocks_.size();
    if (Read(place, &info, &contents)) {
      info.status = ParseIndex(contents, place, &data_blocks_);
      if (info.status.ok()) info.status = CheckPartition(place, before, top);
    }
    info.num_entries = data_blocks_.size() - before;
    index_complete_ = index_complete_ && info.status.ok();
    Keep(std::move(info));
    ShowIndexEntries(data_blocks_, before);
  }
  return {};
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
                                                " lies before entry " +
                                                std::to_string(i - 1));
    }
  }
  return {};
}

// Its separators must lie between those of the top level on both sides.
Status Inspector::CheckPartition(const BlockPlace& place, size_t first,
                                 const IndexItems& top) const {
  constexpr const char* kWhat = "bad index partition";
  if (first == data_blocks_.size()) {
    return place.Corruption(kWhat, "expected one entry or more, found none");
  }
  if (!order_.has_value()) return {};
  const size_t i = static_cast<size_t>(*place.index);
  if (CompareSeparators(data_blocks_.back().separator, top[i].separator) > 0) {
    return place.Corruption(
        kWhat, "its last entry is larger than its own in the top-level index");
  }
  if (i > 0 && CompareSeparators(data_blocks_[first].separator,
                                 top[i - 1].separator) <= 0) {
    return place.Corruption(kWhat,
                            "its first entry is not larger than that of the "
                            "partition before in the top-level index");
  }
  return {};
}

// Puts those of before behind them.
Status Inspector::InspectDataBlocks() {
  std::vector<BlockInfo> others;
  others.swap(found_->blocks);
  found_->blocks.reserve(data_blocks_.size() + others.size() + 1);
  // Each page of so long a list would else cost a fault of its own.
  port::UseHugePages(found_->blocks.data(),
                     found_->blocks.capacity() * sizeof(BlockInfo));
  Status status = TakeDataBlocks();
  num_data_blocks_kept_ = found_->blocks.size();
  found_->blocks.insert(found_->blocks.end(),
                        std::make_move_iterator(others.begin()),
                        std::make_move_iterator(others.end()));
  return status;
}

Status Inspector::TakeDataBlocks() {
  using DataBlocks = InspectOptions::DataBlocks;
  switch (options_.data_blocks) {
    case DataBlocks::kSkip:
      return {};
    case DataBlocks::kList:
      ListDataBlocks();
      break;
    case DataBlocks::kRead:
      const bool shows_them = options_.on_block || options_.on_entry;
      Status status = shows_them ? ReadDataBlocks() : ReadDataBlocksTogether();
      if (!status.ok()) return status;
      break;
  }
  return TellProgress(found_->file_size) ? Status() : GivenUp();
}

bool Inspector::TellProgress(uint64_t done) const {
  return !options_.on_progress || options_.on_progress(done, found_->file_size);
}

Status Inspector::GivenUp() const {
  return Status::Aborted(file_.name() + ": given up on request");
}

void Inspector::ListDataBlocks() {
  for (size_t i = 0; i < data_blocks_.size(); ++i) {
    BlockInfo info;
    info.kind = BlockKind::kData;
    info.index = i;
    info.offset = data_blocks_[i].handle.offset;
    info.size = data_blocks_[i].handle.size;
    found_->blocks.push_back(std::move(info));
  }
}

Status Inspector::ReadDataBlocks() {
  BeginDataBlocks(&walk_);
  for (size_t i = 0; i < data_blocks_.size(); ++i) {
    BlockInfo info;
    Slice contents;
    const bool shown = ReadDataBlock(i, &walk_, &info, &contents);
    num_points_ += info.num_entries;
    Keep(std::move(info));
    if (shown) {
      ShowEntries(contents, {BlockKind::kData, data_blocks_[i].handle, i});
    }
    constexpr size_t kBlocksPerReport = 256;
    if (i % kBlocksPerReport == 0 &&
        !TellProgress(data_blocks_[i].handle.offset)) {
      return GivenUp();
    }
  }
  return {};
}

void Inspector::BeginDataBlocks(Walk* walk) const {
  if (order_.has_value()) walk->iterator.emplace(*order_);
  if (hash_index_prefixes_.has_value()) {
    walk->hash_index.emplace(*hash_index_prefixes_, *hash_index_metadata_);
  }
}

bool Inspector::ReadDataBlock(size_t i, Walk* walk, BlockInfo* info,
                              Slice* contents) const {
  const BlockPlace place{BlockKind::kData, data_blocks_[i].handle, i};
  if (!Read(place, walk, info, contents) || !Decodes(place)) return false;
  info->status = WalkDataBlock(*contents, place, walk, info);
  return info->status.ok() || info->contents_sound;
}

Status Inspector::WalkDataBlock(const Slice& contents, const BlockPlace& place,
                                Walk* walk, BlockInfo* info) const {
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (!status.ok()) return status;
  if (walk->iterator.has_value()) {
    if (ProveBlock(view, place, walk, info)) return {};
    return WalkInOrder(view, place, walk, info);
  }
  const size_t i = static_cast<size_t>(*place.index);
  return ForEachPlainEntry(
      view, place, [&](const Slice& key, const Slice& value) -> Status {
        if (key.size() < kInternalKeyTailBytes) {
          return place.Corruption("bad entry",
                                  "key is shorter than its tail of 8 bytes");
        }
        if (has_blobs_) {
          Status blobs =
              place.Wrap("bad value", TakeBlobs(key, value, i, walk));
          if (!blobs.ok()) return blobs;
        }
        if (info->num_entries++ == 0 && options_.first_keys) {
          info->first_key = UserKeyOf(key).ToString();
        }
        return {};
      });
}

Status Inspector::WalkInOrder(const BlockView& view, const BlockPlace& place,
                              Walk* walk, BlockInfo* info) const {
  BlockIterator& it = *walk->iterator;
  const size_t i = static_cast<size_t>(*place.index);
  it.Reset(view, place);
  std::string first_key;
  uint32_t restart = 0;
  Status found_by;  // the first key that a reader would miss
  for (bool on_entry = it.SeekToFirst(); on_entry; on_entry = it.Next()) {
    if (info->num_entries++ == 0) first_key = it.key().ToString();
    if (has_blobs_) {
      Status blobs =
          place.Wrap("bad value", TakeBlobs(it.key(), it.value(), i, walk));
      if (!blobs.ok()) return blobs;
    }
    if (found_by.ok()) {
      found_by =
          CheckIsFound(view, place, walk, info->num_entries - 1, &restart);
    }
  }
  if (!it.status().ok()) return it.status();
  info->contents_sound = true;
  if (info->num_entries == 0) return {};
  if (options_.first_keys) {
    info->first_key = UserKeyOf(first_key).ToString();
  }
  return found_by.ok() ? CheckSeparators(place, first_key, it.key()) : found_by;
}

Status Inspector::CheckIsFound(const BlockView& view, const BlockPlace& place,
                               Walk* walk, uint64_t number,
                               uint32_t* restart) const {
  const BlockIterator& it = *walk->iterator;
  if (AsksFilter(number) && !FilterKnows(it.key(), place.handle.offset)) {
    return place.Corruption("key that the filter denies",
                            DescribeInternalKey(it.key()));
  }
  if (walk->hash_index.has_value() &&
      !HashIndexKnows(it.key(), static_cast<size_t>(*place.index),
                      &*walk->hash_index)) {
    return place.Corruption("key that the hash search index leads away from",
                            DescribeInternalKey(it.key()));
  }
  if (view.num_buckets == 0) return {};
  return CheckHashIndex(view, place, it, restart);
}

int Inspector::CompareSeparator(const Slice& s, const Slice& key) const {
  if (!index_form_.user_keys) return order_->Compare(s, key);
  const int order = order_->CompareUserKeys(s, UserKeyOf(key));
  return order != 0 ? order : 1;
}

Status Inspector::CheckSeparators(const BlockPlace& place,
                                  const Slice& first_key,
                                  const Slice& last_key) const {
  const size_t i = static_cast<size_t>(*place.index);
  const IndexItem& item = data_blocks_[i];
  if (CompareSeparator(item.separator, last_key) < 0) {
    return place.Corruption("key on the wrong side of its index separator",
                            DescribeInternalKey(last_key) + " is larger");
  }
  if (i > 0 &&
      CompareSeparator(data_blocks_[i - 1].separator, first_key) >= 0) {
    return place.Corruption("key on the wrong side of its index separator",
                            DescribeInternalKey(first_key) +
                                " is not larger than that of the block before");
  }
  if (index_form_.first_keys && item.first_key != first_key) {
    return place.Corruption(
        "first key differs from that in the index",
        "the index has another one, found " + DescribeInternalKey(first_key));
  }
  return {};
}

}  // namespace ashlar::internal
