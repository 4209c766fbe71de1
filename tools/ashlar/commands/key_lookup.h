// Looks keys up as `get` shows them: the entry that decides, and the merge
// operands above it.
//
// For commands that look into one table, or into the tables of a database. One
// thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_COMMANDS_KEY_LOOKUP_H_
#define ASHLAR_TOOLS_ASHLAR_COMMANDS_KEY_LOOKUP_H_

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "ashlar/table/table_reader.h"
#include "ashlar/table/table_version.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/inputs/database.h"
#include "tools/ashlar/inputs/visible_entries.h"
#include "tools/ashlar/print/report.h"
#include "tools/ashlar/print/results/entry_printer.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {

class EqualNumbers;

// These look up all keys at once, as a reader at --snapshot sees them. found[i]
// and statuses[i] are those of keys[i]; the caller passes them as constructed.
// If `equal` is not null, and the order of the tables is unknown, it takes the
// entries that were met.
void LookUpInTable(const TableReader& table, std::span<const Slice> keys,
                   std::span<LookedUp> found, std::span<Status> statuses);
void LookUpInDatabase(const Database& database, const OpenedTables& tables,
                      std::span<const Slice> keys, std::span<LookedUp> found,
                      std::span<Status> statuses, EqualNumbers* equal);

// Adds what was found to the report, or the fault.
void ShowLookedUp(const LookedUp& found, const Status& status, Report* report);

// Calls take() with the entry, or if it stands for operands that are not
// joined, with each of them, newest first, and then with what is beneath them.
Status ForEachShown(const VisibleEntries& at, const Database& database,
                    const OpenedTables& tables,
                    const std::function<void(const ShownEntry&)>& take);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_COMMANDS_KEY_LOOKUP_H_
