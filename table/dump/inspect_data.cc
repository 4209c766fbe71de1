// The part of the Inspector that walks index and data blocks.

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
                               std::vector<IndexItem>* items) const {
  const uint64_t limit = source_->footer().offset;
  const size_t timestamp = order_.has_value() ? order_->timestamp_size() : 0;
  const size_t smallest =
      timestamp + (form.user_keys ? 0 : kInternalKeyTailBytes);
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
        items->push_back(
            {handle, separator.ToString(), entry.first_key.ToString()});
        return Status();
      });
}

Status Inspector::ParseIndex(const Slice& contents, const BlockPlace& place,
                             std::vector<IndexItem>* items) {
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (!status.ok()) return status;
  const size_t before = items->size();
  if (index_form_known_) {
    return ParseIndexAs(index_form_, view, place, items);
  }
  for (const bool delta : {true, false}) {
    for (const bool user_keys : {true, false}) {
      const IndexForm form{user_keys, delta, false};
      status = ParseIndexAs(form, view, place, items);
      if (status.ok()) {
        index_form_ = form;
        return status;
      }
      items->resize(before);
    }
  }
  return status;
}

void Inspector::InspectIndex() {
  const std::optional<BlockHandle> handle = IndexHandle();
  if (!handle.has_value()) {
    if (!found_->meta_blocks.empty()) {
      AddFault({BlockKind::kIndex, {}, 0},
               Status::Corruption("no block rocksdb.index in the metaindex"));
    }
    return;
  }
  const BlockPlace place{BlockKind::kIndex, *handle, 0};
  BlockInfo info;
  info.name = kIndexBlockName;
  Slice contents;
  std::vector<IndexItem> items;
  // Of what does not parse, the part before the damage is used.
  if (Read(place, &info, &contents)) {
    info.status = ParseIndex(contents, place, &items);
  }
  info.num_entries = items.size();
  index_complete_ = info.status.ok();
  Keep(std::move(info));
  if (!index_is_two_level_) {
    data_blocks_ = std::move(items);
    return;
  }
  InspectPartitions(items);
}

void Inspector::InspectPartitions(const std::vector<IndexItem>& top) {
  for (size_t i = 0; i < top.size(); ++i) {
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
  }
}

// Its separators must lie between those of the top level on both sides.
Status Inspector::CheckPartition(const BlockPlace& place, size_t first,
                                 const std::vector<IndexItem>& top) const {
  constexpr const char* kWhat = "bad index partition";
  if (first == data_blocks_.size()) {
    return place.Corruption(kWhat, "expected one entry or more, found none");
  }
  if (!order_.has_value()) return {};
  const size_t i = static_cast<size_t>(*place.index);
  const auto compare = [this](const std::string& a, const std::string& b) {
    return index_form_.user_keys ? order_->CompareUserKeys(a, b)
                                 : order_->Compare(a, b);
  };
  if (compare(data_blocks_.back().separator, top[i].separator) > 0) {
    return place.Corruption(
        kWhat, "its last entry is larger than its own in the top-level index");
  }
  if (i > 0 &&
      compare(data_blocks_[first].separator, top[i - 1].separator) <= 0) {
    return place.Corruption(kWhat,
                            "its first entry is not larger than that of the "
                            "partition before in the top-level index");
  }
  return {};
}

Status Inspector::InspectDataBlocks() {
  using DataBlocks = InspectOptions::DataBlocks;
  if (options_.data_blocks == DataBlocks::kSkip) return {};
  if (order_.has_value()) block_iterator_.emplace(*order_);
  const uint64_t total = found_->file_size;
  for (size_t i = 0; i < data_blocks_.size(); ++i) {
    if (options_.data_blocks == DataBlocks::kRead) {
      InspectDataBlock(i);
    } else {
      BlockInfo info;
      info.kind = BlockKind::kData;
      info.index = i;
      info.offset = data_blocks_[i].handle.offset;
      info.size = data_blocks_[i].handle.size;
      found_->blocks.push_back(std::move(info));
    }
    constexpr size_t kBlocksPerReport = 256;
    if (options_.on_progress && i % kBlocksPerReport == 0 &&
        !options_.on_progress(data_blocks_[i].handle.offset, total)) {
      return Status::Aborted(file_.name() + ": given up on request");
    }
  }
  if (options_.on_progress && !options_.on_progress(total, total)) {
    return Status::Aborted(file_.name() + ": given up on request");
  }
  return {};
}

void Inspector::InspectDataBlock(size_t i) {
  const BlockPlace place{BlockKind::kData, data_blocks_[i].handle, i};
  BlockInfo info;
  Slice contents;
  if (Read(place, &info, &contents) && options_.decode) {
    info.status = WalkDataBlock(contents, place, &info);
  }
  num_points_ += info.num_entries;
  Keep(std::move(info));
}

Status Inspector::WalkDataBlock(const Slice& contents, const BlockPlace& place,
                                BlockInfo* info) {
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (!status.ok()) return status;
  if (block_iterator_.has_value()) return WalkInOrder(view, place, info);
  return ForEachPlainEntry(
      view, place, [&](const Slice& key, const Slice& value) -> Status {
        if (key.size() < kInternalKeyTailBytes) {
          return place.Corruption("bad entry",
                                  "key is shorter than its tail of 8 bytes");
        }
        if (has_blobs_) {
          Status blobs = place.Wrap("bad value", TakeBlobs(key, value));
          if (!blobs.ok()) return blobs;
        }
        if (info->num_entries++ == 0 && options_.first_keys) {
          info->first_key = UserKeyOf(key).ToString();
        }
        return {};
      });
}

Status Inspector::WalkInOrder(const BlockView& view, const BlockPlace& place,
                              BlockInfo* info) {
  BlockIterator& it = *block_iterator_;
  it.Reset(view, place);
  std::string first_key;
  uint32_t restart = 0;
  for (bool on_entry = it.SeekToFirst(); on_entry; on_entry = it.Next()) {
    if (info->num_entries++ == 0) first_key = it.key().ToString();
    if (!FilterKnows(it.key(), place.handle.offset)) {
      return place.Corruption("key that the filter denies",
                              DescribeInternalKey(it.key()));
    }
    if (has_blobs_) {
      Status blobs = place.Wrap("bad value", TakeBlobs(it.key(), it.value()));
      if (!blobs.ok()) return blobs;
    }
    if (hash_index_.has_value() &&
        !HashIndexKnows(it.key(), static_cast<size_t>(*place.index))) {
      return place.Corruption("key that the hash search index leads away from",
                              DescribeInternalKey(it.key()));
    }
    if (view.num_buckets == 0) continue;
    Status hashed = CheckHashIndex(view, place, it, &restart);
    if (!hashed.ok()) return hashed;
  }
  if (!it.status().ok()) return it.status();
  if (info->num_entries == 0) return {};
  if (options_.first_keys) {
    info->first_key = UserKeyOf(first_key).ToString();
  }
  return CheckSeparators(place, first_key, it.key());
}

int Inspector::CompareSeparator(const std::string& s, const Slice& key) const {
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
