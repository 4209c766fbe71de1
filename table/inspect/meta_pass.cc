#include "table/inspect/meta_pass.h"

#include <optional>
#include <string>
#include <utility>

#include "table/inspect/parse_index.h"
#include "table/inspect/restart_points.h"
#include "table/load/metadata_cache.h"
#include "table/meta/plain_block.h"
#include "table/meta/range_del_block.h"
#include "table/meta/range_del_fragments.h"

namespace ashlar::internal {

namespace {

// One meta pass. InspectMetaBlocks says what its members are.
class MetaPass {
 public:
  MetaPass(const TableFacts& facts, const IndexedBlocks& blocks,
           InspectedFile* file, PassReads* reads, Findings* findings,
           MetaBlocks* meta)
      : facts_(facts),
        blocks_(blocks),
        file_(*file),
        reads_(*reads),
        findings_(*findings),
        found_(findings->inspection()),
        meta_(*meta) {}

  Status Run();

 private:
  Status InspectBlock(const std::string& name, const Slice& contents,
                      const BlockPlace& place, uint64_t* num_entries);
  Status InspectRangeDeletions(const Slice& contents, const BlockPlace& place,
                               uint64_t* num_entries);
  Status InspectFilter(const std::string& name, const Slice& contents,
                       const BlockPlace& place);
  Status InspectLevelDbFilter(const Slice& contents, const BlockPlace& place);
  Status InspectFilterPartitions(const std::string& name, const Slice& contents,
                                 const BlockPlace& place,
                                 uint64_t* num_entries);
  Status CheckFilterSeparators(const IndexItems& parts,
                               const BlockPlace& place) const;
  bool HasPoints() const;

