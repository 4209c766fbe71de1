#include "table/read/load_parts.h"

#include <string_view>
#include <utility>

#include "ashlar/table/filter_policy.h"
#include "table/index/registry.h"
#include "table/meta/plain_block.h"
#include "table/read/opened_table.h"
#include "util/mem/thread_spare.h"

namespace ashlar::internal {

namespace {

BlockPlace PlaceOf(const MetaBlockEntry& entry) {
  return {MetaBlockKind(entry.name), {entry.offset, entry.size}};
}

const MetaBlockEntry* FindFilter(const OpenedTable& table,
                                 std::string_view prefix) {
  for (const MetaBlockEntry& entry : table.meta_blocks) {
    const std::string_view name = entry.name;
    if (name.starts_with(prefix) &&
        name.substr(prefix.size()) == table.filter_name) {
      return &entry;
    }
  }
  return nullptr;
}

bool HasBlock(const FileWindow* window, const BlockPlace& place) {
  return window != nullptr &&
         window->Has(place.handle.offset,
                     place.handle.size + kBlockTrailerSize);
}

Status LoadIndexBlockOf(const OpenedTable& table, const BlockPlace& place,
                        FileWindow* window, Buffer* owned, Slice* contents) {
  LoadedBlock block;
  block.owned = std::move(*owned);
  Status status;
  if (window != nullptr &&
      window->Has(place.handle.offset, place.handle.size + kBlockTrailerSize)) {
    BlockWorkspace workspace;
    status = table.source.Load(place, true, window, &workspace, &block);
  } else {
    status = table.source.LoadOwned(place, true, &block);
  }
  *owned = std::move(block.owned);
  *contents = block.contents;
  return status;
}

Status HasBlocks(const OpenedTable& table, bool* has_blocks) {
  const IndexReader* index;
  Status status = table.index.Need(&index);
  if (!status.ok()) return status;
  if (index->is_partitioned()) {
    *has_blocks = index->num_parts() != 0;
    return {};
  }
  IndexHold part;
  status = index->Part(0, &part);
  *has_blocks = status.ok() && part->size() != 0;
  return status;
}

// Pebble gives a table without entries one data block, which is empty, and
// counts range deletions among the entries.
Status HasPoints(const OpenedTable& table, bool* has_points) {
  const TableProperties& properties = table.properties;
  if (table.counts_entries &&
      properties.num_entries <= properties.num_range_deletions) {
    *has_points = false;
    return {};
  }
  return HasBlocks(table, has_points);
}

// A filter of prefixes alone is empty if no key has a prefix.
Status CheckFullFilter(const OpenedTable& table, const BlockPlace& place,
                       const Slice& contents) {
  if (table.source.filter_policy() != nullptr ||
      FilterBitsReader(contents).kind() != FilterBitsReader::Kind::kEmpty ||
      !table.filter_subject.whole_keys()) {
    return {};
  }
  bool has_points;
  Status status = HasPoints(table, &has_points);
  if (!status.ok() || !has_points) return status;
  return place.Corruption("bad filter",
                          "it matches nothing, but the table has data blocks");
}

Status LoadFullFilter(const OpenedTable& table, const BlockPlace& place,
                      FileWindow* window, TableFilter* filter) {
  const auto check = [&table](const BlockPlace& at, const Slice& contents) {
    return CheckFullFilter(table, at, contents);
  };
  const MetadataCache* const cache = table.metadata_cache.get();
  if (cache != nullptr) {
    return filter->UseCachedFull(cache, place, check, table.pins.whole);
  }
  AlignedBytes bytes;
  Status status = table.source.LoadAligned(
      place, true, HasBlock(window, place) ? window : nullptr, &bytes);
  if (status.ok()) status = check(place, bytes.slice());
  FilterBitsReader bits;
  if (status.ok()) {
    status =
        ReadFilterAt(table.source.filter_policy(), place, bytes.slice(), &bits);
  }
  if (status.ok()) filter->KeepFull(bits, std::move(bytes));
  return status;
}

Status LoadFilterPartitions(const OpenedTable& table, const BlockPlace& place,
                            FileWindow* window, TableFilter* filter) {
  // Partitions have the form of the index, which a table without data blocks
  // leaves open.
  bool has_blocks;
  Status status = HasBlocks(table, &has_blocks);
  if (!status.ok() || !has_blocks) return status;
  std::unique_ptr<FilterPartitions> partitions;
  status = FilterPartitions::Open(&table.source, table.metadata_cache.get(),
                                  table.order, table.index.IfLoaded()->form(),
                                  place, window, &partitions);
  filter->UsePartitions(std::move(partitions));
  return status;
}

}  // namespace

void ChooseFilter(std::span<const std::shared_ptr<const FilterPolicy>> policies,
                  OpenedTable* table) {
  const auto names = [table](std::string_view name) {
    table->filter_name = name;
    return FindFilter(*table, kFullFilterPrefix) != nullptr ||
           FindFilter(*table, kPartitionedFilterPrefix) != nullptr;
  };
  if (names(kBuiltinFilterName)) return;
  for (const std::shared_ptr<const FilterPolicy>& policy : policies) {
    if (!names(policy->CompatibilityName())) continue;
    table->source.UseFilterPolicy(policy);
    return;
  }
  table->filter_name = kBuiltinFilterName;
  for (const MetaBlockEntry& entry : table->meta_blocks) {
    if (entry.name.starts_with(kFullFilterPrefix) ||
        entry.name.starts_with(kPartitionedFilterPrefix)) {
      table->counters.CountUnknownFilter();
      return;
    }
  }
}

std::optional<BlockPlace> FilterPlace(const OpenedTable& table) {
  if (!table.filter_subject.any()) return std::nullopt;
  const MetaBlockEntry* entry = FindFilter(table, kFullFilterPrefix);
  if (entry == nullptr) entry = FindFilter(table, kPartitionedFilterPrefix);
  if (entry == nullptr) return std::nullopt;
  return PlaceOf(*entry);
}

bool HasWholeFilter(const OpenedTable& table) {
  return FindMetaBlock(table.meta_blocks, kLevelDbFilterBlockName) != nullptr ||
         (table.filter_subject.any() &&
          FindFilter(table, kFullFilterPrefix) != nullptr);
}

uint64_t LateBytes(const OpenedTable& table) {
  if (table.metadata_cache != nullptr) return 0;
  uint64_t bytes = 0;
  if (table.index.IfLoaded() == nullptr) bytes += table.index_place.handle.size;
  if (table.filter.IfLoaded() != nullptr) return bytes;
  const std::optional<BlockPlace> filter = FilterPlace(table);
  return filter.has_value() ? bytes + filter->handle.size : bytes;
}

Status LoadIndex(const OpenedTable& table, FileWindow* window,
                 std::unique_ptr<const IndexReader>* index) {
  const IndexTypeRow& type = *FindIndexType(table.properties.index_type);
  const auto load_by = [&table](FileWindow* through) {
    return [&table, through](const BlockPlace& place, Buffer* owned,
                             Slice* contents) {
      return LoadIndexBlockOf(table, place, through, owned, contents);
    };
  };
  const MetadataCache* const cache = table.metadata_cache.get();
  const IndexSource source{table.order,
                           {table.properties.index_key_is_user_key != 0,
                            table.properties.index_value_is_delta_encoded != 0,
                            type.has_first_keys, table.key_form},
                           table.source.footer().offset,
                           load_by(nullptr),
                           cache == nullptr ? nullptr : cache->index(),
                           table.pins.whole,
                           table.source.kept_charge()};
  std::unique_ptr<IndexReader> opened;
  Status status =
      type.open(source, table.index_place, load_by(window), &opened);
  if (!status.ok()) return status;
  if (table.pins.partitions) opened->PinParts();
  *index = std::move(opened);
  return {};
}

Status LoadFilter(const OpenedTable& table, FileWindow* window,
                  std::unique_ptr<const TableFilter>* filter) {
  auto opened = std::make_unique<TableFilter>(table.filter_subject);
  if (table.skips_filter) {
    *filter = std::move(opened);
    return {};
  }
  Status status;
  const MetaBlockEntry* const full = FindFilter(table, kFullFilterPrefix);
  if (full != nullptr) {
    if (table.filter_subject.any()) {
      status = LoadFullFilter(table, PlaceOf(*full), window, opened.get());
    }
  } else {
    const MetaBlockEntry* const leveldb =
        FindMetaBlock(table.meta_blocks, kLevelDbFilterBlockName);
    if (leveldb != nullptr) {
      LoadedBlock block;
      status = table.source.LoadOwned(PlaceOf(*leveldb), true, &block);
      if (status.ok()) opened->KeepOfLevelDb(std::move(block));
    }
    const MetaBlockEntry* const partitioned =
        FindFilter(table, kPartitionedFilterPrefix);
    if (status.ok() && partitioned != nullptr && table.filter_subject.any()) {
      status = LoadFilterPartitions(table, PlaceOf(*partitioned), window,
                                    opened.get());
    }
  }
  if (!status.ok()) return status;
  if (table.pins.partitions) opened->PinPartitions();
  *filter = std::move(opened);
  return {};
}

}  // namespace ashlar::internal
