// WarmTables: from the keys of a dump and the tables' files to the cache.
//
//   1. Choose  the first keys of the dump that fit into the cache
//   2. Sort    by table, then by place in the file
//   3. Read    for each table: partitions of index and filter, then data
//              blocks, in the order of the file. Only blocks that the table's
//              own index names are read; the dump says nothing but which
//   4. Order   what was hit in the old cache is looked up (load_order.h)
//
// With a deadline steps 2 and 3 are done for a quarter of the keys at a time,
// since the best come first in the dump, and not in a file.

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "table/dump/dump_format.h"
#include "table/dump/dump_pace.h"
#include "table/dump/load_order.h"
#include "table/dump/wanted_files.h"
#include "table/index/index_cursor.h"
#include "table/read/load_parts.h"
#include "table/read/reader_internals.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace internal {

namespace {

// A key that is wanted, of one of the tables.
struct WantedBlock {
  DumpedKey entry;
  uint32_t table;  // its number
  uint64_t at;     // its offset in the file, without the lowest two bits
  bool done = false;

  bool operator<(const WantedBlock& other) const {
    return table != other.table ? table < other.table : at < other.at;
  }
};

// The tables that can be warmed, and their one cache.
class WarmedTables {
 public:
  Status Take(std::span<const TableReader* const> readers) {
    for (const TableReader* reader : readers) {
      const OpenedTable& table = ReaderInternals::TableOf(*reader);
      const DataBlockCache& cache = table.data.cache();
      if (!cache.any() || cache.file().IsTemporary()) continue;
      if (cache_ != nullptr && cache_ != cache.cache()) {
        return Status::InvalidArgument(
            "the tables to warm have different block caches");
      }
      cache_ = cache.cache();
      tables_.push_back(&table);
      keys_.push_back(cache.file());
    }
    return {};
  }

  // Null: no table has one.
  const std::shared_ptr<Cache>& cache() const { return cache_; }
  const std::vector<CacheKey>& keys() const { return keys_; }
  const OpenedTable& table(size_t i) const { return *tables_[i]; }

 private:
  std::shared_ptr<Cache> cache_;
  std::vector<const OpenedTable*> tables_;
  std::vector<CacheKey> keys_;
};

class Warmer {
 public:
  Warmer(const RandomAccessFile* dump, const WarmedTables* tables,
         const CacheLoadOptions& options, CacheLoadStats* stats)
      : tables_(*tables),
        options_(options),
        stats_(*stats),
        reader_(dump, DumpReader::Wants::kKeys),
        pace_(options),
        order_(tables->cache().get()),
        cache_(*tables->cache()),
        room_(cache_.GetCapacity() -
              std::min(cache_.GetCapacity(), cache_.GetUsage())) {}

  Status Run() {
    Status status = OrMemoryLimit([this] { return WarmAll(); });
    order_.Restore();
    stats_.bytes = pace_.bytes();
    stats_.end =
        end_.value_or(is_full_ ? CacheDumpEnd::kFull : CacheDumpEnd::kAll);
    stats_.damaged = reader_.damaged();
    stats_.cut_off = status.ok() && !is_full_ && reader_.cut_off();
    return status;
  }

 private:
  using Blocks = std::span<WantedBlock>;

  Status WarmAll();
  Status Choose();
  bool Want(const WantedFiles& files, const DumpedKey& entry);
  Status WarmSome(Blocks blocks);
  Status WarmTable(const OpenedTable& table, Blocks blocks);
  Status WarmMetadata(const OpenedTable& table, Blocks blocks);
  Status WarmIndex(const OpenedTable& table, Blocks blocks);
  Status WarmFilter(const OpenedTable& table, Blocks blocks);
  Status WarmIndexPartitions(const OpenedTable& table, Blocks blocks);
  Status WarmFilterPartitions(const OpenedTable& table, Blocks blocks);
  Status WarmData(const OpenedTable& table, Blocks blocks);
  template <typename Load>
  Status Warm(const BlockPlace& place, WantedBlock* block, const Load& load);
  static WantedBlock* Find(Blocks blocks, const BlockHandle& handle,
                           CacheEntryRole role);