  const TableFacts& facts_;
  const IndexedBlocks& blocks_;
  InspectedFile& file_;
  PassReads& reads_;
  Findings& findings_;
  const TableInspection& found_;
  MetaBlocks& meta_;
};

Status MetaPass::Run() {
  uint64_t ordinal[static_cast<size_t>(BlockKind::kOther) + 1] = {};
  BlockHandle last_range_deletions;
  reads_.BeginStep();
  size_t seen = 0;
  for (const MetaBlockEntry& entry : found_.meta_blocks) {
    if (!reads_.GoesOnToBlock(seen++, 0)) return findings_.GivenUp();
    const BlockKind kind = MetaBlockKind(entry.name);
    if (kind == BlockKind::kIndex || kind == BlockKind::kProperties) continue;
    const BlockHandle handle{entry.offset, entry.size};
    if (kind == BlockKind::kRangeDeletion) {
      // Pebble names one block twice.
      if (handle == last_range_deletions) continue;
      last_range_deletions = handle;
    }
    const BlockPlace place{kind, handle, ordinal[static_cast<size_t>(kind)]++};
    BlockInfo info;
    info.name = entry.name;
    Slice contents;
    const bool read =
        reads_.Read(place, &info, &contents) && findings_.options().decode;
    if (read) {
      info.status =
          InspectBlock(entry.name, contents, place, &info.num_entries);
      if (info.status.IsAborted()) return info.status;
    }
    const bool shown = read && info.status.ok();
    findings_.Keep(std::move(info));
    if (shown) findings_.ShowEntries(contents, place);
  }
  return {};
}

Status MetaPass::InspectBlock(const std::string& name, const Slice& contents,
                              const BlockPlace& place, uint64_t* num_entries) {
  if (place.kind == BlockKind::kDictionary) {
    return file_.TakeDictionary(contents, place);
  }
  if (place.kind == BlockKind::kRangeDeletion) {
    return InspectRangeDeletions(contents, place, num_entries);
  }
  if (name.starts_with(kFullFilterPrefix)) {
    return InspectFilter(name, contents, place);
  }
  if (name == kLevelDbFilterBlockName) {
    return InspectLevelDbFilter(contents, place);
  }
  if (name.starts_with(kPartitionedFilterPrefix)) {
    return InspectFilterPartitions(name, contents, place, num_entries);
  }
  if (name == kHashIndexMetadataName || name == kHashIndexPrefixesName) {
    return meta_.hash_index.Take(name, contents, place, facts_,
                                 found_.properties, blocks_);
  }
  return {};
}

// Decodes range deletions as a reader does.
Status MetaPass::InspectRangeDeletions(const Slice& contents,
                                       const BlockPlace& place,
                                       uint64_t* num_entries) {
  RangeDeletionList list;
  Status status = DecodeRangeDeletions(
      contents, place, {facts_.timestamp_size(), facts_.key_form}, &list);
  *num_entries = list.entries.size();
  if (place.index == 0u) meta_.num_range_deletions = list.entries.size();
  if (status.ok()) status = CheckRestartPoints(contents, place);
  if (!status.ok() || !facts_.whole_order.has_value()) return status;
  return RangeDeletionFragments(*facts_.whole_order).Build(list.entries, place);
}

// The same rule as the reader's. Pebble gives a table without entries one data
// block, which is empty, and counts range deletions among the entries.
bool MetaPass::HasPoints() const {
  const std::optional<TableProperties>& properties = found_.properties;
  const bool tells = properties.has_value() &&
                     properties->stored.contains("rocksdb.num.entries");
  if (!tells) return !blocks_.data_blocks.empty();
  return properties->num_entries > properties->num_range_deletions &&
         (!blocks_.data_blocks.empty() || !blocks_.complete);
}

// Keeps the filter, so that it can be asked about every key that is met.
Status MetaPass::InspectFilter(const std::string& name, const Slice& contents,
                               const BlockPlace& place) {
  // What only a policy that nobody gave can read is not judged.
  if (name != std::string(kFullFilterPrefix) + std::string(facts_.filter_name))
    return {};
  FilterBitsReader reader;
  Status status = ReadFilterBits(contents, facts_.filter_policy, &reader);
  if (!status.ok()) return place.Wrap("bad filter", status);
  const FilterSubject& subject = meta_.filter.subject();
  if (reader.kind() == FilterBitsReader::Kind::kEmpty && HasPoints() &&
      subject.whole_keys()) {
    return place.Corruption("bad filter",
                            "expected more than 5 bytes in a table with "
                            "entries, found " +
                                std::to_string(contents.size()));
  }
  if (facts_.filter_policy == nullptr &&
      FilterBitsReader::IsDamaged(contents)) {
    return place.Corruption(
        "bad filter",
        "the marker byte names a known kind of filter, but its size of " +
            std::to_string(contents.size()) +
            " bytes or its other metadata do not fit that kind");
  }
  // If there are several filters, one is asked.
  const bool asked = meta_.filter.parts().empty() && subject.any();
  if (asked && reader.kind() != FilterBitsReader::Kind::kAlways) {
    meta_.filter.TakeFull(reader, reads_.TakeFilter(contents));
  }
  return {};
}

Status MetaPass::InspectLevelDbFilter(const Slice& contents,
                                      const BlockPlace& place) {
  if (meta_.filter.TakeLevelDb(contents, !facts_.names_full_filter)) return {};
  return place.Corruption("bad filter",
                          "the offsets of its filters are not within its " +
                              std::to_string(contents.size()) + " bytes");
}

Status MetaPass::InspectFilterPartitions(const std::string& name,
                                         const Slice& contents,
                                         const BlockPlace& place,
                                         uint64_t* num_entries) {
  // An empty block is a filter that lets everything pass.
  if (contents.empty()) return {};
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (!status.ok()) return status;
  IndexItems items;
  status = IndexParser(file_.footer(), facts_.timestamp_size())
               .ParseFilterIndex(blocks_.form, blocks_.form_known, view, place,
                                 &items);
  *num_entries = items.size();
  // If there are several filters, one is asked.
  const bool known = name == std::string(kPartitionedFilterPrefix) +
                                 std::string(facts_.filter_name);
  bool asked = status.ok() && meta_.filter.parts().empty() &&
               !facts_.names_full_filter && facts_.order.has_value() &&
               blocks_.form_known && meta_.filter.subject().any() && known;
  if (asked) {
    status = CheckFilterSeparators(items, place);
    asked = status.ok();
  }
  for (size_t i = 0; i < items.size(); ++i) {
    if (!reads_.GoesOnToPart(i)) return findings_.GivenUp();
    const BlockPlace part{BlockKind::kFilterPartition, items[i].handle, i};
    BlockInfo info;
    Slice payload;
    if (reads_.Read(part, &info, &payload) && known) {
      info.status = CheckFilterPartition(facts_.filter_policy, part, payload);
      FilterBitsReader ignored;
      if (info.status.ok() && facts_.filter_policy != nullptr) {
        info.status =
            ReadFilterAt(facts_.filter_policy, part, payload, &ignored);
      }
    }
    const bool sound = info.status.ok();
    if (asked) {
      meta_.filter.TakePartition(items[i].separator, sound ? payload : Slice(),
                                 sound);
    }
    findings_.Keep(std::move(info));
  }
  return status;
}

// Returns Corruption if the separators of a filter's partitions do not ascend:
// then no partition can be looked for. Requires: the order of keys is known.
Status MetaPass::CheckFilterSeparators(const IndexItems& parts,
                                       const BlockPlace& place) const {
  const SeparatorOrder order = *blocks_.Order(facts_);
  for (size_t i = 1; i < parts.size(); ++i) {
    if (order.Compare(parts[i].separator, parts[i - 1].separator) < 0) {
      return place.Corruption("bad filter", "entry " + std::to_string(i) +
                                                " sorts before entry " +
                                                std::to_string(i - 1));
    }
  }
  return {};
}

}  // namespace

Status InspectMetaBlocks(const TableFacts& facts, const IndexedBlocks& blocks,
                         InspectedFile* file, PassReads* reads,
                         Findings* findings, MetaBlocks* meta) {
  return MetaPass(facts, blocks, file, reads, findings, meta).Run();
}

}  // namespace ashlar::internal
