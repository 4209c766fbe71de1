#include "table/inspect/table_facts.h"

#include <algorithm>
#include <utility>

#include "ashlar/table/entry/blob_index.h"
#include "table/inspect/restart_points.h"
#include "table/meta/plain_block.h"
#include "table/meta/properties_block.h"
#include "table/read/opened_table.h"
#include "util/compress/custom_blocks.h"

namespace ashlar::internal {

namespace {

constexpr uint32_t kTwoLevelIndex = 2;
constexpr uint32_t kFirstKeyIndex = 3;

// In place of a metaindex: what was found without it.
Status TakeFoundNames(const InspectedFile& file, Findings* findings,
                      std::optional<FoundTable>* found) {
  if (!found->has_value()) {
    const Footer& footer = file.footer();
    Status status = FindTable(file.file(), &footer, {{0, footer.offset}},
                              Places::kAsTheyAre, findings, found);
    if (!status.ok()) return status;
  }
  if (found->has_value()) findings->inspection().meta_blocks = (*found)->named;
  return {};
}

Status InspectMetaindex(InspectedFile* file, PassReads* reads,
                        Findings* findings, std::optional<FoundTable>* found,
                        TableFacts* facts) {
  const Footer& footer = file->footer();
  std::vector<MetaBlockEntry>& meta_blocks = findings->inspection().meta_blocks;
  const BlockPlace place{BlockKind::kMetaIndex, footer.metaindex, 0};
  BlockInfo info;
  Slice contents;
  const bool is_there = !found->has_value() || !footer.metaindex.IsNull();
  if (is_there && reads->Read(place, &info, &contents)) {
    info.status = DecodeMetaindex(contents, place, footer.offset, &meta_blocks);
    if (info.status.ok()) info.status = CheckRestartPoints(contents, place);
    info.num_entries = meta_blocks.size();
  }
  facts->metaindex_sound = is_there && info.status.ok();
  if (!facts->metaindex_sound && LooksForBlocks(findings->options())) {
    Status status = TakeFoundNames(*file, findings, found);
    if (!status.ok()) return status;
  }
  if (FindMetaBlock(meta_blocks, kDictionaryBlockName) != nullptr) {
    file->ExpectDictionary();
  }
  const auto names = [&](std::string_view prefix, std::string_view policy) {
    return FindMetaBlock(meta_blocks,
                         std::string(prefix) + std::string(policy)) != nullptr;
  };
  const auto names_filter = [&](std::string_view policy) {
    return names(kFullFilterPrefix, policy) ||
           names(kPartitionedFilterPrefix, policy);
  };
  // As the reader chooses.
  for (const auto& policy : findings->options().filter_policies) {
    if (names_filter(facts->filter_name)) break;
    if (!names_filter(policy->CompatibilityName())) continue;
    facts->filter_name = policy->CompatibilityName();
    facts->filter_policy = policy;
  }
  facts->names_full_filter = names(kFullFilterPrefix, facts->filter_name);
  if (is_there) findings->Keep(std::move(info));
  return {};
}

void TakeOrder(const Comparator* comparator, Findings* findings,
               TableFacts* facts) {
  findings->inspection().knows_order = true;
  facts->whole_order = KeyOrder(comparator);
  facts->order = facts->key_form.stripped_timestamp == 0
                     ? *facts->whole_order
                     : facts->whole_order->WithoutTimestamps();
  facts->walk_order = *facts->order;
}

// Takes over what a reader would go by, also if some of it is damaged.
Status TakeProperties(const BlockPlace& place, TableProperties properties,
                      InspectedFile* file, Findings* findings,
                      TableFacts* facts) {
  facts->index_form = {properties.index_key_is_user_key != 0,
                       properties.index_value_is_delta_encoded != 0,
                       properties.index_type == kFirstKeyIndex};
  facts->index_form_known = true;
  facts->index_levels_known = true;
  facts->index_is_two_level = properties.index_type == kTwoLevelIndex;
  const Comparator* comparator;
  if (ChooseComparator(properties, findings->options().comparator, &comparator)
          .ok()) {
    const bool stripped = properties.user_defined_timestamps_persisted == 0;
    if (stripped) {
      facts->key_form.stripped_timestamp = comparator->timestamp_size();
    }
    TakeOrder(comparator, findings, facts);
  }
  const SequenceNumber sequence =
      properties.external_sst_file_global_seqno.value_or(0);
  if (sequence != 0) facts->key_form.sequence = sequence;
  facts->has_blobs = properties.user_collected_properties.contains(
      std::string(kEmbeddedBlobStatsProperty));
  DeclaredCompression declared;
  Status status =
      CheckProperties(properties, file->footer().traits(), &declared);
  file->Declare(declared);
  const uint32_t index_type = properties.index_type;
  findings->inspection().properties = std::move(properties);
  constexpr uint32_t kLargestIndexType = 3;
  if (status.ok() && index_type > kLargestIndexType) {
    status = Status::NotSupported("index type " + std::to_string(index_type) +
                                  ", expected 0 to 3");
  }
  if (status.ok() && !declared.codec_name.empty() &&
      FindCustomCodec(findings->options().codecs, declared.codec_name) ==
          nullptr) {
    status =
        Status::NotSupported("compression manager '" + declared.codec_name +
                                 "': no codec of that name was given",
                             Status::SubCode::kCustomCompression);
  }
  if (status.IsNotSupported()) {
    // The block itself is sound.
    findings->AddFault(place, place.Wrap("unsupported property", status));
    return {};
  }
  return place.Wrap("bad property", status);
}

void InspectProperties(InspectedFile* file, PassReads* reads,
                       Findings* findings, TableFacts* facts) {
  const TableInspection& found = findings->inspection();
  const MetaBlockEntry* entry =
      FindMetaBlock(found.meta_blocks, kPropertiesBlockName);
  if (entry == nullptr) {
    entry = FindMetaBlock(found.meta_blocks, kOldPropertiesBlockName);
  }
  const FormatTraits& traits = file->footer().traits();
  // Unless properties say otherwise.
  constexpr uint32_t kFirstVersionWithBlobs = 7;
  facts->has_blobs = file->footer().format_version >= kFirstVersionWithBlobs;
  if (entry == nullptr) {
    facts->index_form_known = !traits.may_have_user_key_index;
    if (!traits.requires_properties) {
      facts->index_levels_known = facts->metaindex_sound;
      const Comparator* const given = findings->options().comparator;
      // A lost metaindex may have named properties with a comparator.
      if (given != nullptr || facts->metaindex_sound) {
        TakeOrder(given != nullptr ? given : BytewiseComparator(), findings,
                  facts);
      }
    } else if (facts->metaindex_sound) {
      findings->AddFault({BlockKind::kProperties, {}, 0},
                         Status::Corruption("no properties block"));
    }
    return;
  }
  const BlockPlace place{
      BlockKind::kProperties, {entry->offset, entry->size}, 0};
  BlockInfo info;
  info.name = entry->name;
  Slice contents;
  TableProperties properties;
  if (reads->Read(place, &info, &contents)) {
    info.status = DecodeProperties(contents, place, &properties);
    if (info.status.ok()) info.status = CheckRestartPoints(contents, place);
    info.num_entries = properties.stored.size();
  }
  if (info.status.ok()) {
    info.status =
        TakeProperties(place, std::move(properties), file, findings, facts);
  }
  findings->Keep(std::move(info));
}

}  // namespace

Status InspectFooter(const RandomAccessFile& file, FileWindow* window,
                     Findings* findings, Footer* footer) {
  TableInspection& found = findings->inspection();
  found.file_size = file.Size();
  Status status = ReadFooter(file, 0, window, footer);
  if (status.IsIOError() || status.IsMemoryLimit()) return status;
  const uint64_t size = std::min(found.file_size, kFooterSize);
  Slice tail;
  Status reading = window->Read(found.file_size - size, size, &tail);
  if (!reading.ok()) return reading;
  found.magic = IdentifyMagic(tail);
  if (!status.ok()) {
    if (found.magic == TableMagic::kBlockBased && size == kFooterSize) {
      // Only the magic follows the version.
      found.format_version =
          LoadFixed32(tail.end() - sizeof(uint64_t) - sizeof(uint32_t));
    }
    const BlockPlace place{
        BlockKind::kFooter, {found.file_size - size, size}, 0};
    ++found.blocks_bad;
    findings->AddFault(place, status);
    return status;
  }
  found.format_version = footer->format_version;
  found.checksum_type = footer->checksum;
  if (footer->base_context_checksum != 0) {
    found.base_context_checksum = footer->base_context_checksum;
  }
  return {};
}

Status FindTableFacts(InspectedFile* file, PassReads* reads, Findings* findings,
                      std::optional<FoundTable>* found, TableFacts* facts) {
  Status status = InspectMetaindex(file, reads, findings, found, facts);
  if (status.ok()) InspectProperties(file, reads, findings, facts);
  return status;
}

}  // namespace ashlar::internal
