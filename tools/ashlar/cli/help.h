// The texts of --help and --version.
#ifndef ASHLAR_TOOLS_ASHLAR_CLI_HELP_H_
#define ASHLAR_TOOLS_ASHLAR_CLI_HELP_H_

#include <span>
#include <string>
#include <string_view>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/print/output.h"

namespace ashlar::tool {

// Return help text of at most 80 columns. HelpText has every command and flag
// of the tables.
std::string HelpText();
std::string CommandHelpText(const Command& command);

// Texts that the manual page shares.
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
// Returns what values <bytes> and <n> may have.
std::string_view QuantityHelp();
// Returns the flag's help text, with the default value where that is useful.
std::string FlagHelp(const FlagRow& row);

std::string VersionText();
void WriteVersionJson(Output* out);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_CLI_HELP_H_
