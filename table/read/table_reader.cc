// TableReader: the public face of an OpenedTable.

#include "ashlar/table/table_reader.h"

#include <algorithm>
#include <cassert>

#include "table/index/index_cursor.h"
#include "table/meta/plain_block.h"
#include "table/read/ask_filter.h"
#include "table/read/check_entries.h"
#include "table/read/get.h"
#include "table/read/key_anchors.h"
#include "table/read/load_parts.h"
#include "table/read/multi_get.h"
#include "table/read/prefetch.h"
#include "table/read/reader_internals.h"
#include "table/read/resolved_entries.h"
#include "table/read/table_iterator.h"
#include "table/read/visible_entries.h"
#include "table/read/visit_versions.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

using namespace internal;

namespace {

// Reads blocks, and compares them with their checksums.
class ChecksumReads {
 public:
  ChecksumReads(const OpenedTable& table, const ReadOptions& options)
      : table_(table),
        window_(table.file.get(), options.readahead_size, options.async_io,
                table.counters, table.readahead) {
    window_.AskFirst(table.source.gate());
  }

  Status Check(const BlockPlace& place) {
    StoredBlock stored;
    Status status =
        table_.source.ReadStored(place, true, &window_, &scratch_, &stored);
    return status.ok() ? BlockSource::CheckChecksum(place, stored) : status;
  }
  // Checks all that the index names, and partitions of the filter.
  Status CheckDataAndPartitions() {
    const IndexReader* index;
    const TableFilter* filter;
    Status status = table_.index.Need(&index);
    if (status.ok()) status = table_.filter.Need(&filter);
    if (!status.ok()) return status;
    IndexCursor at(&table_.index);
    for (bool on_block = at.SeekToFirst(); on_block; on_block = at.Next()) {
      status = Check(at.place());
      if (!status.ok()) return status;
    }
    if (!at.status().ok()) return at.status();
    for (size_t i = 0; index->is_partitioned() && i < index->num_parts(); ++i) {
      status = Check(index->PartPlace(i));
      if (!status.ok()) return status;
    }
    for (size_t i = 0; i < filter->num_partitions(); ++i) {
      status = Check(filter->PartitionPlace(i));
      if (!status.ok()) return status;
    }
    return {};
  }
  Status CheckMetaBlocks() {
    for (const MetaBlockEntry& entry : table_.meta_blocks) {
      Status status =
          Check({MetaBlockKind(entry.name), {entry.offset, entry.size}});
      if (!status.ok()) return status;
    }
    return Check({BlockKind::kMetaIndex, table_.source.footer().metaindex});
  }

 private:
  const OpenedTable& table_;
  FileWindow window_;
  Buffer scratch_;
};

Status VerifyBlocks(const OpenedTable& table, const ReadOptions& options,
                    bool meta_blocks_only) {
  ChecksumReads reads(table, options);
  const LimitScope limits(options);
  Status status;
  if (!meta_blocks_only) status = reads.CheckDataAndPartitions();
  if (status.ok()) status = reads.CheckMetaBlocks();
  const Footer& footer = table.source.footer();
  if (status.ok() && !meta_blocks_only && !footer.index.IsNull()) {
    status = reads.Check({BlockKind::kIndex, footer.index});
  }
  return table.Named(status);
}

// Metadata blocks have keys of the same form as data blocks. So every block
// that footer or metaindex names is erased, without asking which of them the
// cache takes.
uint64_t EraseCachedBlocks(const OpenedTable& table) {
  const DataBlockCache& cache = table.data.cache();
  if (!cache.any()) return 0;
  uint64_t erased = 0;
  const auto erase = [&](uint64_t offset) {
    cache.Erase(offset);
    ++erased;
  };
  // What cannot be read, or needs memory that is not there, is left out.
  const IndexReader* index = nullptr;
  const TableFilter* filter = nullptr;
  OrMemoryLimit([&] { return table.index.Need(&index); }).IgnoreError();
  if (!HasWholeFilter(table)) {
    OrMemoryLimit([&] { return table.filter.Need(&filter); }).IgnoreError();
  }
  for (size_t i = 0; index != nullptr && i < index->num_parts(); ++i) {
    OrMemoryLimit([&] {
      IndexHold part;
      Status status = index->Part(i, &part);
      for (size_t k = 0; status.ok() && k < part->size(); ++k) {
        erase(part->handle(k).offset);
      }
      return status;
    }).IgnoreError();
    // Last, since the walk may have put it there.
    if (index->is_partitioned()) erase(index->PartPlace(i).handle.offset);
  }
  for (size_t i = 0; filter != nullptr && i < filter->num_partitions(); ++i) {
    erase(filter->PartitionPlace(i).handle.offset);
  }
  for (const MetaBlockEntry& entry : table.meta_blocks) erase(entry.offset);
  const Footer& footer = table.source.footer();
  if (!footer.index.IsNull()) erase(footer.index.offset);
  return erased;
}

}  // namespace

