// LoadBlockCache: from a file to the cache. A record that is damaged, unwanted
// or present is passed over; every other one is parsed and inserted, as if a
// reader had just read it.

#include <algorithm>
#include <memory>
#include <optional>

#include "table/dump/dump_format.h"
#include "table/dump/dump_kinds.h"
#include "table/dump/dump_pace.h"
#include "table/dump/load_order.h"
#include "table/dump/wanted_files.h"
#include "util/compress/codec.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace internal {

namespace {

class Loader {
 public:
  Loader(const RandomAccessFile* dump, Cache* cache,
         const CacheLoadOptions& options, CacheLoadStats* stats)
      : cache_(*cache),
        options_(options),
        stats_(*stats),
        wanted_(options.files),
        reader_(dump),
        pace_(options),
        order_(cache) {}

  Status Run() {
    Status status = OrMemoryLimit([this] { return LoadAll(); });
    order_.Restore();
    stats_.bytes = pace_.bytes();
    stats_.end = end_.value_or(CacheDumpEnd::kAll);
    stats_.damaged = reader_.damaged();
    stats_.cut_off = status.ok() && !end_.has_value() && reader_.cut_off();
    return status;
  }

 private:
  Status LoadAll() {
    Status status = reader_.ReadHeader();
    DumpRecord record;
    bool found = status.ok();
    while (status.ok() && found && !end_.has_value()) {
      status = reader_.Next(&record, &found);
      if (status.ok() && found) status = Take(record);
    }
    return status;
  }
  Status Take(const DumpRecord& record);
  Status Load(const DumpRecord& record);
  bool Uncompress(const DumpRecord& record, Slice* saved);
  CachePriority PriorityOf(CacheEntryRole role) const {
    return role != CacheEntryRole::kDataBlock &&
                   options_.cache_index_and_filter_blocks_with_high_priority
               ? CachePriority::kHigh
               : CachePriority::kLow;
  }

  Cache& cache_;
  const CacheLoadOptions& options_;
  CacheLoadStats& stats_;
  const WantedFiles wanted_;
  DumpReader reader_;
  DumpPace pace_;
  LoadOrder order_;
  std::optional<CacheDumpEnd> end_;
  Decompressor decompressor_;
  Buffer uncompressed_;
};

Status Loader::Take(const DumpRecord& record) {
  Status status = pace_.Take(kDumpHeadBytes + record.body.size(), &end_);
  if (!status.ok() || end_.has_value()) return status;
  if (record.type != DumpRecordType::kBlock) return {};
  if (!wanted_.Has(record.entry.key)) {
    ++stats_.other_files;
    return {};
  }
  if (cache_.VisitEntry(record.entry.key, [](const CacheEntryView&) {})) {
    ++stats_.present;
    return {};
  }
  return Load(record);
}

// Sets *saved to what was saved of the value. Returns false if it cannot be
// decompressed.
bool Loader::Uncompress(const DumpRecord& record, Slice* saved) {
  *saved = record.body;
  if (record.compression == CompressionType::kNoCompression) return true;
  uncompressed_.clear();
  const DecompressLimits limits{
      std::min<size_t>(record.raw_size, kMostDumpBody)};
  constexpr int kCompressFormat = 2;
  const Status status = decompressor_.Decompress(
      record.compression, kCompressFormat, record.body, limits, &uncompressed_);
  ThrowIfOutOfMemory(status);
  *saved = uncompressed_.slice();
  return status.ok() && saved->size() == record.raw_size;
}

Status Loader::Load(const DumpRecord& record) {
  const DumpKind* const kind = DumpKindOf(record.entry.role);
  Slice saved;
  if (kind == nullptr || !Uncompress(record, &saved)) {
    ++stats_.refused;
    return {};
  }
  void* value = nullptr;
  size_t charge = 0;
  Status status =
      kind->create(saved, cache_.memory_allocator(), &value, &charge);
  if (status.IsMemoryLimit()) return status;
  if (!status.ok()) {
    ++stats_.refused;
    return {};
  }
  if (!order_.HasRoom(charge)) {
    kind->ops->destroy(value, cache_.memory_allocator());
    end_ = CacheDumpEnd::kFull;
    return {};
  }
  // Without a handle, the cache takes the value in any case.
  const CacheKey& key = record.entry.key;
  status = cache_.Insert(key, value, kind->ops, charge, nullptr,
                         PriorityOf(record.entry.role));
  if (!status.ok()) return status;
  ++stats_.loaded;
  pace_.CountEntry();
  order_.CountLoaded(charge);
  if (record.entry.was_hit) order_.NoteHit(key);
  return {};
}

}  // namespace

}  // namespace internal

Status LoadBlockCache(const RandomAccessFile& dump, Cache* cache,
                      const CacheLoadOptions& options, CacheLoadStats* stats) {
  *stats = {};
  return internal::OrMemoryLimit(
      [&] { return internal::Loader(&dump, cache, options, stats).Run(); });
}

Status LoadBlockCache(const std::string& path, Cache* cache,
                      const CacheLoadOptions& options, CacheLoadStats* stats) {
  *stats = {};
  return internal::OrMemoryLimit([&]() -> Status {
    auto file = OpenRandomAccessFile(path);
    if (!file.ok()) return file.status();
    return LoadBlockCache(**file, cache, options, stats);
  });
}

}  // namespace ashlar
