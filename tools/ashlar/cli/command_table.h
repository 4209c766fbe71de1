// The table of commands: one row per command.
#ifndef ASHLAR_TOOLS_ASHLAR_CLI_COMMAND_TABLE_H_
#define ASHLAR_TOOLS_ASHLAR_CLI_COMMAND_TABLE_H_

#include <span>
#include <string>
#include <string_view>

#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

struct Command {
  std::string_view name;
  CommandBit bit;
  std::string_view arguments;  // after the name, in the synopsis
  std::string_view summary;    // one line
  std::string_view details;    // for --help=<command>; paragraphs
  // Runs the command, and returns the exit code.
  int (*run)(const CommandLine& line);
};

std::span<const Command> Commands();
// Returns null if there is no command of that name.
const Command* FindCommand(std::string_view name);
// Returns the name that this one may stand for, if it is mistyped; or an empty
// string.
std::string NearestCommand(std::string_view name);

int RunCheck(const CommandLine& line);
int RunScan(const CommandLine& line);
int RunVerify(const CommandLine& line);
int RunIdentify(const CommandLine& line);
int RunProperties(const CommandLine& line);
int RunLayout(const CommandLine& line);
int RunGet(const CommandLine& line);
int RunRaw(const CommandLine& line);
int RunRecompress(const CommandLine& line);
int RunSalvage(const CommandLine& line);
int RunDiff(const CommandLine& line);
int RunStats(const CommandLine& line);
int RunReport(const CommandLine& line);
int RunOverlap(const CommandLine& line);
int RunSpace(const CommandLine& line);
int RunCompact(const CommandLine& line);
int RunCacheSim(const CommandLine& line);
int RunRewrite(const CommandLine& line);
int RunBuild(const CommandLine& line);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_CLI_COMMAND_TABLE_H_