struct TableReader::State {
  std::unique_ptr<OpenedTable> table;
};

TableReader::TableReader(std::unique_ptr<State> state)
    : state_(std::move(state)) {}

TableReader::~TableReader() = default;

const OpenedTable& ReaderInternals::TableOf(const TableReader& reader) {
  return *reader.state_->table;
}

Result<std::unique_ptr<TableReader>> TableReader::Open(
    const std::string& path, const ReaderOptions& options) {
  return OrMemoryLimit([&]() -> Result<std::unique_ptr<TableReader>> {
    if (options.allow_mmap_reads && options.use_direct_reads) {
      return Status::InvalidArgument(
          path + ": allow_mmap_reads and use_direct_reads exclude each other");
    }
    Result<std::unique_ptr<RandomAccessFile>> file =
        options.allow_mmap_reads   ? OpenMappedFile(path)
        : options.use_direct_reads ? OpenDirectFile(path)
                                   : OpenRandomAccessFile(path);
    if (!file.ok()) return file.status();
    return Open(std::move(file).value(), options);
  });
}

Result<std::unique_ptr<TableReader>> TableReader::Open(
    std::unique_ptr<RandomAccessFile> file, const ReaderOptions& options) {
  return Open(&file, options);
}

Result<std::unique_ptr<TableReader>> TableReader::Open(
    std::unique_ptr<RandomAccessFile>* file, const ReaderOptions& options) {
  auto state = std::unique_ptr<State>();
  Result<std::unique_ptr<TableReader>> opened =
      OrMemoryLimit([&]() -> Result<std::unique_ptr<TableReader>> {
        state = std::make_unique<State>();
        Status status = OpenTable(file, options, &state->table);
        if (!status.ok()) return status;
        return std::unique_ptr<TableReader>(new TableReader(std::move(state)));
      });
  // A table that failed to open, by an error or an exception, has the file.
  if (!opened.ok() && state != nullptr && state->table != nullptr) {
    *file = TakeFile(std::move(state->table));
  }
  return opened;
}

Status TableReader::Get(const ReadOptions& options, const Slice& user_key,
                        SequenceNumber snapshot, GetResult* result,
                        const MergeOperandCallback& on_operand) const {
  const OpenedTable& table = *state_->table;
  const HistogramTimer timer(table.counters, Histogram::kDbGet);
  Status status = OrMemoryLimit([&] {
    return RunGet(table, options, user_key, snapshot, on_operand, result);
  });
  if (status.IsMemoryLimit()) [[unlikely]]
    result->Reset();
  table.counters.CountGet(*result, table.AsksPrefixesAlone());
  return status.ok() ? status : table.Named(status);
}

Status TableReader::VisitVersions(const ReadOptions& options,
                                  const Slice& user_key,
                                  SequenceNumber snapshot,
                                  const VersionCallback& visit) const {
  const OpenedTable& table = *state_->table;
  const HistogramTimer timer(table.counters, Histogram::kDbGet);
  GetResult counted;
  Status status = OrMemoryLimit([&] {
    return RunVisit(table, options, user_key, snapshot, visit, &counted);
  });
  table.counters.CountGet(counted, table.AsksPrefixesAlone());
  return status.ok() ? status : table.Named(status);
}

