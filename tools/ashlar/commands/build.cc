// build: makes a table from rows of text.
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/entry_sorter.h"
#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/outputs/build_options.h"
#include "tools/ashlar/outputs/ordered_rows.h"
#include "tools/ashlar/outputs/output_path.h"
#include "tools/ashlar/print/report.h"
#include "tools/ashlar/print/results/results.h"
#include "tools/ashlar/rows/input_rows.h"
#include "tools/ashlar/rows/scratch_folder.h"

namespace ashlar::tool {
namespace {

DuplicateRule ChosenDuplicateRule() {
  if (FLAGS_on_duplicate == "first") return DuplicateRule::kFirst;
  if (FLAGS_on_duplicate == "last") return DuplicateRule::kLast;
  return DuplicateRule::kError;
}

class Build {
 public:
  Build(SinkOptions options, RowFormat format,
        const std::vector<std::string>& inputs)
      : options_(std::move(options)),
        bad_rows_(FLAGS_max_bad_rows, FLAGS_bad_rows),
        inputs_(inputs, std::move(format), &bad_rows_) {}

  // Returns ok, Aborted if interrupted, or an error that error_line()
  // describes.
  Status Run() {
    Status status = bad_rows_.Open();
    if (!status.ok()) return Fail(bad_rows_.path(), status);
    status = MakeTable();
    const Status closed = bad_rows_.Close();
    return status.ok() && !closed.ok() ? Fail(bad_rows_.path(), closed)
                                       : status;
  }

  // The line for standard error.
  const FaultText& error_line() const { return error_line_; }
  // Returns whether an InvalidArgument is the fault of a row, and not of the
  // output.
  bool is_about_row() const { return is_about_row_; }
  const TableOutput& sink() const { return *sink_; }
  RowCounts counts() const {
    return {inputs_.count(), bad_rows_.count(),
            rows_ == nullptr ? 0 : rows_->duplicates(), options_.dry_run};
  }

 private:
  Status MakeTable() {
    Status status = inputs_.ForEach(
        [this](const Row& row) { return TakeRow(row); }, &error_line_);
    if (status.ok() && sorter_ != nullptr) status = AddSorted();
    if (status.ok() && sink_ == nullptr) {
      status = Begin(FLAGS_external || FLAGS_input_format != "hex");
    }
    if (!status.ok()) return status;
    status = rows_->Flush();
    if (!status.ok()) return FailAt(rows_->bad_place(), status);
    // Until now, an interrupt leaves nothing behind.
    if (Interrupted()) return Status::Aborted("interrupted");
    status = sink_->Finish();
    return status.ok() ? status : Fail(options_.path, status);
  }

  Status Fail(const std::string& place, const Status& status) {
    is_about_row_ = false;
    error_line_ = FaultLine(place, status);
    return status;
  }
  // Sets the error line for a row. It shows the status code only if that is
  // unusual.
  Status FailAt(const RowPlace& place, const Status& status) {
    // This is a check of the output, which has rows that were added earlier.
    // This row is not to blame.
    if (status.IsCorruption()) return Fail(options_.path, status);
    std::string text(status.message());
    if (text.starts_with(options_.path + ": ")) {
      text.erase(0, options_.path.size() + 2);
    }
    error_line_ = {place.ToString() + ": ", "", text};
    if (!status.IsInvalidArgument()) {
      error_line_.fault = StatusCodeName(status.code());
      error_line_.after = ": " + text;
    }
    return status;
  }

  // Sets the error line for the scratch files.
  Status FailToSort(const Status& status) {
    if (status.IsMemoryLimit()) return Fail(options_.path, status);
    error_line_ = FaultLine(ScratchFolder(), status);
    error_line_.after +=
        "; rows that --memory does not hold are sorted there; --tmpdir sets "
        "another folder";
    // This text replaces the advice that the errno would cause.
    return status.IsIOError() ? Status::IOError(error_line_.ToString())
                              : status;
  }

  Status TakeRow(const Row& row) {
    if (sink_ == nullptr) {
      Status status = Begin(FLAGS_external || !row.has_sequence);
      if (!status.ok()) return status;
    }
    if (row.has_sequence && options_.external && !FLAGS_external) {
      return FailAt(row.place,
                    Status::InvalidArgument(
                        "this row has a seq, but the first row has none"));
    }
    const bool at_once =
        sorter_ == nullptr || row.type == ValueType::kTypeRangeDeletion;
    return at_once ? AddRow(row) : AddToSorter(row);
  }

  // Creates the output. The first row determines which kind of table it is.
  Status Begin(bool external) {
    options_.external = external;
    auto sink = TableOutput::Create(options_);
    if (!sink.ok()) return Fail(options_.path, sink.status());
    sink_ = std::move(sink).value();
    rows_ = std::make_unique<OrderedRows>(&options_, ChosenDuplicateRule(),
                                          sink_.get());
    if (!FLAGS_sorted || MustKnowAllRanges()) {
      Status status = MakeSorter();
      if (!status.ok()) return FailToSort(status);
    }
    if (FLAGS_sorted && sorter_ != nullptr) {
      check_ = std::make_unique<OrderCheck>(&options_);
      checked_rows_ = std::make_unique<OrderedRows>(
          &options_, ChosenDuplicateRule(), check_.get());
    }
    return Status();
  }

