#include "tools/ashlar/inputs/run_files.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ashlar/util/file.h"
#include "tools/ashlar/inputs/inputs.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/property_filter.h"
#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/print/properties_text.h"

namespace ashlar::tool {
namespace {

// Prints what flags ask for in addition to the command's own output. The
// command has reported the file's faults already.
void PrintExtras(const std::string& path, bool show_properties,
                 Report* report) {
  if (!show_properties && !FLAGS_list_meta_blocks && !FLAGS_show_summary) {
    return;
  }
  Result<std::unique_ptr<RandomAccessFile>> file = OpenRandomAccessFile(path);
  TableInspection inspection;
  const InspectOptions options =
      InspectOptionsFromFlags(InspectOptions::DataBlocks::kSkip);
  const Status status =
      file.ok() ? InspectTable(**file, options, &inspection) : file.status();
  // The command cannot have reported this fault.
  if (status.IsMemoryLimit()) report->AddFault(status);
  if (!status.ok()) return;
  if (inspection.properties) {
    report->AddToTotals(*inspection.properties);
    if (show_properties) PrintProperties(inspection, report);
  }
  if (FLAGS_list_meta_blocks) PrintMetaBlocks(inspection, report);
}

// Expands folders, but for those that are inputs of their own.
std::vector<Input> InputsOf(const CommandLine& line, FolderUse folders) {
  std::vector<Input> inputs;
  for (const std::string& name : line.inputs) {
    if (IsDatabase(name, folders)) {
      inputs.push_back({name, Status(), /*is_database=*/true});
      continue;
    }
    std::vector<Input> more = ExpandInputs({name});
    std::move(more.begin(), more.end(), std::back_inserter(inputs));
  }
  return inputs;
}

// Prints in which file the run was interrupted. The work on that file may even
// be complete; that is unknown here.
void PrintInterrupted(uint64_t begun, const std::vector<Input>& inputs) {
  std::string line = "ashlar: interrupted in file " + std::to_string(begun) +
                     " of " + std::to_string(inputs.size());
  if (begun != 0) {
    line += ", " + inputs[begun - 1].path + ", after about " +
            std::to_string(Progress::percent()) + " % of it";
  }
  PrintError(line);
}

}  // namespace

ReportForm ChosenForm() {
  if (FLAGS_json) return ReportForm::kJson;
  if (FLAGS_jsonl || FLAGS_output_format == "jsonl") {
    return ReportForm::kJsonLines;
  }
  return ReportForm::kText;
}

std::string CheckInputsAndForm(const CommandLine& line) {
  if (line.inputs.empty()) return "no input: name a file or a directory";
  for (const std::string& input : line.inputs) {
    if (input == "-") {
      return "'-': a table cannot be read from standard input";
    }
  }
  return FLAGS_json && FLAGS_jsonl ? "--json and --jsonl exclude each other"
                                   : "";
}

std::string CheckDatabaseFlags(const CommandLine& line,
                               std::string_view command, FolderUse folders) {
  if (folders == FolderUse::kTables ||
      std::any_of(line.inputs.begin(), line.inputs.end(),
                  [folders](const std::string& input) {
                    return IsDatabase(input, folders);
                  })) {
    return {};
  }
  for (const char* const flag :
       {"cf", "db_paths", "merge_operator", "snapshot"}) {
    // get takes a snapshot of any table.
    if (line.Given(flag) &&
        (command != "get" || std::string_view(flag) != "snapshot")) {
      const bool may_be_one =
          folders == FolderUse::kDatabases && !FLAGS_each_table &&
          !FLAGS_recursive &&
          std::any_of(line.inputs.begin(), line.inputs.end(), IsDirectory);
      return std::string("--") + flag + " needs a folder that is a database" +
             (may_be_one
                  ? ": --one_database takes one without a CURRENT for that"
                  : "");
    }
  }
  return {};
}

namespace {

// Says which flags a database has no use for.
void WarnOfFlagsOfFiles(const CommandLine& line) {
  for (const char* const flag :
       {"show_properties", "show_summary", "list_meta_blocks",
        "require_property_regex", "exclude_property_regex", "filter_probes"}) {
    if (line.Given(flag)) {
      PrintWarning(std::string("--") + flag +
                   " does nothing with a database; --each_table takes its "
                   "tables one by one");
    }
  }
}

// A walk over the bytes of a large file takes long, and files of other kinds
// are not named so.
bool IsNamedAsTable(const std::string& path) {
  return path.ends_with(".sst") || path.ends_with(".ldb");
}

}  // namespace

int RunOverFiles(const CommandLine& line, std::string_view command,
                 const FileCommand& on_file, const EndCommand& at_end,
                 FolderUse folders) {
  PropertyFilter filter;
  std::string error = CheckInputsAndForm(line);
  if (error.empty()) error = CheckDatabaseFlags(line, command, folders);
  if (error.empty()) error = filter.Compile();
  if (!error.empty()) return UsageError(error);
  const bool rows_only =
      FLAGS_output_format != "text" && FLAGS_output_format != "jsonl";
  const ReportForm form = ChosenForm();
  if (rows_only && form != ReportForm::kText) {
    return UsageError("--output_format=" + FLAGS_output_format +
                      " goes with neither --json nor --jsonl");
  }
  // Standard output must then have nothing but the rows or the file.
  const bool plain = rows_only || FLAGS_out == "-";
  // Some commands print them already.
  const bool show_properties =
      FLAGS_show_properties && command != "properties" &&
      (command != "report" || form == ReportForm::kText);
  Report report(command, form,
                form == ReportForm::kText && !FLAGS_quiet && !plain);
  if (FLAGS_show_summary) report.ShowTotals();
  const std::vector<Input> inputs = InputsOf(line, folders);
  if (std::any_of(inputs.begin(), inputs.end(),
                  [](const Input& input) { return input.is_database; })) {
    WarnOfFlagsOfFiles(line);
  }
  uint64_t number = 0;
  for (const Input& input : inputs) {
    if (report.MustStop()) {
      if (Interrupted()) report.CutShort();
      break;
    }
    Progress::SetFile(++number, inputs.size());
    report.BeginFile(input.path);
    if (!input.status.ok()) {
      report.AddFault(input.status);
    } else if (!input.is_database && filter.Skips(input.path)) {
      report.SkipFile();
      PrintError(input.path + ": skipped: its properties do not match");
    } else {
      try {
        on_file(input.path, &report);
        if (!input.is_database) {
          PrintExtras(input.path, show_properties, &report);
        }
      } catch (const std::bad_alloc&) {
        report.LoseMemory();
      } catch (const std::length_error&) {
        report.LoseMemory();
      }
    }
    report.EndFile();
  }
  if (report.was_cut_short()) PrintInterrupted(number, inputs);
  if (at_end) {
    report.BeginEnding();
    at_end(&report);
  }
  return report.Finish();
}

std::optional<TableInspection> Inspect(const std::string& path,
                                       const InspectOptions& options,
                                       Report* report) {
  TableInspection inspection;
  if (!InspectInto(path, options, &inspection, report)) return std::nullopt;
  return inspection;
}

bool HasFoundBlocks(const TableInspection& inspection) {
  // A few bytes of any file may look like a block, and zeros like one without a
  // checksum.
  constexpr uint64_t kLeastBlocks = 2;
  constexpr uint64_t kLeastShare = 16;
  if (!inspection.looked_for_blocks || inspection.blocks_ok < kLeastBlocks ||
      inspection.checksum_type == ChecksumType::kNoChecksum) {
    return false;
  }
  uint64_t bytes = 0;
  for (const BlockInfo& block : inspection.blocks) {
    if (block.contents_sound || block.status.ok()) bytes += block.size;
  }
  return bytes >= inspection.file_size / kLeastShare;
}

bool InspectWithFoundBlocks(const std::string& path, InspectOptions options,
                            TableInspection* inspection, Report* report) {
  options.find_blocks = IsNamedAsTable(path);
  if (!InspectInto(path, options, inspection, report)) return false;
  if (inspection->magic != TableMagic::kUnknown ||
      !inspection->looked_for_blocks || HasFoundBlocks(*inspection)) {
    return true;
  }
  // It is no table, so that what was found means nothing.
  options.find_blocks = false;
  *inspection = TableInspection();
  return InspectInto(path, options, inspection, report);
}

bool InspectInto(const std::string& path, const InspectOptions& options,
                 TableInspection* inspection, Report* report) {
  Result<std::unique_ptr<RandomAccessFile>> file = OpenRandomAccessFile(path);
  Status status = file.status();
  if (file.ok()) status = InspectTable(**file, options, inspection);
  if (!status.ok()) report->AddFault(status);
  return status.ok();
}

}  // namespace ashlar::tool
