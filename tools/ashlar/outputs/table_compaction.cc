#include "tools/ashlar/outputs/table_compaction.h"

#include <algorithm>
#include <utility>

#include "ashlar/table/table_summary.h"
#include "ashlar/util/printable.h"
#include "tools/ashlar/inputs/deeper_tables.h"
#include "tools/ashlar/outputs/kept_options.h"
#include "tools/ashlar/print/output.h"

namespace ashlar::tool {

CompactionWatch::CompactionWatch() { shown_.emplace(FLAGS_out); }

bool CompactionWatch::GoOn() {
  if (Interrupted()) {
    progress_.Cancel();
    return false;
  }
  if (!IsOnMyThread()) return true;
  const CompactionAmounts amounts = progress_.Amounts();
  return shown_->Update(amounts.input_bytes, amounts.expected_bytes);
}

void CompactionWatch::Warn(std::string_view text) {
  if (IsOnMyThread()) {
    PrintWarning(text);
  } else {
    warnings_.emplace_back(text);
  }
}

void CompactionWatch::EndProgress() {
  shown_.reset();
  for (const std::string& text : warnings_) PrintWarning(text);
  warnings_.clear();
}

namespace {

// Of two times; 0 means unknown.
uint64_t OldestOf(uint64_t a, uint64_t b) {
  return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
}

}  // namespace

TableCompaction::TableCompaction(const CommandLine& line, SinkOptions sink,
                                 CompactionFlags flags)
    : line_(line), sink_(std::move(sink)), flags_(std::move(flags)) {}

bool TableCompaction::Open(const std::vector<Input>& inputs) {
  tables_ = OpenAgedTables(inputs, flags_.rate_limiter);
  return std::all_of(tables_.begin(), tables_.end(),
                     [](const AgedTable& table) { return table.status.ok(); });
}

Status TableCompaction::OpenDeeper() {
  return ReadDeeperLevels(line_.deeper, tables_.back().reader->comparator(),
                          &deeper_);
}

// Range deletions of the inputs count in full, so that their bounds serve for
// this alone.
Status TableCompaction::SetDeeper() {
  if (line_.deeper.empty()) return {};
  std::vector<CompactionRun> runs;
  for (const AgedTable& table : tables_) {
    TableSummary summary;
    Status status = SummarizeTable(*table.reader, &summary);
    if (!status.ok()) return status;
    if (summary.smallest.empty()) continue;
    runs.push_back({{table.reader.get(), summary.smallest, summary.largest}});
  }
  SetDeeperFiles(deeper_, runs, &options_);
  return {};
}

Status TableCompaction::Run() {
  const AgedTable& newest = tables_.back();
  const TableReader& reader = *newest.reader;
  const bool keeps_time = !sink_.build.identity.creation_time.has_value();
  KeepOptions(line_,
              {newest.path, reader.format_version(), &reader.properties()},
              &sink_);
  SetOrigin(keeps_time);
  sink_.table.comparator = reader.comparator();
  Status status = SetCompactionOptions(flags_, reader.comparator(), &options_);
  if (status.ok()) status = SetDeeper();
  if (!status.ok()) return status;
  watch_.emplace();
  auto files = CompactionFiles::Create(
      sink_, [this](std::string_view text) { watch_->Warn(text); });
  if (!files.ok()) return files.status();
  files_ = std::move(files).value();
  status = ExplainOperand(Compact());
  watch_->EndProgress();
  // Until now, an interrupt leaves nothing behind.
  if (Interrupted()) status = Status::Aborted("interrupted");
  if (status.ok()) status = files_->Commit(result_);
  if (!status.ok()) files_.reset();
  return status;
}

// Sets what the new tables say about where their entries come from: times are
// of all inputs, and nothing describes one input alone.
void TableCompaction::SetOrigin(bool keeps_time) {
  sink_.external = false;
  sink_.build.user_properties.clear();
  if (flags_.merge_operator != nullptr) {
    sink_.build.merge_operator_name =
        std::string(flags_.merge_operator->Name());
  }
  TableIdentity& identity = sink_.build.identity;
  uint64_t created = 0;
  for (const AgedTable& table : tables_) {
    const TableProperties& of = table.reader->properties();
    created = OldestOf(created, of.creation_time);
    identity.oldest_key_time =
        OldestOf(identity.oldest_key_time, of.oldest_key_time);
    identity.newest_key_time =
        std::max(identity.newest_key_time, of.newest_key_time);
  }
  if (keeps_time && created != 0) identity.creation_time = created;
}

Status TableCompaction::Compact() {
  options_.table = sink_.table;
  options_.build = sink_.build;
  options_.progress = watch_->progress();
  options_.iterator.on_progress = [this](const CompactionCounts&) {
    return watch_->GoOn();
  };
  options_.read.worker_pool = workers_.pool();
  // With none, CompactTables would start threads of its own for the parts.
  options_.worker_pool = options_.read.worker_pool != nullptr
                             ? options_.read.worker_pool
                             : &no_workers_;
  std::vector<CompactionRun> runs;
  // The newest first: of two entries with equal keys and numbers, that of
  // the first run is taken for the newer one.
  for (size_t i = tables_.size(); i > 0; --i) {
    runs.push_back({{tables_[i - 1].reader.get(), {}, {}}});
  }
  return CompactTables(options_, runs, {}, files_.get(), &result_);
}

// CompactTables says that an operator is missing, but not how to name one.
// Options of the table were checked before, so that operands are the only
// InvalidArgument of tables that have some.
Status TableCompaction::ExplainOperand(const Status& status) const {
  if (!status.IsInvalidArgument() || flags_.merge_operator != nullptr) {
    return status;
  }
  for (const AgedTable& table : tables_) {
    const TableProperties& properties = table.reader->properties();
    if (properties.num_merge_operands == 0) continue;
    std::string text(status.message());
    text += ": --merge_operator names what joins operands";
    const std::string& name = properties.merge_operator_name;
    if (FindBuiltinMergeOperator(name) != nullptr) {
      text += "; " + PrintableText(table.path) + " was written with " + name;
    }
    return Status::InvalidArgument(text);
  }
  return status;
}

}  // namespace ashlar::tool
