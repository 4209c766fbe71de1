#include "python/src/open_tables.h"

#include <algorithm>
#include <utility>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/range_deletion.h"
#include "python/src/python_files.h"

namespace ashlar::python {

namespace {

// Enough to hide the time of requests to an object store, and few enough to
// need no thought.
constexpr uint32_t kRequestThreads = 8;

bool IsPlain(const TableReader& table) {
  const TableProperties& properties = table.properties();
  return properties.external_sst_file_global_seqno_offset != 0 &&
         properties.num_deletions == 0 && properties.num_merge_operands == 0 &&
         properties.num_range_deletions == 0;
}

struct Sequences {
  bool is_empty() const { return smallest > largest; }
  void Add(SequenceNumber sequence) {
    smallest = std::min(smallest, sequence);
    largest = std::max(largest, sequence);
  }
  SequenceNumber smallest = kMaxSequenceNumber;
  SequenceNumber largest = 0;
};

// Finds the sequence numbers that the entries of an open table have. `given` is
// the one with which it was opened. Tables of old releases of RocksDB do not
// record theirs: all entries are read.
Status FindSequences(const TableReader& table, SequenceNumber given,
                     CallWatch* watch, Sequences* found) {
  const TableProperties& properties = table.properties();
  constexpr uint32_t kVersionWithSequence = 2;
  if (properties.external_sst_file_version == kVersionWithSequence) {
    const uint64_t own = properties.external_sst_file_global_seqno.value_or(0);
    found->Add(own != 0 ? own : given);
    return {};
  }
  if (properties.key_smallest_seqno && properties.key_largest_seqno) {
    if (properties.num_entries == 0) return {};
    found->smallest = *properties.key_smallest_seqno;
    found->largest = *properties.key_largest_seqno;
    return {};
  }
  for (const RangeDeletion& deletion : table.RangeDeletions()) {
    found->Add(deletion.sequence);
  }
  Iterator entries = table.NewIterator({.fill_cache = false});
  uint64_t entry = 0;
  for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
    constexpr uint64_t kEntriesBetweenLooks = 1024;
    if (++entry % kEntriesBetweenLooks == 0 && watch->Poll()) {
      return Status::Aborted("interrupted");
    }
    found->Add(entries.sequence());
  }
  return entries.status();
}

}  // namespace

OpenTables::~OpenTables() = default;

Status OpenTables::OpenRemote(Source* source,
                              std::unique_ptr<RandomAccessFile>* file) {
  std::unique_ptr<RandomAccessFile> remote;
  {
    nanobind::gil_scoped_acquire gil;
    try {
      remote = std::make_unique<PythonReadableFile>(source->file, watch_);
    } catch (nanobind::python_error& error) {
      watch_->Keep(error);
      return Status::IOError("open " + source->name + ": " + error.what());
    }
    source->file.reset();
  }
  if (request_threads_ == nullptr) {
    request_threads_ = std::make_shared<RequestThreads>(kRequestThreads);
  }
  auto made =
      RemoteFile::Make(std::move(remote), {.threads = request_threads_});
  if (!made.ok()) return made.status();
  *file = std::move(made).value();
  return {};
}

Status OpenTables::OpenOne(Source* source, const ReaderOptions& given,
                           SequenceNumber number, OneTable* table) {
  ReaderOptions options = given;
  if (level_count_ > 1) options.largest_seqno = number;
  std::unique_ptr<RandomAccessFile> file;
  if (source->file.is_valid()) {
    Status status = OpenRemote(source, &file);
    if (!status.ok()) return status;
    options.read_tail_at_once = true;
    options.load_index_and_filter = LoadTime::kAtOpen;
    options.coalesce_gap_bytes = uint64_t{64} << 10;
  } else {
    auto opened = OpenRandomAccessFile(source->name);
    if (!opened.ok()) return opened.status();
    file = std::move(opened).value();
  }
  auto reader = TableReader::Open(&file, options);
  if (!reader.ok() && reader.status().IsCorruption() && file != nullptr &&
      options.largest_seqno.has_value()) {
    // The file has a sequence number of its own.
    options.largest_seqno.reset();
    auto again = TableReader::Open(&file, options);
    if (again.ok()) reader = std::move(again);
  }
  if (!reader.ok()) return reader.status();
  table->name = source->name;
  table->level = source->level;
  table->reader = std::move(reader).value();
  table->is_plain = IsPlain(*table->reader);
  return {};
}

