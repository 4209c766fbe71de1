#include "tools/ashlar/outputs/set_sink.h"

#include <utility>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/outputs/output_path.h"
#include "tools/ashlar/print/output.h"
#include "tools/escaped_text.h"

namespace ashlar::tool {

SetSink::SetSink(const SinkOptions& options)
    : options_(options), deletions_(options.table.comparator) {}

Result<std::unique_ptr<SetSink>> SetSink::Create(const SinkOptions& options) {
  std::unique_ptr<SetSink> sink(new SetSink(options));
  auto set = TableSet::Create(SetOptionsFrom(options));
  if (!set.ok()) return set.status();
  sink->set_ = std::move(set).value();
  // Creates the first table at once, so that impossible options are reported
  // before the first row.
  Status status = sink->Begin();
  if (!status.ok()) return status;
  return sink;
}

TableSetOptions SetOptionsFrom(const SinkOptions& options) {
  TableSetOptions set;
  set.path = options.path;
  set.overwrite = options.overwrite;
  set.file = options.file;
  set.remove_leftovers = FLAGS_clean;
  // CheckSetIsFree has done that, before the rows were read.
  set.recover = false;
  set.warn = PrintWarning;
  set.is_cancelled = Interrupted;
  return set;
}

Status CheckSetIsFree(const SinkOptions& options,
                      const std::vector<std::string>& inputs) {
  std::vector<std::string> leftovers;
  Status status = RecoverTableSet(SetOptionsFrom(options), &leftovers);
  for (const std::string& path : leftovers) {
    PrintWarning(
        path +
        " is left over from an earlier run and not needed; --clean removes it");
  }
  if (!status.ok()) return status;
  const auto taken = FindTableSetFiles(options.path);
  if (!taken.ok()) return taken.status();
  for (const std::string& name : *taken) {
    status = CheckIsFree(name, inputs);
    if (!status.ok()) return status;
  }
  return Status();
}

// Returns whether the row's user key is larger than the previous one. A row
// that has the same user key must stay in this table, and the sink refuses one
// that is out of order.
bool SetSink::IsBehind(const Row& row) const {
  const size_t size = options_.table.comparator->timestamp_size();
  return row.key.size() >= size &&
         options_.table.comparator->CompareWithoutTimestamp(
             WithoutTimestamp(current_.largest, size),
             WithoutTimestamp(row.key, size)) < 0;
}

bool SetSink::MustCut(const Row& row) {
  if (!has_entries_) return false;
  bytes_since_look_ += row.key.size() + row.value.size();
  if (!is_full_ && bytes_since_look_ >= options_.table.block_size) {
    bytes_since_look_ = 0;
    is_full_ = sink_->EstimatedFileSize() >= options_.build.target_file_size;
  }
  return is_full_ && IsBehind(row);
}

Status SetSink::AddRangeDeletion(const Row& row) {
  Status status = CheckSequence(options_, row);
  if (!status.ok()) return status;
  status = deletions_.Add({row.key, row.value, row.sequence});
  const size_t size = options_.table.comparator->timestamp_size();
  if (!status.IsInvalidArgument() || row.key.size() < size ||
      row.value.size() < size) {
    return status;
  }
  // The same in the syntax of the program.
  return Status::InvalidArgument(
      "a range deletion begins at '" + Escape(row.key) +
      "', which is not smaller than its end '" + Escape(row.value) + "'");
}

Status SetSink::Add(const Row& row) {
  if (row.type == ValueType::kTypeRangeDeletion) return AddRangeDeletion(row);
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

Status SetSink::Begin() {
  current_ = MadeTable();
  has_entries_ = false;
  is_full_ = false;
  bytes_since_look_ = 0;
  SinkOptions options = options_;
  // Tables of one identity differ in their file number. This is the number
  // within the set, not the one in the name, so that equal input gives equal
  // bytes.
  options.build.identity.file_number = tables_.size() + 1;
  auto file = set_->BeginTable(tables_.size());
  if (!file.ok()) return file.status();
  auto sink = TableSink::Create(options, *file);
  if (!sink.ok()) return sink.status();
  sink_ = std::move(sink).value();
  return Status();
}

Status SetSink::End(const Slice* next) {
  const Comparator& order = *options_.table.comparator;
  const size_t size = order.timestamp_size();
  const auto compare = [&](const Slice& a, const Slice& b) {
    return order.CompareWithoutTimestamp(WithoutTimestamp(a, size),
                                         WithoutTimestamp(b, size));
  };
  bool has_any = has_entries_;
  Status status = deletions_.Take(next, [&](const RangeDeletion& piece) {
    if (!has_any || compare(piece.begin, current_.smallest) < 0) {
      current_.smallest = piece.begin.ToString();
    }
    if (!has_any || compare(piece.end, current_.largest) > 0) {
      current_.largest = piece.end.ToString();
      current_.largest_is_exclusive = true;
    }
    has_any = true;
    Row row;
    row.key = piece.begin;
    row.value = piece.end;
    row.sequence = piece.sequence;
    row.type = ValueType::kTypeRangeDeletion;
    return sink_->Add(row);
  });
  if (status.ok()) status = sink_->Finish();
  if (!status.ok()) return status;
  MadeTable made = sink_->tables().front();
  made.smallest = std::move(current_.smallest);
  made.largest = std::move(current_.largest);
  made.largest_is_exclusive = current_.largest_is_exclusive;
  TableSetTable listed;
  listed.smallest = made.smallest;
  listed.largest = made.largest;
  listed.largest_is_exclusive = made.largest_is_exclusive;
  listed.entries = made.entries;
  status = set_->EndTable(tables_.size(), std::move(listed));
  if (!status.ok()) return status;
  if (tables_.empty()) first_properties_ = sink_->properties();
  tables_.push_back(std::move(made));
  sink_.reset();
  return Status();
}

Status SetSink::Finish() {
  Status status = End(nullptr);
  if (status.ok()) status = set_->Commit();
  if (!status.ok()) return status;
  for (size_t i = 0; i < tables_.size(); ++i) {
    tables_[i].path = set_->tables()[i].path;
    tables_[i].file_checksum = set_->tables()[i].file_checksum;
  }
  return Status();
}

}  // namespace ashlar::tool
