#include "table/inspect/index_pass.h"

#include <optional>
#include <string>
#include <utility>

#include "table/index/parsed_index.h"
#include "table/inspect/parse_index.h"
#include "table/meta/plain_block.h"

namespace ashlar::internal {

namespace {

// Bounds of the bytes that a reader needs for index partitions in memory.
struct PartitionMemory {
  uint64_t least = 0;
  uint64_t most = 0;
};

// One index pass. InspectIndex says what its members are.
class IndexPass {
 public:
  IndexPass(const TableFacts& facts, PassReads* reads, Findings* findings,
            IndexedBlocks* blocks)
      : facts_(facts),
        reads_(*reads),
        findings_(*findings),
        blocks_(*blocks),
        footer_(reads->file().footer()),
        parser_(footer_, facts.timestamp_size()),
        most_memory_(KeyBudget(footer_.offset).left()) {}

  Status Run();

 private:
  std::optional<BlockHandle> IndexHandle() const;
  Status ParseIndex(const Slice& contents, const BlockPlace& place,
                    IndexItems* items);
  Status CheckOrder(const IndexItems& items, size_t first,
                    const BlockPlace& place, bool first_keys) const;
  Status InspectPartitions();
  Status CheckPartition(const BlockPlace& place, size_t first) const;
  PartitionMemory MemoryOfItems(size_t first) const;
  Status CheckMemoryOfPartition(const Slice& contents, const BlockPlace& place,
                                const PartitionMemory& memory) const;
  Status MeasurePartition(const Slice& contents, const BlockPlace& place,
                          uint64_t* bytes) const;
  Status MeasurePartitions();
  Status IndexIsTooLarge() const;

