#include "python/src/open_tables.h"

#include <utility>

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

Status OpenTables::OpenOne(Source* source, const ReaderOptions& given) {
  OneTable table = {source->name, nullptr, source->level, {}, {}};
  ReaderOptions options = given;
  // Entries of a newer level must have larger sequence numbers. Tables for
  // ingestion have none, so they get one, as by ingestion into a database.
  if (level_count_ > 1) options.largest_seqno = level_count_ - source->level;
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
  table.reader = std::move(reader).value();
  table.is_plain = IsPlain(*table.reader);
  tables_.push_back(std::move(table));
  return {};
}

Status OpenTables::FindRange(OneTable* table) const {
  Iterator entries = table->reader->NewIterator({.fill_cache = true});
  bool has_any = false;
  entries.SeekToFirst();
  if (entries.Valid()) {
    table->smallest = entries.user_key().ToString();
    entries.SeekToLast();
    if (entries.Valid()) table->largest = entries.user_key().ToString();
    has_any = true;
  }
  if (!entries.Valid() && !entries.status().ok()) return entries.status();
  const Comparator* const order = table->reader->comparator();
  for (const RangeDeletion& deletion : table->reader->RangeDeletions()) {
    if (!has_any || order->Compare(deletion.begin, table->smallest) < 0) {
      table->smallest = deletion.begin.ToString();
    }
    if (!has_any || order->Compare(deletion.end, table->largest) > 0) {
      table->largest = deletion.end.ToString();
    }
    has_any = true;
  }
  return {};
}

void OpenTables::MakeLevels() {
  ranges_.resize(level_count_);
  for (const OneTable& table : tables_) {
    ranges_[table.level].push_back(
        {table.reader.get(), table.smallest, table.largest});
  }
  for (const std::vector<TableRange>& ranges : ranges_) {
    levels_.push_back({ranges, ranges.size() > 1});
  }
}

Status OpenTables::Open(std::vector<Source>* sources,
                        const ReaderOptions& options, std::string* failed) {
  for (const Source& source : *sources) level_count_ = source.level + 1;
  for (Source& source : *sources) {
    if (watch_->Poll()) return Status::Aborted("interrupted");
    *failed = source.name;
    Status status = OpenOne(&source, options);
    if (!status.ok()) return status;
  }
  if (size() > 1) {
    for (OneTable& table : tables_) {
      *failed = table.name;
      Status status = FindRange(&table);
      if (!status.ok()) return status;
    }
    MakeLevels();
  }
  return {};
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
