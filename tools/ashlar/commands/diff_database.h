// diff, of two folders that are databases.
#ifndef ASHLAR_TOOLS_ASHLAR_COMMANDS_DIFF_DATABASE_H_
#define ASHLAR_TOOLS_ASHLAR_COMMANDS_DIFF_DATABASE_H_

#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

// Compares what readers of both databases see, key by key. Requires: the line
// names two databases. Returns the exit code.
int DiffDatabases(const CommandLine& line);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_COMMANDS_DIFF_DATABASE_H_