  const TableFacts& facts_;
  PassReads& reads_;
  Findings& findings_;
  IndexedBlocks& blocks_;
  const Footer& footer_;
  const IndexParser parser_;
  const uint64_t most_memory_;  // what a reader may need for all partitions
};

// From format version 6 on the metaindex names the index.
std::optional<BlockHandle> IndexPass::IndexHandle() const {
  if (!footer_.traits().has_context_checksums) {
    // A footer that was made up may have none.
    if (footer_.index.size == 0) return std::nullopt;
    return footer_.index;
  }
  const MetaBlockEntry* const entry =
      FindMetaBlock(findings_.inspection().meta_blocks, kIndexBlockName);
  if (entry == nullptr) return std::nullopt;
  return BlockHandle{entry->offset, entry->size};
}

// Parses an index block in the form that the properties say, or, if they say
// none, in one that fits.
Status IndexPass::ParseIndex(const Slice& contents, const BlockPlace& place,
                             IndexItems* items) {
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (!status.ok()) return status;
  return blocks_.form_known
             ? parser_.ParseAndJudge(blocks_.form, view, place, items)
             : parser_.Guess(view, place, &blocks_.form, items);
}

// Checks the items from number `first` on, all of one block, for what a reader
// relies on. `first_keys`: whether they have first keys.
Status IndexPass::CheckOrder(const IndexItems& items, size_t first,
                             const BlockPlace& place, bool first_keys) const {
  const std::optional<SeparatorOrder> order = blocks_.Order(facts_);
  std::string whole;
  for (size_t i = first; i < items.size(); ++i) {
    const auto damage = [&](const std::string& what) {
      return place.Corruption("bad index entry",
                              "entry " + std::to_string(i - first) + what);
    };
    if (order.has_value() && i > first &&
        order->Compare(items[i - 1].separator, items[i].separator) >= 0) {
      return damage(" is not larger than the one before it");
    }
    if (!first_keys) continue;
    const Slice stored = items[i].first_key;
    if (stored.size() < facts_.walk_order.smallest_key()) {
      return damage(" has a first key that is not an internal key");
    }
    if (!order.has_value()) continue;
    const Slice key = facts_.AsRead(stored, &whole);
    if (order->CompareToKey(items[i].separator, key) < 0) {
      return damage(" has a first key after its separator");
    }
    if (i > first && order->CompareToKey(items[i - 1].separator, key) >= 0) {
      return damage(" has a first key not after the separator before it");
    }
  }
  return {};
}

Status IndexPass::Run() {
  const std::optional<BlockHandle> handle = IndexHandle();
  if (!handle.has_value()) {
    if (facts_.metaindex_sound) {
      findings_.AddFault(
          {BlockKind::kIndex, {}, 0},
          Status::Corruption("the metaindex does not name rocksdb.index"));
    }
    return {};
  }
  reads_.BeginStep();
  const BlockPlace place{BlockKind::kIndex, *handle, 0};
  BlockInfo info;
  info.name = kIndexBlockName;
  Slice contents;
  IndexItems items;
  bool is_two_level = facts_.index_is_two_level;
  // If the block does not parse, the items before the damage are used.
  if (reads_.Read(place, &info, &contents)) {
    info.status = ParseIndex(contents, place, &items);
  }
  if (!facts_.index_levels_known && info.status.ok()) {
    std::optional<bool> two_levels;
    if (!GuessTwoLevels(parser_, blocks_.form, items, &reads_, &two_levels)) {
      return findings_.GivenUp();
    }
    is_two_level = two_levels.value_or(false);
    if (!two_levels) {
      info.status =
          place.Corruption("bad index",
                           "without the properties block it is unknown whether "
                           "the index names data blocks or index partitions");
      items = IndexItems();
    }
  }
  if (blocks_.form_known && info.status.ok()) {
    info.status =
        CheckOrder(items, 0, place, blocks_.form.first_keys && !is_two_level);
  }
  blocks_.form_known = blocks_.form_known || info.status.ok();
  findings_.inspection().index_has_user_keys = blocks_.form.user_keys;
  info.num_entries = items.size();
  blocks_.complete = info.status.ok();
  findings_.Keep(std::move(info));
  findings_.ShowIndexEntries(items, 0, blocks_.form);
  if (!is_two_level) {
    blocks_.data_blocks = std::move(items);
    return {};
  }
  blocks_.top_level = std::move(items);
  return InspectPartitions();
}

// Returns how much memory a reader needs for an index partition that was
// parsed, slot hints included. At least: words or ends of keys, packed handles,
// first keys, and the separators unless what they have in common is stored
// once. At most: whole keys and their ends, whole handles, words and inner
// nodes, and what groups need.
PartitionMemory IndexPass::MemoryOfItems(size_t first) const {
  constexpr uint64_t kLeastPerItem = 3 + sizeof(uint32_t);
  constexpr uint64_t kMostPerItem = 128;
  constexpr uint64_t kMostOfBlock = 1024;
  const bool packs = facts_.whole_order.has_value() &&
                     facts_.whole_order->known() &&
                     facts_.whole_order->IsOfBytes();
  PartitionMemory memory;
  memory.most = kMostOfBlock;
  const IndexItems& items = blocks_.data_blocks;
  for (size_t i = first; i < items.size(); ++i) {
    // Timestamps that are not stored are put back.
    const uint64_t keys = items[i].separator.size() +
                          items[i].first_key.size() +
                          2 * facts_.key_form.stripped_timestamp;
    memory.least += kLeastPerItem + items[i].first_key.size() +
                    (packs ? 0 : items[i].separator.size());
    memory.most += kMostPerItem + 2 * keys;
  }
  return memory;
}

// Measures it as a reader does. That costs time, and is not needed if `most`
// fits.
Status IndexPass::MeasurePartition(const Slice& contents,
                                   const BlockPlace& place,
                                   uint64_t* bytes) const {
  IndexForm form = blocks_.form;
  form.keys = facts_.key_form;
  ParsedIndex parsed(facts_.whole_order.has_value()
                         ? *facts_.whole_order
                         : KeyOrder::Unknown(BytewiseComparator()),
                     form);
  Status status = parsed.Parse(contents, place, footer_.offset);
  *bytes = parsed.MostMemoryUsage();
  return status;
}

// Checks one partition that was parsed. A reader refuses a single one that is
// larger than all of them together may be.
Status IndexPass::CheckMemoryOfPartition(const Slice& contents,
                                         const BlockPlace& place,
                                         const PartitionMemory& memory) const {
  if (memory.most <= most_memory_) return {};
  uint64_t bytes = memory.least;
  if (bytes <= most_memory_) {
    Status status = MeasurePartition(contents, place, &bytes);
    if (!status.ok()) return status;
  }
  return bytes <= most_memory_
             ? Status()
             : place.Corruption(
                   "bad index partition",
                   "its keys together are many times larger than the file");
}

Status IndexPass::IndexIsTooLarge() const {
  return Status::MemoryLimit(
      "the index partitions were not checked: their keys need more than " +
      std::to_string(most_memory_) +
      " bytes of memory, many times the size of the file");
}

// For an index of which the bounds left open whether a reader can keep all
// partitions.
Status IndexPass::MeasurePartitions() {
  KeyBudget budget(footer_.offset);
  reads_.BeginStep();
  for (size_t i = 0; i < blocks_.top_level.size(); ++i) {
    if (!reads_.GoesOnToPart(i)) return findings_.GivenUp();
    const BlockPlace place{BlockKind::kIndexPartition,
                           blocks_.top_level[i].handle, i};
    Slice contents;
    uint64_t bytes = 0;
    // Faults of partitions have been reported already.
    if (reads_.Peek(place, &contents) &&
        MeasurePartition(contents, place, &bytes).ok() && !budget.Take(bytes)) {
      return IndexIsTooLarge();
    }
  }
  return {};
}

Status IndexPass::InspectPartitions() {
  IndexItems& items = blocks_.data_blocks;
  PartitionMemory total;
  reads_.BeginStep();
  for (size_t i = 0; i < blocks_.top_level.size(); ++i) {
    if (!reads_.GoesOnToPart(i)) return findings_.GivenUp();
    const BlockPlace place{BlockKind::kIndexPartition,
                           blocks_.top_level[i].handle, i};
    BlockInfo info;
    Slice contents;
    const IndexItems::Mark mark = items.mark();
    const size_t before = mark.items;
    blocks_.partition_begins.push_back(before);
    if (reads_.Read(place, &info, &contents)) {
      info.status = ParseIndex(contents, place, &items);
      if (info.status.ok()) {
        info.status = CheckOrder(items, before, place, blocks_.form.first_keys);
      }
      if (info.status.ok()) info.status = CheckPartition(place, before);
      const PartitionMemory memory = MemoryOfItems(before);
      const Status fits = CheckMemoryOfPartition(contents, place, memory);
      if (fits.ok()) {
        total.least += memory.least;
        total.most += memory.most;
        if (total.least > most_memory_) return IndexIsTooLarge();
      } else {
        items.GoBack(mark);
        if (info.status.ok()) info.status = fits;
      }
    }
    info.num_entries = items.size() - before;
    blocks_.complete = blocks_.complete && info.status.ok();
    findings_.Keep(std::move(info));
    findings_.ShowIndexEntries(items, before, blocks_.form);
  }
  return total.most <= most_memory_ ? Status() : MeasurePartitions();
}

// Checks that its separators are between those of the top level on both sides.
Status IndexPass::CheckPartition(const BlockPlace& place, size_t first) const {
  const IndexItems& items = blocks_.data_blocks;
  const IndexItems& top = blocks_.top_level;
  constexpr const char* kWhat = "bad index partition";
  if (first == items.size()) {
    return place.Corruption(kWhat, "expected one entry or more, found none");
  }
  const std::optional<SeparatorOrder> order = blocks_.Order(facts_);
  if (!order.has_value()) return {};
  const size_t i = static_cast<size_t>(*place.index);
  if (order->Compare(items.back().separator, top[i].separator) > 0) {
    return place.Corruption(kWhat,
                            "its last separator is larger than its separator "
                            "in the top-level index");
  }
  if (i > 0 &&
      order->Compare(items[first].separator, top[i - 1].separator) <= 0) {
    return place.Corruption(
        kWhat,
        "its first separator is not larger than the separator of the partition "
        "before it in the top-level index");
  }
  return {};
}

}  // namespace

Status InspectIndex(const TableFacts& facts, PassReads* reads,
                    Findings* findings, IndexedBlocks* blocks) {
  return IndexPass(facts, reads, findings, blocks).Run();
}

}  // namespace ashlar::internal
