// rewrite: copies the entries of a table into a new file, in another form.
#include <memory>
#include <string>
#include <utility>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/copy_entries.h"
#include "tools/ashlar/inputs/external_table.h"
#include "tools/ashlar/inputs/inputs.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/outputs/build_options.h"
#include "tools/ashlar/outputs/kept_options.h"
#include "tools/ashlar/outputs/output_path.h"
#include "tools/ashlar/print/results/results.h"
#include "tools/ashlar/print/stopwatch.h"

namespace ashlar::tool {
namespace {

// A set of tables must have all range deletions before it is cut.
Status CopyRangeDeletions(const TableReader& input, TableOutput* output) {
  Row row;
  row.type = ValueType::kTypeRangeDeletion;
  for (const RangeDeletion& deletion : input.RangeDeletions()) {
    row.key = deletion.begin;
    row.value = deletion.end;
    row.sequence = deletion.sequence;
    Status status = output->Add(row);
    if (!status.ok()) return status;
  }
  return Status();
}

Status Copy(const TableReader& input, const std::string& path,
            const SinkOptions& options, std::unique_ptr<TableOutput>* sink) {
  auto made = TableOutput::Create(options);
  if (!made.ok()) return made.status();
  *sink = std::move(made).value();
  Status status;
  const bool is_set = options.build.target_file_size != 0;
  if (is_set) status = CopyRangeDeletions(input, sink->get());
  if (!status.ok()) return status;
  Progress progress(path);
  Row row;
  status = ForEachEntry(input, &progress,
                        [&](const Slice& key, SequenceNumber sequence,
                            ValueType type, const Slice& value) {
                          if (is_set && type == ValueType::kTypeRangeDeletion)
                            return Status();
                          row.key = key;
                          row.value = value;
                          row.sequence = sequence;
                          row.type = type;
                          return (*sink)->Add(row);
                        });
  return status.ok() ? (*sink)->Finish() : status;
}

void Rewrite(const CommandLine& line, SinkOptions options,
             const std::string& path, Report* report) {
  const std::unique_ptr<TableReader> input = OpenTable(path, false, report);
  if (input == nullptr) return;
  KeepOptions(line, {path, input->format_version(), &input->properties()},
              &options);
  options.table.comparator = input->comparator();
  const Stopwatch stopwatch;
  std::unique_ptr<TableOutput> sink;
  Status status = FindIsExternal(*input, path, &options.external);
  if (status.ok()) status = Copy(*input, path, options, &sink);
  if (!status.ok()) {
    report->AddFault(status);
    return;
  }
  report->FileIsDone();
  const auto micros = static_cast<double>(stopwatch.Read().wall_micros);
  for (const MadeTable& made : sink->tables()) {
    report->AddEntries(made.entries);
  }
  report->Show(
      MadeTables{sink->tables(), sink->manifest(), micros / 1e6, FLAGS_out});
}

}  // namespace

int RunRewrite(const CommandLine& line) {
  SinkOptions options;
  std::string error = CheckComparatorFlag();
  if (error.empty())
    error = SinkOptionsFromFlags(line, &options, Unnamed::kAreKept);
  if (error.empty()) error = CheckIsOneFile(line, "rewrite");
  if (!error.empty()) return UsageError(error);
  const Status free = TableOutput::CheckIsFree(options, line.inputs);
  if (!free.ok()) return OutputIsTaken(free);
  return RunOverFiles(line, "rewrite",
                      [&](const std::string& path, Report* report) {
                        Rewrite(line, options, path, report);
                      });
}

}  // namespace ashlar::tool
