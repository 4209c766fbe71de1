// compact: does with files what a compaction does.
//
// All tables are opened first, so that every file that cannot take part is
// named, and nothing is made if one cannot. Then CompactTables writes into
// CompactionFiles, which appear together at the end. Parts of a compaction run
// on several threads, and each of them tells how far it is: Watch, which has a
// mutex, shows the progress, and cancels all parts after a signal.
#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/table/compaction_progress.h"
#include "ashlar/util/printable.h"
#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/aged_tables.h"
#include "tools/ashlar/inputs/inputs.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/inputs/workers.h"
#include "tools/ashlar/outputs/build_options.h"
#include "tools/ashlar/outputs/compaction_files.h"
#include "tools/ashlar/outputs/compaction_flags.h"
#include "tools/ashlar/outputs/kept_options.h"
#include "tools/ashlar/outputs/output_path.h"
#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

// What the parts of a compaction do with the terminal. Any number of threads.
class Watch {
 public:
  Watch() { shown_.emplace(FLAGS_out); }

  CompactionProgress* progress() { return &progress_; }
  // Called by each part whenever it has taken a few KiB. Returns false after a
  // signal.
  bool GoOn() {
    if (Interrupted()) {
      progress_.Cancel();
      return false;
    }
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return true;  // another part shows it
    const CompactionAmounts amounts = progress_.Amounts();
    return shown_->Update(amounts.input_bytes, amounts.expected_bytes);
  }
  // To be called when no part runs. Nothing is shown from now on.
  void EndProgress() { shown_.reset(); }
  void Warn(std::string_view text) {
    const std::scoped_lock lock(mutex_);
    PrintWarning(text);
  }

 private:
  CompactionProgress progress_;
  std::mutex mutex_;
  std::optional<Progress> shown_;
};

class Compaction {
 public:
  Compaction(const CommandLine& line, SinkOptions sink, CompactionFlags flags)
      : line_(line), sink_(std::move(sink)), flags_(std::move(flags)) {}

  // Opens all inputs. Returns whether all can take part.
  bool Open(const std::vector<Input>& inputs) {
    tables_ = OpenAgedTables(inputs, flags_.rate_limiter);
    for (const AgedTable& table : tables_) {
      if (!table.status.ok()) return false;
    }
    return true;
  }

  // Returns Aborted if interrupted, or what went wrong.
  Status Run() {
    const AgedTable& newest = tables_.back();
    const TableReader& reader = *newest.reader;
    const bool keeps_time = !sink_.build.identity.creation_time.has_value();
    KeepOptions(line_,
                {newest.path, reader.format_version(), &reader.properties()},
                &sink_);
    SetOrigin(keeps_time);
    sink_.table.comparator = reader.comparator();
    Status status =
        SetCompactionOptions(flags_, reader.comparator(), &options_);
    if (!status.ok()) return status;
    watch_.emplace();
    auto files = CompactionFiles::Create(
        sink_, [this](std::string_view text) { watch_->Warn(text); });
    if (!files.ok()) return files.status();
    files_ = std::move(files).value();
    status = Compact();
    watch_->EndProgress();
    // Until now, an interrupt leaves nothing behind.
    if (Interrupted()) status = Status::Aborted("interrupted");
    if (status.ok()) status = files_->Commit(result_);
    if (!status.ok()) files_.reset();
    return ExplainOperand(status);
  }

  const std::vector<AgedTable>& tables() const { return tables_; }

  // Requires: Run has returned ok.
  Compacted Summary(double seconds) const {
    Compacted summary = {
        .result = result_,
        .input_files = tables_.size(),
        .input_bytes = 0,
        .input_range_deletions = 0,
        .made = {files_->tables(), files_->manifest(), seconds, FLAGS_out}};
    for (const AgedTable& table : tables_) {
      summary.input_bytes += table.reader->file().Size();
      summary.input_range_deletions += table.reader->RangeDeletions().size();
    }
    return summary;
  }

