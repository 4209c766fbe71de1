// Flags that contradict each other, and flags that would do nothing beside
// others: both are refused by name, before a command does anything.
//
// What one flag's value can be is in flags.cc; what the values of several mean
// to a table is the library's to judge (TableOptions::Validate). Here is what
// would otherwise be dropped without a word.
#ifndef ASHLAR_TOOLS_ASHLAR_CLI_FLAG_CONFLICTS_H_
#define ASHLAR_TOOLS_ASHLAR_CLI_FLAG_CONFLICTS_H_

#include <string>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

// The first conflict among the flags that the command uses, which names both
// of them; empty where there is none. Flags that RocksDB's sst_dump takes
// together are never refused where sst_dump takes them (`recompress`).
std::string FindConflict(const CommandLine& line, const Command& command);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_CLI_FLAG_CONFLICTS_H_
