// Makes options for reading from the flags, and opens tables with them.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_OPEN_TABLE_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_OPEN_TABLE_H_

#include <memory>
#include <string>

#include "ashlar/table/inspect.h"
#include "ashlar/table/options.h"
#include "ashlar/table/table_reader.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

// Returns what is wrong with --comparator, or an empty string.
std::string CheckComparatorFlag();

// The options of every inspection and every reader of the program, with the
// limits from the flags.
InspectOptions InspectOptionsFromFlags(InspectOptions::DataBlocks data_blocks);
ReaderOptions ReaderOptionsFromFlags();
ReadOptions ReadOptionsFromFlags();

// Opens a table. If it cannot be opened, adds the fault to the report and
// returns null. With any_order, a file whose comparator is unknown is opened
// too, with a warning.
std::unique_ptr<TableReader> OpenTable(const std::string& path, bool any_order,
                                       Report* report);

// Does the same with the result of an earlier attempt to open the table.
std::unique_ptr<TableReader> ReportOpened(
    Result<std::unique_ptr<TableReader>> reader, const std::string& path,
    Report* report);

// Prints a warning if the file names an unknown comparator.
void WarnOfUnknownOrder(const TableInspection& inspection,
                        const Report& report);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_OPEN_TABLE_H_
