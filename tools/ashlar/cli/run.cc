#include "tools/ashlar/cli/run.h"

#include <unistd.h>

#include <cstring>
#include <string>

#include "ashlar/table/internal_key.h"
#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/cli/completion.h"
#include "tools/ashlar/cli/flag_conflicts.h"
#include "tools/ashlar/cli/help.h"
#include "tools/ashlar/cli/man_page.h"
#include "tools/ashlar/cli/sandbox.h"
#include "tools/ashlar/flags/presets.h"
#include "tools/ashlar/print/output.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {
namespace {

int FlushAndExit(Output* out) {
  if (out->Flush()) return kExitOk;
  PrintError("ashlar: write standard output: " +
             std::string(std::strerror(out->error())));
  return kExitFailure;
}

int PrintAndExit(std::string_view text) {
  Output out(STDOUT_FILENO);
  out.Append(text);
  return FlushAndExit(&out);
}

int UnknownCommand(const std::string& name) {
  std::string reason = "unknown command '" + name + "'";
  const std::string nearest = NearestCommand(name);
  if (!nearest.empty()) reason += "; did you mean '" + nearest + "'?";
  return UsageError(reason);
}

int Help(const std::string& name) {
  if (name.empty()) return PrintAndExit(HelpText());
  if (name == "man") return PrintAndExit(ManPage());
  if (name == "commands") return PrintAndExit(CommandList());
  if (name.starts_with("man-")) {
    const Command* const command = FindCommand(name.substr(4));
    if (command == nullptr) return UnknownCommand(name.substr(4));
    return PrintAndExit(ManPage(*command));
  }
  if (name == "bash") return PrintAndExit(BashCompletion());
  if (name == "zsh") return PrintAndExit(ZshCompletion());
  if (name == "fish") return PrintAndExit(FishCompletion());
  const Command* const command = FindCommand(name);
  if (command == nullptr) return UnknownCommand(name);
  return PrintAndExit(CommandHelpText(*command));
}

int Version() {
  if (!FLAGS_json) return PrintAndExit(VersionText());
  Output out(STDOUT_FILENO);
  WriteVersionJson(&out);
  return FlushAndExit(&out);
}

int ParseInternalKey() {
  const std::optional<std::string> key = FromHex(FLAGS_parse_internal_key);
  if (!key) {
    return UsageError("--parse_internal_key: '" + FLAGS_parse_internal_key +
                      "' is not hexadecimal of even length");
  }
  if (key->size() < kInternalKeyTailBytes) {
    return UsageError(
        "--parse_internal_key: an internal key has at least 8 "
        "bytes, this has " +
        std::to_string(key->size()));
  }
  return PrintAndExit(
      "key='" + ToHex(UserKeyOf(*key), HexCase::kUpper) +
      "' seq:" + std::to_string(SequenceOf(*key)) +
      ", type:" + std::to_string(static_cast<unsigned>(TypeOf(*key))) + "\n");
}

// Returns whether the word is probably meant as a command: it does not look
// like a path, and there is no such file.
bool LooksLikeCommand(const std::string& word) {
  return word.find_first_of("./") == std::string::npos && word != "-" &&
         access(word.c_str(), F_OK) != 0;
}

// Finds the command, sets *name to its name, and removes that from the inputs
// if it is there. Returns null if there is no command of that name.
const Command* ChooseCommand(CommandLine* line, std::string* name) {
  *name = FLAGS_command;
  if (line->Given("command") || !line->first_word) return FindCommand(*name);
  const auto word =
      line->inputs.begin() + static_cast<std::ptrdiff_t>(*line->first_word);
  const Command* command = FindCommand(*word);
  if (command == nullptr && !LooksLikeCommand(*word)) {
    return FindCommand(*name);
  }
  *name = *word;
  line->inputs.erase(word);
  line->has_command_word = true;
  return command;
}

// Checks a flag that names a file system: only the local one is supported.
std::string CheckPlace(const char* flag, const std::string& value) {
  if (value.empty() || value == "file://") return {};
  return std::string("--") + flag + ": '" + value + "'";
}

int NotSupported(const std::string& what) {
  PrintError("ashlar: Not supported: " + what);
  const int code = FLAGS_strict ? kExitFailure : kExitFault;
  PrintRefusalJson(Status::NotSupported(what), code);
  return code;
}

// Handles flags that the command does not use. With --strict_flags, returns the
// first one as an error. Otherwise prints a warning for each, and makes it
// true: what commands share may read the flag.
std::string ReportUnusedFlags(const CommandLine& line, const Command& command) {
  for (const FlagRow& row : FlagRows()) {
    if ((row.commands & command.bit) != 0 || !line.Given(row.name)) continue;
    std::string text = "'" + std::string(command.name) + "' does not use --" +
                       std::string(row.name);
    if (FLAGS_strict_flags) return text;
    PrintWarning(text);
    const std::string flag(row.name);
    gflags::CommandLineFlagInfo info;
    if (gflags::GetCommandLineFlagInfo(flag.c_str(), &info)) {
      gflags::SetCommandLineOption(flag.c_str(), info.default_value.c_str());
    }
  }
  return {};
}

}  // namespace

int RunProgram(CommandLine line) {
  const bool help_word = line.first_word && !line.Given("command") &&
                         line.inputs[*line.first_word] == "help";
  if (!line.error.empty()) return UsageError(line.error);
  if (help_word) {
    return Help(line.inputs.size() > 1 ? line.inputs[1] : std::string());
  }
  if (line.version) return Version();
  std::string name;
  const Command* const command = ChooseCommand(&line, &name);
  if (line.help) {
    const bool named = line.has_command_word || line.Given("command");
    return Help(line.help->empty() && named && command != nullptr
                    ? std::string(command->name)
                    : *line.help);
  }
  if (line.Given("parse_internal_key")) return ParseInternalKey();
  if (command == nullptr) return UnknownCommand(name);
  for (const std::string& place : {CheckPlace("env_uri", FLAGS_env_uri),
                                   CheckPlace("fs_uri", FLAGS_fs_uri)}) {
    if (!place.empty()) return NotSupported(place);
  }
  if (!FLAGS_compression_manager.empty() &&
      FLAGS_compression_manager != "BuiltinV2") {
    return NotSupported("--compression_manager: '" + FLAGS_compression_manager +
                        "'");
  }
  const std::string unused = ReportUnusedFlags(line, *command);
  if (!unused.empty()) return UsageError(unused);
  if (FLAGS_hex) FLAGS_input_key_hex = FLAGS_output_hex = true;
  if (line.Given("preset")) ApplyPreset(&line);
  const std::string conflict = FindConflict(line, *command);
  if (!conflict.empty()) return UsageError(conflict);
  CatchInterrupt();
  if (FLAGS_sandbox) EnterSandbox(MayWriteFiles(command->bit));
  const int code = command->run(line);
  EndOfWork(code == kExitInterrupted);
  return code;
}

}  // namespace ashlar::tool