  const WarmedTables& tables_;
  const CacheLoadOptions& options_;
  CacheLoadStats& stats_;
  DumpReader reader_;
  DumpPace pace_;
  LoadOrder order_;
  Cache& cache_;
  std::optional<CacheDumpEnd> end_;
  uint64_t room_ = 0;                // in the cache, for what is chosen
  bool is_full_ = false;             // the dump has more than fits
  std::vector<WantedBlock> wanted_;  // in the order of the dump
};

// Returns false if no more fits.
bool Warmer::Want(const WantedFiles& files, const DumpedKey& entry) {
  const size_t table = files.Find(entry.key);
  if (table == WantedFiles::kNone) {
    ++stats_.other_files;
    return true;
  }
  if (entry.role != CacheEntryRole::kDataBlock &&
      tables_.table(table).metadata_cache == nullptr) {
    ++stats_.not_in_table;  // the table keeps such blocks itself
    return true;
  }
  if (cache_.VisitEntry(entry.key, [](const CacheEntryView&) {})) {
    ++stats_.present;
    return true;
  }
  const uint64_t charge = uint64_t{entry.charge} + LoadOrder::kOverhead;
  if (charge > room_) {
    is_full_ = true;
    return false;
  }
  room_ -= charge;
  wanted_.push_back({.entry = entry,
                     .table = static_cast<uint32_t>(table),
                     .at = entry.key.block ^ tables_.keys()[table].block});
  return true;
}

Status Warmer::Choose() {
  const WantedFiles files(tables_.keys());
  Status status = reader_.ReadHeader();
  DumpRecord record;
  bool found = status.ok();
  while (status.ok() && found && !is_full_) {
    status = reader_.Next(&record, &found);
    if (!status.ok() || !found) break;
    if (record.type == DumpRecordType::kBlock) {
      is_full_ = !Want(files, record.entry);
      continue;
    }
    for (size_t i = 0; i < record.num_keys && !is_full_; ++i) {
      DumpedKey entry;
      if (DecodeDumpKey(record.body, i, &entry)) {
        Want(files, entry);
      } else {
        ++stats_.refused;
      }
    }
  }
  return status;
}

Status Warmer::WarmAll() {
  Status status = Choose();
  constexpr size_t kParts = 4;
  const size_t parts = options_.deadline.count() > 0 ? kParts : 1;
  const size_t part = (wanted_.size() + parts - 1) / parts;
  for (size_t begin = 0; status.ok() && begin < wanted_.size(); begin += part) {
    status = WarmSome(
        Blocks(wanted_).subspan(begin, std::min(part, wanted_.size() - begin)));
  }
  return status;
}

// Warms a run of keys of the dump, and restores their order.
Status Warmer::WarmSome(Blocks blocks) {
  std::vector<WantedBlock> by_place(blocks.begin(), blocks.end());
  std::sort(by_place.begin(), by_place.end());
  const Blocks all(by_place);
  Status status;
  for (size_t i = 0; status.ok() && i < all.size();) {
    size_t end = i;
    while (end < all.size() && all[end].table == all[i].table) ++end;
    if (end_.has_value()) break;
    const Blocks of_table = all.subspan(i, end - i);
    status = WarmTable(tables_.table(all[i].table), of_table);
    if (status.ok() && !end_.has_value()) {
      stats_.not_in_table += static_cast<uint64_t>(
          std::ranges::count(of_table, false, &WantedBlock::done));
    }
    i = end;
  }
  for (const WantedBlock& each : blocks) {
    if (each.entry.was_hit) order_.NoteHit(each.entry.key);
  }
  return status;
}

// Returns the wanted block at this place; null if it is not wanted.
WantedBlock* Warmer::Find(Blocks blocks, const BlockHandle& handle,
                          CacheEntryRole role) {
  const uint64_t at = CacheKey().AtOffset(handle.offset).block;
  const auto found = std::ranges::lower_bound(blocks, at, {}, &WantedBlock::at);
  const bool is_wanted =
      found != blocks.end() && found->at == at && found->entry.role == role;
  return is_wanted ? &*found : nullptr;
}

// Calls `load`, which returns a Status, within the limits.
template <typename Load>
Status Warmer::Warm(const BlockPlace& place, WantedBlock* block,
                    const Load& load) {
  if (block == nullptr || block->done) return {};
  if (!order_.HasRoom(block->entry.charge)) {
    end_ = CacheDumpEnd::kFull;
    return {};
  }
  Status status = pace_.Take(place.handle.size + kBlockTrailerSize, &end_);
  if (!status.ok() || end_.has_value()) return status;
  block->done = true;
  status = load();
  if (status.IsMemoryLimit()) return status;
  ++(status.ok() ? stats_.loaded : stats_.unreadable);
  if (status.ok()) order_.CountLoaded(block->entry.charge);
  pace_.CountEntry();
  return {};
}

// Warms the index, or the top level of one that is partitioned.
Status Warmer::WarmIndex(const OpenedTable& table, Blocks blocks) {
  const BlockPlace& place = table.index_place;
  return Warm(place, Find(blocks, place.handle, CacheEntryRole::kIndexBlock),
              [&] {
                const IndexReader* index;
                Status status = table.index.Need(&index);
                if (!status.ok() || index->is_partitioned()) return status;
                IndexHold root;
                return index->Part(0, &root);
              });
}

// Does the same for the filter.
Status Warmer::WarmFilter(const OpenedTable& table, Blocks blocks) {
  const std::optional<BlockPlace> place = FilterPlace(table);
  if (!place.has_value()) return {};
  WantedBlock* block =
      Find(blocks, place->handle, CacheEntryRole::kFilterBlock);
  if (block == nullptr) {
    block = Find(blocks, place->handle, CacheEntryRole::kFilterMetaBlock);
  }
  return Warm(*place, block, [&] {
    const TableFilter* filter;
    Status status = table.filter.Need(&filter);
    return status.ok() ? filter->Warm() : status;
  });
}

Status Warmer::WarmIndexPartitions(const OpenedTable& table, Blocks blocks) {
  const IndexReader* index;
  Status status = table.index.Need(&index);
  // WarmData counts the blocks of an index that cannot be read.
  if (!status.ok()) return status.IsMemoryLimit() ? status : Status();
  const size_t parts = index->is_partitioned() ? index->num_parts() : 0;
  for (size_t i = 0; status.ok() && !end_.has_value() && i < parts; ++i) {
    const BlockPlace place = index->PartPlace(i);
    status = Warm(place,
                  Find(blocks, place.handle, CacheEntryRole::kIndexBlock), [&] {
                    IndexHold part;
                    return index->Part(i, &part);
                  });
  }
  return status;
}

Status Warmer::WarmFilterPartitions(const OpenedTable& table, Blocks blocks) {
  const TableFilter* filter;
  Status status = table.filter.Need(&filter);
  if (!status.ok()) return status.IsMemoryLimit() ? status : Status();
  const size_t parts = filter->num_partitions();
  for (size_t i = 0; status.ok() && !end_.has_value() && i < parts; ++i) {
    const BlockPlace place = filter->PartitionPlace(i);
    status =
        Warm(place, Find(blocks, place.handle, CacheEntryRole::kFilterBlock),
             [&] { return filter->WarmPartition(i); });
  }
  return status;
}

// Warms index and filter, if they belong into the cache.
Status Warmer::WarmMetadata(const OpenedTable& table, Blocks blocks) {
  if (table.metadata_cache == nullptr) return {};
  const auto is_left = [&](CacheEntryRole role) {
    return std::ranges::any_of(blocks, [role](const WantedBlock& each) {
      return each.entry.role == role && !each.done;
    });
  };
  Status status = WarmIndex(table, blocks);
  if (status.ok() && !end_.has_value()) status = WarmFilter(table, blocks);
  if (status.ok() && !end_.has_value() &&
      is_left(CacheEntryRole::kIndexBlock)) {
    status = WarmIndexPartitions(table, blocks);
  }
  if (status.ok() && !end_.has_value() &&
      is_left(CacheEntryRole::kFilterBlock)) {
    status = WarmFilterPartitions(table, blocks);
  }
  return status;
}

Status Warmer::WarmData(const OpenedTable& table, Blocks blocks) {
  const auto is_wanted = [](const WantedBlock& each) {
    return each.entry.role == CacheEntryRole::kDataBlock && !each.done;
  };
  auto left = static_cast<uint64_t>(std::ranges::count_if(blocks, is_wanted));
  if (left == 0) return {};
  IndexCursor at(&table.index);
  PinnedBlock pinned;
  Status status;
  for (bool on = at.SeekToFirst(); on && left != 0; on = at.Next()) {
    WantedBlock* const block =
        Find(blocks, at.handle(), CacheEntryRole::kDataBlock);
    if (block == nullptr) continue;
    --left;
    const BlockPlace place = at.place();
    status = Warm(place, block, [&] {
      pinned.Clear();
      return table.data.Load(place, kDefaultReadOptions, &pinned, at.note());
    });
    if (!status.ok() || end_.has_value()) return status;
  }
  if (at.status().ok()) return {};
  if (at.status().IsMemoryLimit()) return at.status();
  // The rest of the index cannot be read.
  for (WantedBlock& each : blocks) {
    if (!is_wanted(each)) continue;
    each.done = true;
    ++stats_.unreadable;
  }
  return {};
}

Status Warmer::WarmTable(const OpenedTable& table, Blocks blocks) {
  Status status = WarmMetadata(table, blocks);
  return status.ok() && !end_.has_value() ? WarmData(table, blocks) : status;
}

}  // namespace

}  // namespace internal

Status WarmTables(const RandomAccessFile& dump,
                  std::span<const TableReader* const> tables,
                  const CacheLoadOptions& options, CacheLoadStats* stats) {
  *stats = {};
  return internal::OrMemoryLimit([&] {
    internal::WarmedTables warmed;
    Status status = warmed.Take(tables);
    if (!status.ok() || warmed.cache() == nullptr) return status;
    return internal::Warmer(&dump, &warmed, options, stats).Run();
  });
}

Status WarmTables(const std::string& path,
                  std::span<const TableReader* const> tables,
                  const CacheLoadOptions& options, CacheLoadStats* stats) {
  *stats = {};
  return internal::OrMemoryLimit([&]() -> Status {
    auto file = OpenRandomAccessFile(path);
    if (!file.ok()) return file.status();
    return WarmTables(**file, tables, options, stats);
  });
}

}  // namespace ashlar
