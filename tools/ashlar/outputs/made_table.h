// Reports a table that was written.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_MADE_TABLE_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_MADE_TABLE_H_

#include "tools/ashlar/outputs/table_output.h"
#include "tools/ashlar/print/print_json.h"

namespace ashlar::tool {

// Prints one line on standard error. Requires: the output is finished.
void PrintMadeTable(const TableOutput& output, double seconds);
// Writes members into the current JSON object.
void WriteMadeTable(const TableOutput& output, double seconds,
                    JsonWriter* json);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_MADE_TABLE_H_
