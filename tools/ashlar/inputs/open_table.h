// The options for reading that the flags ask for, and a table opened with them.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_OPEN_TABLE_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_OPEN_TABLE_H_

#include <memory>
#include <string>

#include "ashlar/table/inspect.h"
#include "ashlar/table/options.h"
#include "ashlar/table/table_reader.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

// What is wrong with --comparator; empty when nothing is.
std::string CheckComparatorFlag();

// Every inspection and every reader of the program has these limits.
InspectOptions InspectOptionsFromFlags(InspectOptions::DataBlocks data_blocks);
ReaderOptions ReaderOptionsFromFlags();
ReadOptions ReadOptionsFromFlags();

// Null when the file cannot be opened: then the report has the fault.
// any_order: one whose comparator is not known is opened too, with a warning.
std::unique_ptr<TableReader> OpenTable(const std::string& path, bool any_order,
                                       Report* report);

// The same of a table that was opened before.
std::unique_ptr<TableReader> TellOpened(
    Result<std::unique_ptr<TableReader>> reader, const std::string& path,
    Report* report);

// On standard error, where the file names a comparator that is not known.
void WarnOfUnknownOrder(const TableInspection& inspection,
                        const Report& report);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_OPEN_TABLE_H_