void TableReader::VisitVersionsBatch(const ReadOptions& options,
                                     std::span<const Slice> user_keys,
                                     SequenceNumber snapshot,
                                     std::span<Status> statuses,
                                     const BatchVersionCallback& visit) const {
  assert(statuses.size() == user_keys.size());
  RunVisitBatch(*state_->table, options, user_keys, snapshot, statuses, visit);
}

void TableReader::MultiGet(const ReadOptions& options,
                           std::span<const Slice> user_keys,
                           SequenceNumber snapshot,
                           std::span<GetResult> results,
                           std::span<Status> statuses,
                           const BatchOperandCallback& on_operand) const {
  assert(results.size() == user_keys.size() &&
         statuses.size() == user_keys.size());
  RunMultiGet(*state_->table, options, user_keys, snapshot, results, statuses,
              on_operand);
}

Status TableReader::KeyMayMatch(const ReadOptions& options,
                                const Slice& user_key,
                                GetResult::Filter* answer) const {
  const OpenedTable& table = *state_->table;
  return table.Named(OrMemoryLimit(
      [&] { return AskFilterForKey(table, options, user_key, answer); }));
}

void TableReader::KeysMayMatch(const ReadOptions& options,
                               std::span<const Slice> user_keys,
                               std::span<GetResult::Filter> answers,
                               std::span<Status> statuses) const {
  assert(answers.size() == user_keys.size() &&
         statuses.size() == user_keys.size());
  const Status memory = OrMemoryLimit([&] {
    AskFilterForKeys(*state_->table, options, user_keys, answers, statuses);
    return Status();
  });
  if (!memory.ok()) std::fill(statuses.begin(), statuses.end(), memory);
}

Status TableReader::PrefixMayMatch(const ReadOptions& options,
                                   const Slice& user_key,
                                   GetResult::Filter* answer) const {
  const OpenedTable& table = *state_->table;
  return table.Named(OrMemoryLimit(
      [&] { return AskFilterForPrefix(table, options, user_key, answer); }));
}

Iterator TableReader::NewIterator(const ReadOptions& options) const {
  const OpenedTable* const table = state_->table.get();
  std::unique_ptr<Iterator::State> state;
  const Status made = OrMemoryLimit([&] {
    if (VisibleEntries::AreNeeded(*table, options)) {
      state = std::make_unique<VisibleEntries>(table, options);
    } else {
      state = std::make_unique<TableIterator>(table, options);
    }
    if (table->blobs != nullptr) {
      state =
          std::make_unique<ResolvedEntries>(table, options, std::move(state));
    }
    return Status();
  });
  // An iterator without a state is one for which there was no memory.
  return Iterator(made.ok() ? std::move(state) : nullptr);
}

Status TableReader::CheckEntries(
    const ReadOptions& options, WorkerPool* pool,
    const std::function<bool(uint64_t done, uint64_t total)>& on_progress,
    uint64_t* entries) const {
  *entries = 0;
  return OrMemoryLimit([&] {
    return CheckEveryEntry(*state_->table, options, on_progress, pool, entries);
  });
}

bool TableReader::knows_order() const { return state_->table->order.known(); }

std::span<const RangeDeletion> TableReader::RangeDeletions() const {
  const auto* const deletions = state_->table->range_deletions.get();
  if (deletions == nullptr) return {};
  return deletions->list.entries;
}

void TableReader::VisitRangeDeletionFragments(
    const RangeDeletionFragmentCallback& visit) const {
  const auto* const deletions = state_->table->range_deletions.get();
  if (deletions == nullptr) return;
  const RangeDeletionFragments& fragments = deletions->fragments;
  RangeDeletionFragment fragment;
  for (size_t i = 0; i < fragments.size(); ++i) {
    fragments.ListAt(i, &fragment);
    if (fragment.sequences.empty()) continue;
    fragment.begin = fragments.begin(i);
    fragment.end = fragments.end(i);
    if (!visit(fragment)) return;
  }
}

