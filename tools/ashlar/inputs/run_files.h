// Runs a command on each of its inputs: files, and the tables in directories.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_RUN_FILES_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_RUN_FILES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ashlar/table/inspect.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/inputs/database.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

// Returns the form that --json and --jsonl select.
ReportForm ChosenForm();

// Returns what is wrong with the names of the inputs, or with --json and
// --jsonl together. Empty if nothing is.
std::string CheckInputsAndForm(const CommandLine& line);

// Does the command's work on one file, and adds faults to the report.
using FileCommand =
    std::function<void(const std::string& path, Report* report)>;

// Returns what is wrong with flags that only databases have, if no input is
// one. Empty if nothing is.
std::string CheckDatabaseFlags(const CommandLine& line,
                               std::string_view command, FolderUse folders);

// Called after all files, before the summary. In JSON, it may write members
// into the object that the summary is in.
using EndCommand = std::function<void(Report* report)>;

// Does what all commands have in common: expands the inputs, applies the
// property filters, and prints headings and the output of --show_properties,
// --list_meta_blocks and --show_summary. Returns the exit code.
int RunOverFiles(const CommandLine& line, std::string_view command,
                 const FileCommand& on_file, const EndCommand& at_end = {},
                 FolderUse folders = FolderUse::kTables);

// Inspects the file. If it cannot be opened, adds the fault to the report and
// returns nothing. `options` come from InspectOptionsFromFlags, with what the
// command adds.
std::optional<TableInspection> Inspect(const std::string& path,
                                       const InspectOptions& options,
                                       Report* report);
// Does the same, for callers that read *inspection while it is filled in.
// Returns false after an error.
bool InspectInto(const std::string& path, const InspectOptions& options,
                 TableInspection* inspection, Report* report);

// Does the same, and looks for blocks that index and footer no longer name, if
// the file is named as a table is. If it is none, finds nothing.
bool InspectWithFoundBlocks(const std::string& path, InspectOptions options,
                            TableInspection* inspection, Report* report);
// Returns whether blocks were looked for, and enough of them are sound to say
// that the file is what is left of a table.
bool HasFoundBlocks(const TableInspection& inspection);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_RUN_FILES_H_
