// Runs a command over its inputs: files, and the tables in directories.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_RUN_FILES_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_RUN_FILES_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ashlar/table/inspect.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

// What --json and --jsonl ask for.
ReportForm ChosenForm();

// What is wrong with the inputs' names, or with those flags together; empty
// when nothing is.
std::string CheckInputsAndForm(const CommandLine& line);

// The command's work on one file; faults go to the report.
using FileCommand =
    std::function<void(const std::string& path, Report* report)>;
// After all files, before the summary: in JSON, where members of the object
// that the summary is in may be written.
using EndCommand = std::function<void(Report* report)>;

// Does what all commands share: expands the inputs, applies the property
// filters, prints headings, --show_properties, --list_meta_blocks and
// --show_summary. The exit code.
int RunOverFiles(const CommandLine& line, std::string_view command,
                 const FileCommand& on_file, const EndCommand& at_end = {});

// Looks into the file; what is wrong with opening it goes to the report. The
// options: InspectOptionsFromFlags, and what the command adds to them.
std::optional<TableInspection> Inspect(const std::string& path,
                                       const InspectOptions& options,
                                       Report* report);
// For those who look at what is found while it is found. False after an error.
bool InspectInto(const std::string& path, const InspectOptions& options,
                 TableInspection* inspection, Report* report);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_RUN_FILES_H_
