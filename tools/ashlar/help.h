// --help and --version.
#ifndef ASHLAR_TOOLS_ASHLAR_HELP_H_
#define ASHLAR_TOOLS_ASHLAR_HELP_H_

#include <string>

#include "tools/ashlar/command_table.h"
#include "tools/ashlar/output.h"

namespace ashlar::tool {

// At most 80 columns, and every flag and command of the tables.
std::string HelpText();
std::string CommandHelpText(const Command& command);

std::string VersionText();
void WriteVersionJson(Output* out);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_HELP_H_
