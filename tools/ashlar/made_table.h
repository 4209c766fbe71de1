// What is told of a table that was made.
#ifndef ASHLAR_TOOLS_ASHLAR_MADE_TABLE_H_
#define ASHLAR_TOOLS_ASHLAR_MADE_TABLE_H_

#include "tools/ashlar/print_json.h"
#include "tools/ashlar/table_output.h"

namespace ashlar::tool {

// One line on standard error. The output is finished.
void PrintMadeTable(const TableOutput& output, double seconds);
// Members of the object that is being written.
void WriteMadeTable(const TableOutput& output, double seconds,
                    JsonWriter* json);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MADE_TABLE_H_
