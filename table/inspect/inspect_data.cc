// The part of the Inspector that walks over data blocks.

#include <iterator>

#include "ashlar/table/entry/timed_value.h"
#include "ashlar/table/entry/wide_columns.h"
#include "port/huge_pages.h"
#include "table/block/hash_index.h"
#include "table/inspect/inspector.h"
#include "table/inspect/restart_points.h"

namespace ashlar::internal {

namespace {

// Returns Corruption unless the block's hash index leads to the entry of `it`,
// in restart interval `interval`.
Status CheckHashIndex(const BlockView& view, const BlockPlace& place,
                      const BlockIterator& it, uint32_t interval) {
  const uint8_t bucket = BucketOf(view, UserKeyOf(it.key()));
  if (bucket == kSharedBucket || bucket == interval) return {};
  return place.Corruption("hash index does not lead to a key",
                          DescribeInternalKey(it.key()) + ": found bucket " +
                              std::to_string(bucket) + ", expected " +
                              std::to_string(interval));
}

// Returns Corruption unless a Get of this entry could return its value.
Status CheckValue(const BlockPlace& place, const BlockIterator& it) {
  Status status;
  if (TypeOf(it.key()) == ValueType::kTypeWideColumnEntity) {
    std::vector<WideColumn> columns;
    status = DecodeWideColumns(it.value(), &columns);
  } else if (TypeOf(it.key()) == ValueType::kTypeValuePreferredSeqno) {
    TimedValue timed;
    status = DecodeTimedValue(it.value(), &timed);
  }
  return place.Wrap("value of " + DescribeInternalKey(it.key()), status);
}

// For blocks whose walk failed where the order is not known. A key with a type
// or at a place that it cannot have says nothing of the other entries: if each
// can be decoded, all of them can be shown.
void CheckPlainEntries(const BlockView& view, const BlockPlace& place,
                       BlockInfo* info) {
  info->num_entries = 0;
  const Status status = ForEachPlainEntry(
      view, place, [&](const Slice& key, const Slice&) -> Status {
        ++info->num_entries;
        return key.size() >= kInternalKeyTailBytes
                   ? Status()
                   : place.Corruption(
                         "bad entry",
                         "key is shorter than its tail of 8 bytes");
      });
  info->contents_sound = status.ok();
}

uint32_t SharedBytes(const BlockView& view, uint32_t offset) {
  EntryHeader header;
  const char* const p =
      DecodeEntryNumbers(view.entries + offset, view.limit(), &header);
  return p == nullptr ? 0 : header.shared;
}

}  // namespace

// Puts the blocks that were found before after them.
Status Inspector::InspectDataBlocks() {
  std::vector<BlockInfo> others;
  others.swap(found_->blocks);
  found_->blocks.reserve(data_blocks_.size() + others.size() + 1);
  // Else each page of so long a list would cost a page fault.
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
  return ReportProgress(found_->file_size) ? Status() : GivenUp();
}

bool Inspector::ReportProgress(uint64_t done) const {
  return !options_.on_progress || options_.on_progress(done, found_->file_size);
}

Status Inspector::GivenUp() const {
  return Status::Aborted(file_.name() + ": stopped on request");
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
  BeginStep();
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
        !ReportProgress(data_blocks_[i].handle.offset)) {
      return GivenUp();
    }
  }
  return {};
}

void Inspector::BeginDataBlocks(Walk* walk) const {
  walk->iterator.emplace(walk_order_);
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
  if (order_.has_value() && ProveBlock(view, place, walk, info)) return {};
  return WalkInOrder(view, place, walk, info);
}

Slice Inspector::AsRead(const Slice& stored, std::string* whole) const {
  if (!key_form_.sequence.has_value()) return stored;
  KeyForm(key_form_.sequence).Restore(stored, whole);
  return *whole;
}

// For files in which one sequence number replaces those of all entries: it may
// make versions of a key equal.
class Inspector::ReadKeys {
 public:
  ReadKeys(const Inspector& inspector, const BlockView& view)
      : inspector_(inspector), budget_(view.entries_size) {}

  // To be called for each entry.
  Status Pass(const Slice& stored, const BlockPlace& place) {
    if (inspector_.key_form_.IsAsStored()) return {};
    if (!budget_.Take(stored.size())) {
      return place.Corruption(
          "bad entry",
          "its keys together are many times larger than the block");
    }
    const Slice key = inspector_.AsRead(stored, &whole_);
    if (!last_.empty() && UserKeyOf(last_) == UserKeyOf(key) &&
        TailOf(last_) <= TailOf(key)) {
      return place.Corruption(
          "two keys are equal under the global sequence number",
          DescribeInternalKey(key));
    }
    last_.assign(key.data(), key.size());
    return {};
  }

