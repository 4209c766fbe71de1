#include "tools/ashlar/outputs/table_set.h"

#include <utility>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/outputs/open_folder.h"
#include "tools/ashlar/outputs/output_path.h"
#include "tools/ashlar/outputs/set_commit.h"
#include "tools/ashlar/outputs/set_recovery.h"

namespace ashlar::tool {

TableSet::TableSet(const SinkOptions& options)
    : options_(options),
      names_(options.path),
      deletions_(options.table.comparator) {}

Result<std::unique_ptr<TableSet>> TableSet::Create(const SinkOptions& options) {
  std::unique_ptr<TableSet> set(new TableSet(options));
  auto folder = RunFolder::Create(set->names_);
  if (!folder.ok()) return folder.status();
  set->folder_ = std::move(folder).value();
  // Creates the first table at once, so that impossible options are reported
  // before the first row.
  Status status = set->Begin();
  if (!status.ok()) return status;
  return set;
}

Status TableSet::CheckIsFree(const std::string& path,
                             const std::vector<std::string>& inputs) {
  const SetNames names(path);
  Status status = RecoverSet(names, FLAGS_clean);
  if (!status.ok()) return status;
  std::vector<std::string> taken = {names.Manifest()};
  const auto folder = OpenFolder::Open(names.parent(), /*follow=*/true);
  // If there is no such folder, Create reports it.
  if (!folder.ok()) return Status();
  const auto found = folder->Names();
  if (!found.ok()) return found.status();
  for (const std::string& name : *found) {
    if (names.IsTable(name)) taken.push_back(name);
  }
  for (const std::string& name : taken) {
    status = tool::CheckIsFree(names.parent() + name, inputs);
    if (!status.ok()) return status;
  }
  return Status();
}

std::string TableSet::manifest() const {
  return names_.parent() + names_.Manifest();
}

// Returns whether the row's user key is larger than the previous one. A row
// that has the same user key must stay in this table, and the sink refuses one
// that is out of order.
bool TableSet::IsBehind(const Row& row) const {
  const size_t size = options_.table.comparator->timestamp_size();
  return row.key.size() >= size &&
         options_.table.comparator->CompareWithoutTimestamp(
             WithoutTimestamp(current_.largest, size),
             WithoutTimestamp(row.key, size)) < 0;
}

bool TableSet::MustCut(const Row& row) {
  if (!has_entries_) return false;
  bytes_since_look_ += row.key.size() + row.value.size();
  if (!is_full_ && bytes_since_look_ >= options_.table.block_size) {
    bytes_since_look_ = 0;
    is_full_ = sink_->EstimatedFileSize() >= options_.build.target_file_size;
  }
  return is_full_ && IsBehind(row);
}

Status TableSet::Add(const Row& row) {
  if (row.type == ValueType::kTypeRangeDeletion) {
    Status status = CheckSequence(options_, row);
    return status.ok() ? deletions_.Add(row) : status;
  }
  if (MustCut(row)) {
    Status status = End(&row.key);
    if (status.ok()) status = Begin();
    if (!status.ok()) return status;
  }
  Status status = sink_->Add(row);
  if (!status.ok()) return status;
  if (!has_entries_) current_.smallest.assign(row.key.data(), row.key.size());
  has_entries_ = true;
  current_.largest.assign(row.key.data(), row.key.size());
  return Status();
}

Status TableSet::Begin() {
  const uint64_t number = tables_.size() + 1;
  current_ = MadeTable();
  has_entries_ = false;
  is_full_ = false;
  bytes_since_look_ = 0;
  SinkOptions options = options_;
  options.path = folder_->folder().PathOf(names_.Table(number));
  // Tables of one identity differ in their file number. This is the number
  // within the set, not the one in the name, so that equal input gives equal
  // bytes.
  options.build.identity.file_number = number;
  auto sink = TableSink::Create(options);
  if (!sink.ok()) return sink.status();
  sink_ = std::move(sink).value();
  return Status();
}

Status TableSet::End(const Slice* next) {
  const Comparator& order = *options_.table.comparator;
  const size_t size = order.timestamp_size();
  const auto compare = [&](const Slice& a, const Slice& b) {
    return order.CompareWithoutTimestamp(WithoutTimestamp(a, size),
                                         WithoutTimestamp(b, size));
  };
  bool has_any = has_entries_;
  Status status = deletions_.Take(next, [&](const Row& piece) {
    if (!has_any || compare(piece.key, current_.smallest) < 0) {
      current_.smallest = piece.key.ToString();
    }
    if (!has_any || compare(piece.value, current_.largest) > 0) {
      current_.largest = piece.value.ToString();
      current_.largest_is_exclusive = true;
    }
    has_any = true;
    return sink_->Add(piece);
  });
  if (status.ok()) status = sink_->Finish();
  if (!status.ok()) return status;
  MadeTable made = sink_->tables().front();
  made.smallest = std::move(current_.smallest);
  made.largest = std::move(current_.largest);
  made.largest_is_exclusive = current_.largest_is_exclusive;
  if (tables_.empty()) first_properties_ = sink_->properties();
  tables_.push_back(std::move(made));
  sink_.reset();
  return Status();
}

Status TableSet::Finish() {
  Status status = End(nullptr);
  if (!status.ok()) return status;
  return CommitSet(names_, options_.overwrite, folder_.get(), &tables_);
}

}  // namespace ashlar::tool
