// Completions for shells, made of the same tables as --help: commands, the
// flags of each, the values of flags, and files.
#ifndef ASHLAR_TOOLS_ASHLAR_CLI_COMPLETION_H_
#define ASHLAR_TOOLS_ASHLAR_CLI_COMPLETION_H_

#include <string>

namespace ashlar::tool {

std::string BashCompletion();
std::string ZshCompletion();
std::string FishCompletion();

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_CLI_COMPLETION_H_
