// get, from a folder that is a database.
#ifndef ASHLAR_TOOLS_ASHLAR_COMMANDS_GET_DATABASE_H_
#define ASHLAR_TOOLS_ASHLAR_COMMANDS_GET_DATABASE_H_

#include <cstddef>
#include <span>
#include <string>

#include "ashlar/table/table_version.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/print/report.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {

// Adds what was found to the report, or the fault.
void ShowLookedUp(const LookedUp& found, const Status& status, Report* report);

// Looks up a key that VisibleEntries shows, for its operands by themselves.
Status LookUpOperands(const OpenedTables& tables, const Slice& user_key,
                      size_t timestamp_size, LookedUp* found);

// Looks up the keys in the tables of one column family, and shows for each what
// a reader at --snapshot sees and which tables have entries of the key. Opens
// only tables whose range has one of the keys. Faults go to the report.
void GetFromDatabase(const std::string& folder,
                     std::span<const std::string> keys, Report* report);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_COMMANDS_GET_DATABASE_H_
