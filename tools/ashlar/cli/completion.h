// Completions for shells. They are made from the same tables as --help, and
// complete commands, the flags of each command, the values of flags, and files.
#ifndef ASHLAR_TOOLS_ASHLAR_CLI_COMPLETION_H_
#define ASHLAR_TOOLS_ASHLAR_CLI_COMPLETION_H_

#include <string>

namespace ashlar::tool {

std::string BashCompletion();
std::string ZshCompletion();
std::string FishCompletion();

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_CLI_COMPLETION_H_
