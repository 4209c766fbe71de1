// --help and --version.
#ifndef ASHLAR_TOOLS_ASHLAR_CLI_HELP_H_
#define ASHLAR_TOOLS_ASHLAR_CLI_HELP_H_

#include <span>
#include <string>
#include <string_view>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/print/output.h"

namespace ashlar::tool {

// At most 80 columns, and every flag and command of the tables.
std::string HelpText();
std::string CommandHelpText(const Command& command);

// What the manual page says too.
struct FlagGroupTitle {
  FlagGroup group;
  std::string_view title;
};
std::span<const FlagGroupTitle> FlagGroups();
struct ExitCodeMeaning {
  std::string_view code;
  std::string_view meaning;
};
std::span<const ExitCodeMeaning> ExitCodeMeanings();
std::span<const std::string_view> Examples();
// What values of <bytes> and <n> may be.
std::string_view QuantityHelp();
// Of a flag: its text, with the default where that is worth saying.
std::string FlagHelp(const FlagRow& row);

std::string VersionText();
void WriteVersionJson(Output* out);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_CLI_HELP_H_