  Status MakeSorter() {
    EntrySorterOptions options;
    options.comparator = options_.table.comparator;
    options.internal_keys = !options_.external;
    options.memory = FLAGS_memory;
    options.temp_folder = ScratchFolder();
    options.threads = FLAGS_threads;
    options.is_cancelled = Interrupted;
    auto sorter = EntrySorter::Create(options);
    if (!sorter.ok()) return sorter.status();
    sorter_ = std::move(sorter).value();
    return Status();
  }

  // Returns whether all range deletions must be known before the first entry,
  // as a set of tables requires. They may be anywhere in the input, except in
  // tsv and csv, which have none.
  bool MustKnowAllRanges() const {
    return options_.build.target_file_size != 0 &&
           (FLAGS_input_format == "hex" || FLAGS_input_format == "jsonl");
  }

  Status AddRow(const Row& row) { return AddRow(row, rows_.get()); }
  Status AddRow(const Row& row, OrderedRows* rows) {
    const Status status = rows->Add(row);
    return status.ok() ? status : FailAt(rows->bad_place(), status);
  }

  Status AddToSorter(const Row& row) {
    if (!CanBeSorted(row)) return Refuse(row);
    if (checked_rows_ != nullptr) {
      Status status = AddRow(row, checked_rows_.get());
      if (!status.ok()) return status;
    }
    const Status status = sorter_->Add({row.key, row.value, row.sequence,
                                        row.type, inputs_.NumberOf(row.place)});
    return status.ok() || status.IsAborted() ? status : FailToSort(status);
  }

  bool CanBeSorted(const Row& row) const {
    return row.key.size() >= options_.table.comparator->timestamp_size() &&
           row.key.size() <=
               TableBuilder::kMaxUserKeyBytes - kInternalKeyTailBytes &&
           row.value.size() < TableBuilder::kMaxValueBytes &&
           (row.sequence == 0 || !options_.external);
  }

  // Returns the sink's error for a row that cannot be compared.
  Status Refuse(const Row& row) {
    const Status status = sink_->Add(row);
    return FailAt(
        row.place,
        status.ok() ? Status::NotSupported("the row is too large to be sorted")
                    : status);
  }

  Status AddSorted() {
    bool taken = true;
    const Status status = sorter_->ForEach([&](const SortEntry& sorted) {
      Row row;
      row.key = sorted.user_key;
      row.value = sorted.value;
      row.sequence = sorted.sequence;
      row.type = sorted.type;
      row.place = inputs_.PlaceOf(sorted.number);
      Status added = AddRow(row);
      taken = added.ok();
      return added;
    });
    const bool is_reported = status.ok() || status.IsAborted() || !taken;
    return is_reported ? status : FailToSort(status);
  }

  SinkOptions options_;
  BadRows bad_rows_;
  InputRows inputs_;
  std::unique_ptr<TableOutput> sink_;
  std::unique_ptr<OrderedRows> rows_;
  std::unique_ptr<EntrySorter> sorter_;
  // For rows that are sorted although the input must already be in order.
  std::unique_ptr<OrderCheck> check_;
  std::unique_ptr<OrderedRows> checked_rows_;
  FaultText error_line_;
  bool is_about_row_ = true;
};

}  // namespace

int RunBuild(const CommandLine& line) {
  SinkOptions options;
  RowFormat format;
  options.dry_run = FLAGS_dry_run;
  std::string error = CheckComparatorFlag();
  if (error.empty()) error = RowFormatFromFlags(line, &format);
  if (error.empty()) error = SinkOptionsFromFlags(line, &options);
  if (!error.empty()) return UsageError(error);
  // A dry run makes one table: the sum of the tables of a set.
  if (options.dry_run) options.build.target_file_size = 0;
  Status free = TableOutput::CheckIsFree(options, line.inputs);
  if (free.ok() && !FLAGS_bad_rows.empty()) {
    free = CheckIsFree(FLAGS_bad_rows, line.inputs);
  }
  if (!free.ok()) return OutputIsTaken(free);
  const ChecksumType checksum = options.table.checksum;
  const auto start = std::chrono::steady_clock::now();
  Build build(std::move(options), std::move(format), line.inputs);
  Status status;
  FaultText fault;
  try {
    status = build.Run();
    fault = build.error_line();
  } catch (const std::bad_alloc&) {
    // The JSON document must report it.
    status = Status::OutOfMemory();
    fault = FaultLine(FLAGS_out, status);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  Report report("build", FLAGS_json ? ReportForm::kJson : ReportForm::kText,
                false);
  report.BeginFile(FLAGS_out);
  report.ShowJson(build.counts());
  if (!status.ok()) {
    if (status.IsInvalidArgument() && build.is_about_row()) {
      report.AddRowFault(status, fault);
    } else {
      report.AddFault(status, fault);
    }
    report.RaiseExitCode(kExitFailure);
  } else {
    report.FileIsDone();
    const TableProperties& made = build.sink().properties();
    report.Opened(static_cast<uint32_t>(made.format_version), checksum, &made);
    for (const MadeTable& table : build.sink().tables()) {
      report.AddEntries(table.entries);
    }
    report.Show(MadeTables{build.sink().tables(),
                           build.sink().manifest(),
                           seconds,
                           {},
                           FLAGS_dry_run});
    report.ShowText(build.counts());
  }
  report.EndFile();
  return report.Finish();
}

}  // namespace ashlar::tool
