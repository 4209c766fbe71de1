// The manual pages: ashlar(1), and one for each command, such as
// ashlar-build(1). They are made from the same tables as --help.
#ifndef ASHLAR_TOOLS_ASHLAR_CLI_MAN_PAGE_H_
#define ASHLAR_TOOLS_ASHLAR_CLI_MAN_PAGE_H_

#include <string>

#include "tools/ashlar/cli/command_table.h"

namespace ashlar::tool {

// Return a page in roff's man macros. It is the same on each run.
std::string ManPage();
std::string ManPage(const Command& command);

// Returns the names of all commands, one per line, for scripts that ask for
// their pages.
std::string CommandList();

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_CLI_MAN_PAGE_H_
