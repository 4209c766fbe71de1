// Runs what a command line asks for: help, version, or a command.
#ifndef ASHLAR_TOOLS_ASHLAR_CLI_RUN_H_
#define ASHLAR_TOOLS_ASHLAR_CLI_RUN_H_

#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

// Returns the exit code.
int RunProgram(CommandLine line);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_CLI_RUN_H_
