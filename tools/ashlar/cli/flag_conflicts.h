// Finds flags that contradict each other, and flags that have no effect
// together with others. Both are refused by name, before a command does
// anything.
//
// flags.cc checks the value of each flag on its own. The library judges what
// the values of several flags mean for a table (TableOptions::Validate). This
// file refuses flags that would otherwise be ignored silently.
#ifndef ASHLAR_TOOLS_ASHLAR_CLI_FLAG_CONFLICTS_H_
#define ASHLAR_TOOLS_ASHLAR_CLI_FLAG_CONFLICTS_H_

#include <string>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

// Returns text that names both flags of the first conflict among those that the
// command uses, or an empty string if there is none. Flags that RocksDB's
// sst_dump accepts together are never refused for its command, `recompress`.
std::string FindConflict(const CommandLine& line, const Command& command);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_CLI_FLAG_CONFLICTS_H_