 private:
  const Inspector& inspector_;
  KeyBudget budget_;
  std::string whole_;
  std::string last_;
};

Status Inspector::WalkInOrder(const BlockView& view, const BlockPlace& place,
                              Walk* walk, BlockInfo* info) const {
  BlockIterator& it = *walk->iterator;
  const size_t i = static_cast<size_t>(*place.index);
  it.Reset(view, place);
  std::string first_key;
  RestartPoints restarts(view);
  ReadKeys keys(*this, view);
  Status found_by;  // the first fault of a key or value for a reader
  for (bool on_entry = it.SeekToFirst(); on_entry; on_entry = it.Next()) {
    if (info->num_entries++ == 0) first_key = it.key().ToString();
    if (has_blobs_) {
      Status blobs =
          place.Wrap("bad value", TakeBlobs(it.key(), it.value(), i, walk));
      if (!blobs.ok()) return blobs;
    }
    restarts.Pass(it.offset(), SharedBytes(view, it.offset()));
    if (found_by.ok()) found_by = keys.Pass(it.key(), place);
    if (found_by.ok()) found_by = CheckValue(place, it);
    if (found_by.ok()) {
      found_by = CheckIsFound(view, place, walk, info->num_entries - 1,
                              restarts.interval());
    }
  }
  if (!it.status().ok()) {
    if (!order_.has_value()) CheckPlainEntries(view, place, info);
    return it.status();
  }
  info->contents_sound = true;
  if (info->num_entries == 0) return {};
  if (options_.first_keys) {
    info->first_key = UserKeyOf(first_key).ToString();
  }
  // A wrong restart point is reported first: other faults may follow from it.
  Status sought = restarts.Judge(place);
  if (!sought.ok()) return sought;
  return found_by.ok() ? CheckSeparators(place, first_key, it.key()) : found_by;
}

Status Inspector::CheckIsFound(const BlockView& view, const BlockPlace& place,
                               Walk* walk, uint64_t number,
                               uint32_t interval) const {
  const BlockIterator& it = *walk->iterator;
  std::string whole;
  if (order_.has_value() && AsksFilter(number) &&
      !FilterKnows(AsRead(it.key(), &whole), place.handle.offset)) {
    return place.Corruption("filter does not match a key",
                            DescribeInternalKey(it.key()));
  }
  if (walk->hash_index.has_value() &&
      !HashIndexKnows(it.key(), static_cast<size_t>(*place.index),
                      &*walk->hash_index)) {
    return place.Corruption("hash search index does not lead to a key",
                            DescribeInternalKey(it.key()));
  }
  if (view.num_buckets == 0 || !order_.has_value()) return {};
  return CheckHashIndex(view, place, it, interval);
}

int Inspector::CompareSeparator(const Slice& s, const Slice& key) const {
  if (!index_form_.user_keys) return order_->Compare(s, key);
  const int order = order_->CompareUserKeys(s, UserKeyOf(key));
  return order != 0 ? order : 1;
}

Status Inspector::CheckSeparators(const BlockPlace& place,
                                  const Slice& first_key,
                                  const Slice& last_key) const {
  constexpr const char* kWrongSide =
      "key on the wrong side of its index separator";
  const size_t i = static_cast<size_t>(*place.index);
  const IndexItem& item = data_blocks_[i];
  std::string whole;
  if (order_.has_value() &&
      CompareSeparator(item.separator, AsRead(last_key, &whole)) < 0) {
    return place.Corruption(kWrongSide,
                            DescribeInternalKey(last_key) + " is larger");
  }
  if (order_.has_value() && i > 0 &&
      CompareSeparator(SeparatorBefore(i), AsRead(first_key, &whole)) >= 0) {
    const bool of_part =
        SeparatorBefore(i).data() != data_blocks_[i - 1].separator.data();
    return place.Corruption(
        kWrongSide,
        DescribeInternalKey(first_key) +
            " is not larger than the separator of the " +
            (of_part ? "index partition before it in the top-level index"
                     : "block before"));
  }
  if (index_form_.first_keys && item.first_key != first_key) {
    return place.Corruption("first key differs from that in the index",
                            "expected " + DescribeInternalKey(item.first_key) +
                                ", found " + DescribeInternalKey(first_key));
  }
  return {};
}

}  // namespace ashlar::internal