 private:
  // Sets what the new tables say about where their entries come from: times are
  // of all inputs, and nothing describes one input alone.
  void SetOrigin(bool keeps_time) {
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

  // Of two times; 0 means unknown.
  static uint64_t OldestOf(uint64_t a, uint64_t b) {
    return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
  }

  Status Compact() {
    options_.table = sink_.table;
    options_.build = sink_.build;
    options_.progress = watch_->progress();
    options_.iterator.on_progress = [this](const CompactionCounts&) {
      return watch_->GoOn();
    };
    options_.worker_pool = workers_.pool();
    options_.read.worker_pool = options_.worker_pool;
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
  Status ExplainOperand(const Status& status) const {
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

  const CommandLine& line_;
  SinkOptions sink_;
  const CompactionFlags flags_;
  std::vector<AgedTable> tables_;
  Workers workers_;
  CompactionOptions options_;
  std::optional<Watch> watch_;
  // Must be declared after watch_, which gets its warnings.
  std::unique_ptr<CompactionFiles> files_;
  CompactionResult result_;
};

// Returns which flags or inputs do not go together, or an empty string.
std::string CheckFlags(const CommandLine& line,
                       const std::vector<std::string>& paths) {
  for (const char* const flag :
       {"max_subcompactions", "target_file_size_is_upper_bound"}) {
    if (line.Given(flag) && FLAGS_target_file_size == 0) {
      return std::string("--") + flag + " needs --target_file_size";
    }
  }
  if (FLAGS_max_subcompactions > 1 && line.Given("identity")) {
    return "--identity and --max_subcompactions exclude each other: which "
           "table is made first depends on the threads";
  }
  std::set<FileId> known;
  for (const std::string& path : paths) {
    const auto id = IdOf(path);
    if (id && !known.insert(*id).second) {
      return PrintableText(path) +
             " is named twice: its entries must be taken once";
    }
  }
  return {};
}

// Reports the inputs, and the fault of the compaction with the file that it
// names first, or else with the output.
void ReportFiles(const std::vector<AgedTable>& tables, const Status& status,
                 Report* report) {
  bool is_reported = status.ok();
  for (const AgedTable& table : tables) {
    report->BeginFile(table.path);
    if (table.reader != nullptr) {
      const TableReader& reader = *table.reader;
      report->Opened(reader.format_version(), reader.checksum_type(),
                     &reader.properties());
      if (!table.status.ok()) report->AddFault(table.status);
    } else {
      ReportOpened(table.status, table.path, report);
    }
    if (!is_reported && IsAbout(table.path, status)) {
      report->AddFault(status);
      is_reported = true;
    }
    if (status.ok()) report->FileIsDone();
    report->EndFile();
  }
  if (is_reported) return;
  report->BeginFile(FLAGS_out);
  report->AddFault(status);
  report->EndFile();
}

int Run(const CommandLine& line, const std::vector<Input>& inputs,
        SinkOptions sink, CompactionFlags flags) {
  const Stopwatch stopwatch;
  Compaction compaction(line, std::move(sink), std::move(flags));
  bool all_open = true;
  Status status;
  try {
    all_open = compaction.Open(inputs);
    if (all_open) status = compaction.Run();
  } catch (const std::bad_alloc&) {
    // The JSON document must report it.
    status = Status::OutOfMemory();
  }
  const auto micros = static_cast<double>(stopwatch.Read().wall_micros);
  Report report("compact", ChosenForm(), false);
  ReportFiles(compaction.tables(), status, &report);
  if (report.was_cut_short()) {
    PrintError("ashlar: interrupted after about " +
               std::to_string(Progress::percent()) + " % of the entries");
  }
  if (!all_open || !status.ok()) return report.Finish();
  const Compacted summary = compaction.Summary(micros / 1e6);
  for (const MadeTable& made : summary.made.tables) {
    report.AddEntries(made.entries);
  }
  report.BeginEnding();
  report.Show(summary);
  return report.Finish();
}

}  // namespace

int RunCompact(const CommandLine& line) {
  SinkOptions sink;
  CompactionFlags flags;
  std::string error = CheckComparatorFlag();
  if (error.empty()) error = CheckInputsAndForm(line);
  if (error.empty())
    error = SinkOptionsFromFlags(line, &sink, Unnamed::kAreKept);
  if (error.empty()) error = ReadCompactionFlags(line, &flags);
  if (!error.empty()) return UsageError(error);
  const std::vector<Input> inputs = ExpandInputs(line.inputs);
  std::vector<std::string> paths;
  for (const Input& input : inputs) paths.push_back(input.path);
  error = CheckFlags(line, paths);
  if (!error.empty()) return UsageError(error);
  const Status free = TableOutput::CheckIsFree(sink, paths);
  if (!free.ok()) return OutputIsTaken(free);
  return Run(line, inputs, std::move(sink), std::move(flags));
}

}  // namespace ashlar::tool
