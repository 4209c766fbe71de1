// What is told of a table that was made.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_MADE_TABLE_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_MADE_TABLE_H_

#include "tools/ashlar/outputs/table_output.h"
#include "tools/ashlar/print/print_json.h"

namespace ashlar::tool {

// One line on standard error. The output is finished.
void PrintMadeTable(const TableOutput& output, double seconds);
// Members of the object that is being written.
void WriteMadeTable(const TableOutput& output, double seconds,
                    JsonWriter* json);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_MADE_TABLE_H_
