#include "table/inspect/inspector.h"

#include <algorithm>

#include "table/inspect/restart_points.h"
#include "table/meta/plain_block.h"
#include "table/meta/properties_block.h"
#include "table/meta/range_del_block.h"
#include "table/meta/range_del_fragments.h"
#include "table/read/opened_table.h"
#include "util/compress/known_types.h"
#include "util/mem/memory_limit.h"

namespace ashlar::internal {

namespace {

constexpr uint32_t kTwoLevelIndex = 2;
constexpr uint32_t kFirstKeyIndex = 3;
constexpr const char* kEmbeddedBlobStats = "rocksdb.embedded.blob.stats";

BlockPlace PlaceOf(const BlockInfo& info) {
  return {info.kind, {info.offset, info.size}, info.index};
}

}  // namespace

// Running out of memory is not a fault of a block.
void Inspector::AddFault(const BlockPlace& place, Status status) {
  ThrowIfOutOfMemory(status);
  found_->faults.push_back({place.kind, place.index.value_or(0),
                            place.handle.offset, place.handle.size,
                            std::move(status)});
}

void Inspector::Judge(BlockInfo* info) {
  if (info->status.ok()) {
    info->contents_sound = true;
    ++found_->blocks_ok;
    return;
  }
  ++found_->blocks_bad;
  AddFault(PlaceOf(*info), info->status);
}

void Inspector::Keep(BlockInfo info) {
  Judge(&info);
  if (options_.on_block) options_.on_block(info);
  found_->blocks.push_back(std::move(info));
}

// Returns whether the block needs a dictionary that is damaged.
bool Inspector::LacksDictionary(const StoredBlock& stored) const {
  const KnownCompressionType* const known =
      FindKnownType(static_cast<CompressionType>(stored.compression_type));
  const bool uses_dictionary = known == nullptr || known->uses_dictionary;
  return uses_dictionary && source_->dictionary_bytes() == 0 &&
         names_dictionary_;
}

void Inspector::BeginStep() {
  walk_.most_bytes_sought = walk_.bytes_sought + 2 * found_->file_size;
}

// A block outside of the file is not read anyway.
bool Inspector::MaySeek(const BlockPlace& place, Walk* walk) const {
  if (!place.handle.FitsBelow(source_->footer().offset)) return true;
  const uint64_t bytes = place.handle.size + kBlockTrailerSize;
  if (bytes > walk->most_bytes_sought - walk->bytes_sought) return false;
  walk->bytes_sought += bytes;
  return true;
}

bool Inspector::GoesOnToBlock(size_t i, uint64_t done) {
  constexpr size_t kBlocksPerReport = 256;
  constexpr uint64_t kBytesPerReport = uint64_t{1} << 20;
  const bool due = (i != 0 && i % kBlocksPerReport == 0) ||
                   walk_.bytes_sought - reported_at_ >= kBytesPerReport;
  if (!due) return true;
  reported_at_ = walk_.bytes_sought;
  return ReportProgress(done);
}

bool Inspector::Decodes(const BlockPlace& data_block) const {
  return options_.decode &&
         (!options_.decodes_block || options_.decodes_block(*data_block.index));
}

bool Inspector::Read(const BlockPlace& place, Walk* walk, BlockInfo* info,
                     Slice* contents) const {
  info->kind = place.kind;
  info->index = place.index.value_or(0);
  info->offset = place.handle.offset;
  info->size = place.handle.size;
  if (!MaySeek(place, walk)) {
    info->status = place.Corruption("overlap",
                                    "this block and the blocks named before it "
                                    "are together larger than the file");
    return false;
  }
  StoredBlock stored;
  // A filter may be large, so it is asked where it was read to, without a copy.
  const bool stays = place.kind == BlockKind::kFilter;
  if (stays) ExpectFilter(place.handle, &walk->workspace.stored);
  info->status =
      source_->ReadStored(place, true, stays ? nullptr : &walk->window,
                          &walk->workspace.stored, &stored);
  ThrowIfOutOfMemory(info->status);
  if (!info->status.ok()) return false;
  walk->bytes_checked += place.handle.size + kBlockTrailerSize;
  info->compression_type = stored.compression_type;
  info->stored_checksum = stored.stored_checksum;
  info->computed_checksum = stored.computed_checksum;
  info->status = BlockSource::CheckChecksum(place, stored);
  if (!info->status.ok()) return false;
  if (stored.compression_type == 0) {
    *contents = stored.payload;
    info->raw_size = stored.payload.size();
    return true;
  }
  // The metaindex and what it leads to are needed even if nothing else is
  // decoded.
  if (place.kind == BlockKind::kData && !Decodes(place)) return false;
  if (place.kind == BlockKind::kData && LacksDictionary(stored)) {
    info->status = place.Corruption("bad compressed data",
                                    "its dictionary cannot be read");
    return false;
  }
  Buffer* const owned = &walk->loaded.owned;
  owned->clear();
  info->status =
      source_->Decompress(place, stored, &walk->workspace.decompressor, owned);
  ThrowIfOutOfMemory(info->status);
  if (!info->status.ok()) return false;
  *contents = owned->slice();
  info->raw_size = contents->size();
  return true;
}

Status Inspector::ReadFooter(Footer* footer) {
  found_->file_size = file_.Size();
  Status status = internal::ReadFooter(file_, &walk_.window, footer);
  if (status.IsIOError() || status.IsMemoryLimit()) return status;
  const uint64_t size = std::min(found_->file_size, kFooterSize);
  Slice tail;
  Status reading = walk_.window.Read(found_->file_size - size, size, &tail);
  if (!reading.ok()) return reading;
  found_->magic = IdentifyMagic(tail);
  if (!status.ok()) {
    if (found_->magic == TableMagic::kBlockBased && size == kFooterSize) {
      // Only the magic follows the version.
      found_->format_version =
          LoadFixed32(tail.end() - sizeof(uint64_t) - sizeof(uint32_t));
    }
    const BlockPlace place{
        BlockKind::kFooter, {found_->file_size - size, size}, 0};
    ++found_->blocks_bad;
    AddFault(place, status);
    return status;
  }
  found_->format_version = footer->format_version;
  found_->checksum_type = footer->checksum;
  if (footer->base_context_checksum != 0) {
    found_->base_context_checksum = footer->base_context_checksum;
  }
  return {};
}

Status Inspector::Run() {
  Footer footer;
  Status status = ReadFooter(&footer);
  if (status.IsIOError() || status.IsMemoryLimit()) return status;
  if (!status.ok()) return {};
  source_.emplace(&file_, footer, options_.max_uncompressed_block_bytes);
  InspectMetaindex();
  InspectProperties();
  if (options_.data_blocks != InspectOptions::DataBlocks::kSkip) {
    status = InspectWhatTheyLeadTo();
    if (!status.ok()) return status;
  }
  InspectFooter();
  found_->bytes_checked += walk_.bytes_checked;
  SortBlocks();
  CheckOverlaps();
  CheckCounts();
  return {};
}

// Returns the errors of Run.
Status Inspector::InspectWhatTheyLeadTo() {
  // Guesses about the index need the dictionary; checks of filters need the
  // index.
  const bool index_first = index_levels_known_;
  Status status = index_first ? InspectIndex() : InspectOtherMetaBlocks();
  if (status.ok()) {
    status = index_first ? InspectOtherMetaBlocks() : InspectIndex();
  }
  if (status.ok()) status = InspectDataBlocks();
  return status.ok() ? InspectBlobs() : status;
}

void Inspector::InspectMetaindex() {
  const Footer& footer = source_->footer();
  const BlockPlace place{BlockKind::kMetaIndex, footer.metaindex, 0};
  BlockInfo info;
  Slice contents;
  if (Read(place, &info, &contents)) {
    info.status =
        DecodeMetaindex(contents, place, footer.offset, &found_->meta_blocks);
    if (info.status.ok()) info.status = CheckRestartPoints(contents, place);
    info.num_entries = found_->meta_blocks.size();
  }
  metaindex_sound_ = info.status.ok();
  names_dictionary_ =
      FindMetaBlock(found_->meta_blocks, kDictionaryBlockName) != nullptr;
  names_full_filter_ =
      FindMetaBlock(found_->meta_blocks, std::string(kFullFilterPrefix) +
                                             std::string(kBuiltinFilterName)) !=
      nullptr;
  Keep(std::move(info));
}

void Inspector::InspectProperties() {
  const MetaBlockEntry* entry =
      FindMetaBlock(found_->meta_blocks, kPropertiesBlockName);
  if (entry == nullptr) {
    entry = FindMetaBlock(found_->meta_blocks, kOldPropertiesBlockName);
  }
  const FormatTraits& traits = source_->footer().traits();
  if (entry == nullptr) {
    index_form_known_ = !traits.may_have_user_key_index;
    if (!traits.requires_properties) {
      index_levels_known_ = found_->blocks.back().status.ok();
      TakeOrder(options_.comparator != nullptr ? options_.comparator
                                               : BytewiseComparator());
    } else if (metaindex_sound_) {
      AddFault({BlockKind::kProperties, {}, 0},
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
  if (Read(place, &info, &contents)) {
    info.status = DecodeProperties(contents, place, &properties);
    if (info.status.ok()) info.status = CheckRestartPoints(contents, place);
    info.num_entries = properties.stored.size();
  }
  if (info.status.ok()) {
    info.status = TakeProperties(place, std::move(properties));
  }
  Keep(std::move(info));
}

void Inspector::TakeOrder(const Comparator* comparator) {
  found_->knows_order = true;
  whole_order_ = KeyOrder(comparator);
  order_ = key_form_.stripped_timestamp == 0
               ? *whole_order_
               : whole_order_->WithoutTimestamps();
  walk_order_ = *order_;
}

// Takes over what a reader would go by, also if some of it is damaged.
Status Inspector::TakeProperties(const BlockPlace& place,
                                 TableProperties properties) {
  index_form_ = {properties.index_key_is_user_key != 0,
                 properties.index_value_is_delta_encoded != 0,
                 properties.index_type == kFirstKeyIndex};
  index_form_known_ = true;
  index_levels_known_ = true;
  index_is_two_level_ = properties.index_type == kTwoLevelIndex;
  const Comparator* comparator;
  if (ChooseComparator(properties, options_.comparator, &comparator).ok()) {
    const bool stripped = properties.user_defined_timestamps_persisted == 0;
    if (stripped) key_form_.stripped_timestamp = comparator->timestamp_size();
    TakeOrder(comparator);
  }
  const SequenceNumber sequence =
      properties.external_sst_file_global_seqno.value_or(0);
  if (sequence != 0) key_form_.sequence = sequence;
  has_blobs_ =
      properties.user_collected_properties.contains(kEmbeddedBlobStats);
  DeclaredCompression declared;
  Status status =
      CheckProperties(properties, source_->footer().traits(), &declared);
  source_->Declare(declared);
  found_->properties = std::move(properties);
  constexpr uint32_t kLargestIndexType = 3;
  if (status.ok() && found_->properties->index_type > kLargestIndexType) {
    status = Status::NotSupported(
        "index type " + std::to_string(found_->properties->index_type) +
        ", expected 0 to 3");
  }
  if (status.IsNotSupported()) {
    // The block itself is sound.
    AddFault(place, place.Wrap("unsupported property", status));
    return {};
  }
  return place.Wrap("bad property", status);
}

Status Inspector::InspectOtherMetaBlocks() {
  uint64_t ordinal[static_cast<size_t>(BlockKind::kOther) + 1] = {};
  BlockHandle last_range_deletions;
  BeginStep();
  size_t seen = 0;
  for (const MetaBlockEntry& entry : found_->meta_blocks) {
    if (!GoesOnToBlock(seen++, 0)) return GivenUp();
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
    const bool read = Read(place, &info, &contents) && options_.decode;
    if (read) {
      info.status =
          InspectMetaBlock(entry.name, contents, place, &info.num_entries);
      if (info.status.IsAborted()) return info.status;
    }
    const bool shown = read && info.status.ok();
    Keep(std::move(info));
    if (shown) ShowEntries(contents, place);
  }
  return {};
}

Status Inspector::InspectMetaBlock(const std::string& name,
                                   const Slice& contents,
                                   const BlockPlace& place,
                                   uint64_t* num_entries) {
  if (place.kind == BlockKind::kDictionary) {
    return source_->TakeDictionary(contents, place);
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
    return InspectHashIndex(name, contents, place);
  }
  return {};
}

// Decodes range deletions as a reader does.
Status Inspector::InspectRangeDeletions(const Slice& contents,
                                        const BlockPlace& place,
                                        uint64_t* num_entries) {
  RangeDeletionList list;
  const size_t timestamp = order_.has_value() ? order_->timestamp_size() : 0;
  Status status =
      DecodeRangeDeletions(contents, place, {timestamp, key_form_}, &list);
  *num_entries = list.entries.size();
  if (place.index == 0u) num_range_deletions_ = list.entries.size();
  if (status.ok()) status = CheckRestartPoints(contents, place);
  if (!status.ok() || !whole_order_.has_value()) return status;
  return RangeDeletionFragments(*whole_order_).Build(list.entries, place);
}

void Inspector::InspectFooter() {
  const uint64_t offset = source_->footer().offset;
  BlockInfo info;
  info.kind = BlockKind::kFooter;
  info.offset = offset;
  info.size = found_->file_size - offset;
  found_->bytes_checked += info.size;
  Keep(std::move(info));
}

// Sorts blocks by offset; of those with the same offset, data blocks last. Data
// blocks are in order already, and mostly the others follow them, so the many
// mostly need not be moved.
void Inspector::SortBlocks() {
  const auto before = [](const BlockInfo& a, const BlockInfo& b) {
    if (a.offset != b.offset) return a.offset < b.offset;
    return a.kind != BlockKind::kData && b.kind == BlockKind::kData;
  };
  std::vector<BlockInfo>& blocks = found_->blocks;
  const auto others =
      blocks.begin() + static_cast<ptrdiff_t>(num_data_blocks_kept_);
  std::stable_sort(others, blocks.end(), before);
  if (!std::is_sorted(blocks.begin(), blocks.end(), before)) {
    std::stable_sort(blocks.begin(), blocks.end(), before);
  }
}

// Blocks are in file order; the footer has no trailer. Two names for one block
// do not count as an overlap.
void Inspector::CheckOverlaps() {
  uint64_t end = 0;
  const BlockInfo* last = nullptr;
  for (const BlockInfo& block : found_->blocks) {
    const bool same = last != nullptr && last->offset == block.offset &&
                      last->size == block.size;
    last = &block;
    if (block.offset < end && !same) {
      const BlockPlace place = PlaceOf(block);
      AddFault(place,
               place.Corruption("overlap", "the block before it ends at " +
                                               std::to_string(end)));
    }
    end = std::max(end, block.offset + block.size + kBlockTrailerSize);
  }
}

void Inspector::CheckCounts() {
  if (!index_complete_ || !found_->properties || !options_.decode ||
      options_.decodes_block ||
      options_.data_blocks != InspectOptions::DataBlocks::kRead ||
      !found_->faults.empty()) {
    return;
  }
  const TableProperties& properties = *found_->properties;
  if (!properties.stored.contains("rocksdb.num.entries")) return;
  const auto check = [this](const std::string& property, uint64_t expected,
                            uint64_t found) {
    if (expected == found) return;
    AddFault({BlockKind::kProperties, {}, 0},
             Status::Corruption("entry count mismatch: property rocksdb." +
                                property + ", found " + std::to_string(found)));
  };
  const uint64_t ranges = properties.num_range_deletions;
  const uint64_t points = properties.num_entries - ranges;
  check("num.entries says " + std::to_string(points) +
            " entries other than range deletions",
        points, num_points_);
  check("num.range-deletions says " + std::to_string(ranges), ranges,
        num_range_deletions_);
}

}  // namespace ashlar::internal