SequenceNumber TableReader::NewestRangeDeletionOver(
    const Slice& user_key, SequenceNumber snapshot,
    const Slice& timestamp) const {
  const auto* const deletions = state_->table->range_deletions.get();
  if (deletions == nullptr) return 0;
  return deletions->fragments.NewestOver(user_key, snapshot, timestamp)
      .sequence;
}

Status TableReader::VerifyChecksum(const ReadOptions& options,
                                   bool meta_blocks_only) const {
  return OrMemoryLimit(
      [&] { return VerifyBlocks(*state_->table, options, meta_blocks_only); });
}

uint64_t TableReader::ApproximateOffsetOf(const ReadOptions& options,
                                          const Slice& user_key) const {
  uint64_t offset;
  ApproximateOffsetOf(options, user_key, &offset).IgnoreError();
  return offset;
}

Status TableReader::ApproximateOffsetOf(const ReadOptions& options,
                                        const Slice& user_key,
                                        uint64_t* offset) const {
  *offset = 0;
  if (!knows_order()) return {};
  const OpenedTable& table = *state_->table;
  const LimitScope limits(options);
  return table.Named(OrMemoryLimit([&] {
    std::string target;
    table.AppendTarget(user_key, Slice(), kMaxSequenceNumber, &target);
    IndexCursor at(&table.index);
    const bool is_found = at.Seek(target);
    Status status = at.status();
    // If Seek finds no block, the key is after the last one, or a partition
    // cannot be read; then there is nothing better to return.
    if (is_found) {
      *offset = at.handle().offset;
    } else if (at.SeekToLast()) {
      *offset = at.handle().End();
    }
    return status.ok() ? at.status() : status;
  }));
}

uint64_t TableReader::ApproximateSize(const ReadOptions& options,
                                      const Slice& begin,
                                      const Slice& end) const {
  const uint64_t from = ApproximateOffsetOf(options, begin);
  const uint64_t to = ApproximateOffsetOf(options, end);
  const uint64_t data = properties().data_size;
  if (to <= from || data == 0) return 0;
  const double share =
      static_cast<double>(to - from) / static_cast<double>(data);
  return static_cast<uint64_t>(static_cast<double>(file().Size()) *
                               std::min(share, 1.0));
}

Status TableReader::ApproximateKeyAnchors(
    const ReadOptions& options, uint64_t most,
    std::vector<KeyAnchor>* anchors) const {
  const OpenedTable& table = *state_->table;
  return table.Named(OrMemoryLimit([&]() -> Status {
    Status known = table.CheckOrderKnown("a list of key anchors");
    if (!known.ok() || most == 0) return known;
    const LimitScope limits(options);
    return AppendKeyAnchors(table, most, anchors);
  }));
}

Status TableReader::Prefetch(const ReadOptions& options, const Slice* begin,
                             const Slice* end) const {
  const OpenedTable& table = *state_->table;
  return table.Named(
      OrMemoryLimit([&] { return PrefetchRange(table, options, begin, end); }));
}

uint64_t TableReader::EraseFromBlockCache() const {
  return EraseCachedBlocks(*state_->table);
}

const TableProperties& TableReader::properties() const {
  return state_->table->properties;
}

uint32_t TableReader::format_version() const {
  return state_->table->source.footer().format_version;
}

ChecksumType TableReader::checksum_type() const {
  return state_->table->source.footer().checksum;
}

const Comparator* TableReader::comparator() const {
  return state_->table->order.comparator();
}

const RandomAccessFile& TableReader::file() const {
  return *state_->table->file;
}

uint64_t TableReader::ExpectedMemoryUsage() const {
  const OpenedTable& table = *state_->table;
  return MemoryUsage() + LateBytes(table);
}

uint64_t TableReader::MemoryUsage() const {
  return state_->table->MemoryUsage();
}

}  // namespace ashlar
