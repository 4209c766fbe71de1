#include "table/sort/sorted_output.h"

#include <utility>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/table_summary.h"
#include "ashlar/util/comparator.h"

namespace ashlar::internal {
namespace {

// Returns what a manifest says of the table. `largest` of a range deletion is
// its end, which the table does not reach.
TableSetTable Describe(const TableSummary& summary) {
  TableSetTable table;
  table.smallest = UserKeyOf(summary.smallest).ToString();
  table.largest = UserKeyOf(summary.largest).ToString();
  table.largest_is_exclusive = IsRangeDeletionEnd(summary.largest);
  table.entries = summary.num_entries;
  table.file_bytes = summary.file_size;
  return table;
}

}  // namespace

SortedOutput::SortedOutput(const std::string& path,
                           const SortedTableWriterOptions* options)
    : path_(path), options_(options), deletions_(options->table.comparator) {}

SortedOutput::~SortedOutput() { Abandon(); }

Result<std::unique_ptr<SortedOutput>> SortedOutput::Open(
    const std::string& path, const SortedTableWriterOptions* options) {
  std::unique_ptr<SortedOutput> output(new SortedOutput(path, options));
  Status status = output->IsSet() ? output->OpenSet() : output->OpenFile();
  if (!status.ok()) return status;
  return output;
}

Result<std::unique_ptr<SortedOutput>> SortedOutput::OpenTo(
    CompactionOutputs* outputs, const SortedTableWriterOptions* options) {
  std::unique_ptr<SortedOutput> output(new SortedOutput("", options));
  output->outputs_ = outputs;
  Status status = output->BeginOfSet();
  if (status.ok()) return output;
  output->Abandon();
  return status;
}

Status SortedOutput::OpenFile() {
  auto file = AtomicFile::Create(
      path_, {.overwrite = options_->overwrite, .file = options_->file});
  if (!file.ok()) return file.status();
  file_ = std::move(file).value();
  return Begin(file_->file());
}

Status SortedOutput::OpenSet() {
  TableSetOptions set_options;
  set_options.path = path_;
  set_options.overwrite = options_->overwrite;
  set_options.file = options_->file;
  set_options.warn = options_->warn;
  set_options.is_cancelled = options_->is_cancelled;
  auto set = TableSet::Create(std::move(set_options));
  if (!set.ok()) return set.status();
  set_ = std::move(set).value();
  return BeginOfSet();
}

Status SortedOutput::BeginOfSet() {
  if (outputs_ != nullptr) return Begin(nullptr);
  auto file = set_->BeginTable(number_);
  return file.ok() ? Begin(*file) : file.status();
}

Status SortedOutput::Begin(WritableFile* file) {
  BuildOptions build = options_->build;
  if (!options_->internal_keys) build.external_file = true;
  // The buffers of workers would be a large part of a small limit.
  constexpr uint64_t kLeastForWorkers = uint64_t{16} << 20;
  if (!options_->is_sorted && options_->memory < kLeastForWorkers) {
    build.workers = 0;
  }
  if (IsSet()) {
    // Tables of one identity differ in their file number.
    build.identity.file_number = number_ + 1;
    // Equal entries must be cut at the same keys, whatever the progress of
    // workers.
    if (!build.identity.db_session_id.empty()) build.workers = 0;
  }
  TableOptions table = options_->table;
  if (outputs_ != nullptr) {
    auto begun = outputs_->Begin(number_, &table, &build);
    if (!begun.ok()) return begun.status();
    is_open_ = true;
    file = *begun;
  }
  auto builder = TableBuilder::Create(table, build, file);
  if (!builder.ok()) return builder.status();
  builder_ = std::move(builder).value();
  has_entries_ = false;
  is_full_ = false;
  bytes_since_look_ = 0;
  return Status();
}

// Returns whether the user key is not that of the last entry, so that it may
// begin another table: all versions of a user key are in one.
bool SortedOutput::IsAnotherKey(const Slice& user_key) const {
  const Comparator& order = *options_->table.comparator;
  const size_t size = order.timestamp_size();
  return order.CompareWithoutTimestamp(WithoutTimestamp(last_key_, size),
                                       WithoutTimestamp(user_key, size)) != 0;
}

bool SortedOutput::MustCut(const SortEntry& entry) {
  if (!has_entries_) return false;
  bytes_since_look_ += entry.user_key.size() + entry.value.size();
  if (!is_full_ && bytes_since_look_ >= options_->table.block_size) {
    bytes_since_look_ = 0;
    is_full_ =
        builder_->EstimatedFileSize() >= options_->build.target_file_size;
  }
  return is_full_ && IsAnotherKey(entry.user_key);
}

Status SortedOutput::Add(const SortEntry& entry) {
  if (!IsSet()) return Put(entry);
  if (MustCut(entry)) {
    Status status = EndTable(&entry.user_key);
    // A table that did not end keeps its number, by which it is dropped.
    if (!status.ok()) return status;
    ++number_;
    status = BeginOfSet();
    if (!status.ok()) return status;
  }
  has_entries_ = true;
  last_key_.assign(entry.user_key.data(), entry.user_key.size());
  return Put(entry);
}

Status SortedOutput::AddRangeDeletion(const SortEntry& entry) {
  if (!IsSet()) return Put(entry);
  if (number_ > 0) {
    return Status::InvalidArgument(
        "a range deletion of a set must come before all other entries");
  }
  return deletions_.Add({entry.user_key, entry.value, entry.sequence});
}

Status SortedOutput::Put(const SortEntry& entry) {
  Status status = builder_->Add(
      entry.user_key, PackTail(entry.sequence, entry.type), entry.value);
  if (status.ok()) entries_written_.Store(entries_written_.Load() + 1);
  return status;
}

Status SortedOutput::EndTable(const Slice* next) {
  Status status = deletions_.Take(next, [this](const RangeDeletion& part) {
    SortEntry entry;
    entry.user_key = part.begin;
    entry.value = part.end;
    entry.sequence = part.sequence;
    entry.type = ValueType::kTypeRangeDeletion;
    return Put(entry);
  });
  if (status.ok()) status = builder_->Finish();
  if (!status.ok()) return status;
  TableSetTable table = Describe(builder_->summary());
  if (outputs_ != nullptr) {
    const TableSummary& summary = builder_->summary();
    tables_.push_back(std::move(table));
    is_open_ = false;
    status = outputs_->End(
        {number_, summary.smallest, summary.largest, builder_.get()});
  } else if (IsSet()) {
    status = set_->EndTable(number_, std::move(table));
  } else {
    table.path = path_;
    tables_.push_back(std::move(table));
    status = file_->Commit();
  }
  if (status.ok()) tables_ended_.FetchAdd(1);
  return status;
}

Status SortedOutput::Finish() {
  Status status = EndTable(nullptr);
  builder_.reset();
  if (status.ok() && set_ != nullptr) {
    // Once the set is in place, nothing here may need memory: an error would
    // say that it is not.
    std::string manifest = set_->manifest();
    status = set_->Commit();
    if (status.ok()) {
      tables_ = set_->TakeTables();
      manifest_ = std::move(manifest);
    }
  }
  Abandon();
  if (!status.ok()) tables_.clear();
  return status;
}

void SortedOutput::Abandon() {
  builder_.reset();
  if (is_open_) outputs_->Drop(number_);
  is_open_ = false;
  file_.reset();
  set_.reset();
}

}  // namespace ashlar::internal