// Entries of a newer level must have larger sequence numbers, as Scan goes by
// these, and MultiGet by levels. Tables for ingestion have none, so they get
// one, as by ingestion into a database.
Status OpenTables::OpenLevel(std::span<Source> sources,
                             std::span<OneTable> tables,
                             const ReaderOptions& options,
                             SequenceNumber* largest, std::string* failed) {
  const bool is_oldest = sources[0].level + 1 == level_count_;
  const SequenceNumber number = *largest + 1;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (watch_->Poll()) return Status::Aborted("interrupted");
    *failed = sources[i].name;
    Status status = OpenOne(&sources[i], options, number, &tables[i]);
    if (!status.ok()) return status;
    if (level_count_ == 1) continue;
    Sequences found;
    status = FindSequences(*tables[i].reader, number, watch_.get(), &found);
    if (!status.ok()) return status;
    if (found.is_empty()) continue;
    if (!is_oldest && found.smallest < number) {
      return Status::InvalidArgument("has entries with the sequence number " +
                                     std::to_string(found.smallest) +
                                     ", and those of older tables are up to " +
                                     std::to_string(number - 1) +
                                     ": it cannot be newer than these");
    }
    *largest = std::max(*largest, found.largest);
  }
  return {};
}

Status OpenTables::FindRange(OneTable* table) const {
  Iterator entries = table->reader->NewIterator({.fill_cache = true});
  entries.SeekToFirst();
  if (entries.Valid()) {
    table->smallest = entries.user_key().ToString();
    entries.SeekToLast();
    if (entries.Valid()) table->largest = entries.user_key().ToString();
    table->has_keys = true;
  }
  if (!entries.Valid() && !entries.status().ok()) return entries.status();
  const Comparator* const order = table->reader->comparator();
  for (const RangeDeletion& deletion : table->reader->RangeDeletions()) {
    if (!table->has_keys ||
        order->Compare(deletion.begin, table->smallest) < 0) {
      table->smallest = deletion.begin.ToString();
    }
    if (!table->has_keys || order->Compare(deletion.end, table->largest) > 0) {
      table->largest = deletion.end.ToString();
      table->excludes_largest = true;
    }
    table->has_keys = true;
  }
  return {};
}

Status OpenTables::MakeLevels(std::string* failed) {
  const Comparator* const order = tables_[0].reader->comparator();
  ranges_.resize(level_count_);
  const OneTable* before = nullptr;
  for (const OneTable& table : tables_) {
    if (!table.has_keys) continue;
    if (before != nullptr && before->level == table.level) {
      const int compared = order->Compare(before->largest, table.smallest);
      if (compared > 0 || (compared == 0 && !before->excludes_largest)) {
        *failed = table.name;
        return Status::InvalidArgument(
            table.name + " begins with a key that is not larger than all of " +
            before->name + ", which the manifest lists before it");
      }
    }
    before = &table;
    ranges_[table.level].push_back({table.reader.get(), table.smallest,
                                    table.largest, table.excludes_largest});
  }
  for (const std::vector<TableRange>& ranges : ranges_) {
    levels_.push_back({ranges, ranges.size() > 1});
  }
  return {};
}

Status OpenTables::Open(std::vector<Source>* sources,
                        const ReaderOptions& options, std::string* failed) {
  if (sources->empty()) return {};
  level_count_ = sources->back().level + 1;
  tables_.resize(sources->size());
  SequenceNumber largest = 0;
  // The oldest level first.
  for (size_t end = size(); end != 0;) {
    size_t begin = end - 1;
    while (begin != 0 && (*sources)[begin - 1].level == (*sources)[begin].level)
      --begin;
    Status status = OpenLevel(std::span(*sources).subspan(begin, end - begin),
                              std::span(tables_).subspan(begin, end - begin),
                              options, &largest, failed);
    if (!status.ok()) return status;
    end = begin;
  }
  if (size() == 1) return {};
  for (OneTable& table : tables_) {
    *failed = table.name;
    Status status = FindRange(&table);
    if (!status.ok()) return status;
  }
  return MakeLevels(failed);
}

void OpenTables::MultiGet(std::span<const Slice> keys,
                          std::span<GetResult> results,
                          std::span<Status> statuses) const {
  if (size() == 1) {
    tables_[0].reader->MultiGet(keys, results, statuses);
  } else {
    MultiGetFromTables(levels_, keys, results, statuses);
  }
}

std::vector<UserIteratorTable> OpenTables::ForIterator() const {
  std::vector<UserIteratorTable> tables;
  tables.reserve(tables_.size());
  for (const OneTable& table : tables_) tables.push_back({table.reader.get()});
  return tables;
}

}  // namespace ashlar::python
