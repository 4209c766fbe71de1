// scan, of a folder that is a database.
#ifndef ASHLAR_TOOLS_ASHLAR_COMMANDS_SCAN_DATABASE_H_
#define ASHLAR_TOOLS_ASHLAR_COMMANDS_SCAN_DATABASE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "ashlar/table/merge_operator.h"
#include "tools/ashlar/inputs/key_range.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

// Prints each key of the range that a reader at --snapshot sees, from the
// tables of one column family. Operands are entries of their own if
// `merge_operator` is null. Stops after `most` entries. Returns how many it has
// printed. Faults go to the report.
uint64_t ScanDatabase(
    const std::string& folder, const KeyRange& range,
    const std::shared_ptr<const MergeOperator>& merge_operator, uint64_t most,
    Report* report);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_COMMANDS_SCAN_DATABASE_H_
