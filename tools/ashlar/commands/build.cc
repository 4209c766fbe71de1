// build: makes a table from rows of text or of columns.
#include <chrono>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/commands/row_build.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/outputs/build_options.h"
#include "tools/ashlar/outputs/output_path.h"
#include "tools/ashlar/print/report.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

std::string CheckBadRows() {
  const bool is_made =
      !FLAGS_bad_rows.empty() &&
      (IsSamePlace(FLAGS_bad_rows, FLAGS_out) ||
       (FLAGS_target_file_size != 0 && IsOfSet(FLAGS_bad_rows, FLAGS_out)));
  return is_made ? "--bad_rows is a file that --out makes" : "";
}

Status CheckOutputs(const SinkOptions& options,
                    const std::vector<std::string>& inputs) {
  Status free = TableOutput::CheckIsFree(options, inputs);
  if (!free.ok() || FLAGS_bad_rows.empty()) return free;
  return CheckIsFree(FLAGS_bad_rows, inputs);
}

}  // namespace

int RunBuild(const CommandLine& line) {
  SinkOptions options;
  RowFormat format;
  RowRange range;
  options.dry_run = FLAGS_dry_run;
  std::string error = CheckComparatorFlag();
  const auto inputs = ExpandRowInputs(line.inputs);
  if (error.empty()) {
    error = RowFormatFromFlags(
        line, inputs.ok() ? *inputs : std::vector<std::string>(), &format);
    // If the inputs decide, advice names their format too.
    FLAGS_input_format = format.name;
  }
  if (error.empty()) error = SinkOptionsFromFlags(line, &options);
  if (error.empty()) error = range.Parse(line);
  if (error.empty()) error = range.Check(*options.table.comparator);
  if (error.empty()) error = CheckBadRows();
  if (!error.empty()) return UsageError(error);
  if (!inputs.ok()) return OutputIsTaken(inputs.status());
  // A dry run makes one table: the sum of the tables of a set.
  if (options.dry_run) options.build.target_file_size = 0;
  const Status free = CheckOutputs(options, *inputs);
  if (!free.ok()) return OutputIsTaken(free);
  const ChecksumType checksum = options.table.checksum;
  const auto start = std::chrono::steady_clock::now();
  RowBuild build(std::move(options), std::move(format), std::move(range),
                 *inputs);
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
