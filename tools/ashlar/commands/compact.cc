// compact: does with files what a compaction does.
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/util/printable.h"
#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/deeper_tables.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/outputs/build_options.h"
#include "tools/ashlar/outputs/output_path.h"
#include "tools/ashlar/outputs/table_compaction.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

// Returns which flags or inputs do not go together, or an empty string.
std::string CheckFlags(const CommandLine& line,
                       const std::vector<std::string>& paths) {
  for (const char* const flag :
       {"max_subcompactions", "target_file_size_is_upper_bound"}) {
    if (line.Given(flag) && FLAGS_target_file_size == 0) {
      return std::string("--") + flag + " needs --target_file_size";
    }
  }
  if (line.Given("deeper") && line.Given("bottommost")) {
    return "--deeper and --bottommost exclude each other: --deeper says where "
           "there is older data";
  }
  if (line.Given("max_compaction_bytes") &&
      (FLAGS_target_file_size == 0 || !line.Given("deeper"))) {
    return "--max_compaction_bytes needs --target_file_size and --deeper";
  }
  if (line.Given("strict_bytes_per_sync") && FLAGS_bytes_per_sync == 0) {
    return "--strict_bytes_per_sync needs --bytes_per_sync";
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

Compacted Summarize(const TableCompaction& compaction, double seconds) {
  const CompactionFiles& files = compaction.files();
  Compacted summary = {
      .result = compaction.result(),
      .input_files = compaction.tables().size(),
      .input_bytes = 0,
      .input_range_deletions = 0,
      .made = {files.tables(), files.manifest(), seconds, FLAGS_out}};
  for (const AgedTable& table : compaction.tables()) {
    summary.input_bytes += table.reader->file().Size();
    summary.input_range_deletions += table.reader->RangeDeletions().size();
  }
  return summary;
}

int Run(const CommandLine& line, const std::vector<Input>& inputs,
        SinkOptions sink, CompactionFlags flags) {
  const Stopwatch stopwatch;
  TableCompaction compaction(line, std::move(sink), std::move(flags));
  bool all_open = true;
  Status status;
  try {
    all_open = compaction.Open(inputs);
    if (all_open) status = compaction.OpenDeeper();
    if (all_open && status.ok()) status = compaction.Run();
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
  const Compacted summary = Summarize(compaction, micros / 1e6);
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
  paths.reserve(inputs.size());
  for (const Input& input : inputs) paths.push_back(input.path);
  for (const std::string& list : line.deeper) {
    for (const Input& input : DeeperInputs(list)) paths.push_back(input.path);
  }
  sink.file = flags.file;
  error = CheckFlags(line, paths);
  if (!error.empty()) return UsageError(error);
  const Status free = TableOutput::CheckIsFree(sink, paths);
  if (!free.ok()) return OutputIsTaken(free);
  return Run(line, inputs, std::move(sink), std::move(flags));
}

}  // namespace ashlar::tool
