#include "tools/ashlar/cli/completion.h"

#include <string_view>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/cli/flag_values.h"
#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {
namespace {

std::string Joined(const std::vector<std::string>& words,
                   std::string_view between) {
  std::string joined;
  for (const std::string& word : words) {
    if (!joined.empty()) joined += between;
    joined += word;
  }
  return joined;
}

// Returns the text between single quotes, for sh and fish, with a backslash
// before each character of `more`.
std::string Quoted(std::string_view text, std::string_view quote_as,
                   std::string_view more = {}) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += quote_as;
      continue;
    }
    if (more.find(c) != std::string_view::npos) quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::vector<std::string> CommandNames(uint32_t commands) {
  std::vector<std::string> names;
  for (const Command& command : Commands()) {
    if ((command.bit & commands) != 0) names.emplace_back(command.name);
  }
  return names;
}

// --- bash --------------------------------------------------------------------

std::string BashFlagsOf(uint32_t commands) {
  std::vector<std::string> flags;
  for (const FlagRow& row : FlagRows()) {
    if ((row.commands & commands) == 0) continue;
    for (const std::string& spelling : FlagSpellings(row)) {
      const bool value = ValueFormOf(row) != ValueForm::kNone;
      flags.push_back("--" + spelling + (value ? "=" : ""));
    }
  }
  return Joined(flags, " ");
}

std::string BashValuesOf(const FlagRow& row) {
  const std::string words = Joined(ValueWords(row), " ");
  switch (ValueFormOf(row)) {
    case ValueForm::kFile:
      return "_ashlar_files -f \"$2\"";
    case ValueForm::kFolder:
      return "_ashlar_files -d \"$2\"";
    case ValueForm::kList:
      return "_ashlar_list \"$2\" '" + words + "'";
    case ValueForm::kAny:
    case ValueForm::kNone:
      break;
  }
  return words.empty() ? ":" : "_ashlar_words \"$2\" '" + words + "'";
}

// If the previous word is a flag, it is in `flag`, also if an "=" follows it,
// which is a word of its own by COMP_WORDBREAKS.
constexpr std::string_view kBashEnd = R"~(
_ashlar_words() {  # <begin> <words>
  mapfile -t COMPREPLY < <(compgen -W "$2" -- "$1")
}

_ashlar_list() {  # <begin, with commas> <words>
  local before=
  [[ $1 != *,* ]] || before=${1%,*},
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$2" -- "${1##*,}")
}

_ashlar_files() {  # -f|-d <begin>
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

_ashlar() {
  local word=${COMP_WORDS[COMP_CWORD]} flag='' command='' i
  COMPREPLY=()
  if [[ $word == = ]]; then
    word='' flag=${COMP_WORDS[COMP_CWORD - 1]}
  elif ((COMP_CWORD > 2)) && [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD - 2]}
  elif ((COMP_CWORD > 1)); then
    flag=${COMP_WORDS[COMP_CWORD - 1]}
    # These take a value only behind "=".
    [[ $flag != --help ]] || flag=
  fi
  if [[ $flag == -* ]]; then
    flag=${flag#-}
    _ashlar_value "${flag#-}" "$word" && return
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case " $_ashlar_commands " in
      *" ${COMP_WORDS[i]} "*)
        command=${COMP_WORDS[i]}
        break
        ;;
    esac
  done
  if [[ $word == -* ]]; then
    _ashlar_words "$word" "$(_ashlar_flags "$command")"
    [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
  elif [[ -z $command ]] && ((COMP_CWORD == 1)); then
    _ashlar_words "$word" "$_ashlar_commands help"
    local words=("${COMPREPLY[@]}")
    _ashlar_files -f "$word"
    COMPREPLY=("${words[@]}" "${COMPREPLY[@]}")
  elif [[ ${COMP_WORDS[1]} == help ]]; then
    _ashlar_words "$word" "$_ashlar_commands"
  else
    _ashlar_files -f "$word"
  fi
}

complete -F _ashlar ashlar
)~";

// --- zsh ---------------------------------------------------------------------

std::string ZshText(std::string_view text) {
  return Quoted(text, "'\\''", "[]:\\");
}

// Returns a quoted specification for zsh's _arguments.
std::string ZshSpec(const FlagRow& row, const std::string& spelling) {
  const ValueForm form = ValueFormOf(row);
  const bool repeated = row.name == "key" || row.name == "file";
  std::string spec = repeated ? "'*--" : "'--";
  spec += spelling;
  if (form != ValueForm::kNone) spec += "=";
  std::string help = ZshText(row.help);
  spec += "[" + help.substr(1, help.size() - 2) + "]";
  if (form == ValueForm::kNone) return spec + "'";
  const bool choices = row.value.find('|') != std::string_view::npos;
  spec += ":" + std::string(choices ? "value" : row.value) + ":";
  std::string words;
  for (const std::string& word : ValueWords(row)) {
    const std::string escaped = ZshText(word);
    if (!words.empty()) words += ' ';
    words += escaped.substr(1, escaped.size() - 2);
  }
  if (form == ValueForm::kFile) {
    spec += "_files";
  } else if (form == ValueForm::kFolder) {
    spec += "_files -/";
  } else if (form == ValueForm::kList) {
    spec += "_sequence compadd - " + words;
  } else if (!words.empty()) {
    spec += "(" + words + ")";
  } else {
    spec += " ";
  }
  return spec + "'";
}

constexpr std::string_view kZshEnd = R"~(
  local word command='' name
  for word in ${words[2,CURRENT-1]}; do
    if (( ${+flags_of[$word]} )); then
      command=$word
      break
    fi
  done
  for name in ${=flags_of[$command]:-${(k)specs}}; do
    flags+=$specs[$name]
  done
  if [[ -n $command ]]; then
    _arguments -S $flags '*:file:_files'
  else
    _arguments -S $flags '1: :_ashlar_first' '*:file:_files'
  fi
}

_ashlar_first() {
  _describe -t commands command _ashlar_commands
  _files
}

_ashlar "$@"
)~";

// --- fish --------------------------------------------------------------------

std::string FishText(std::string_view text) {
  return Quoted(text, "\\'", "\\");
}

std::string FishFlag(const FlagRow& row, const std::string& spelling) {
  std::string line = "complete -c ashlar -n '__ashlar_takes " +
                     Joined(CommandNames(row.commands), " ") + "' -l " +
                     spelling;
  const ValueForm form = ValueFormOf(row);
  const std::vector<std::string> words = ValueWords(row);
  if (form == ValueForm::kFile) {
    line += " -r -F";
  } else if (form == ValueForm::kFolder) {
    line += " -x -a '(__fish_complete_directories)'";
  } else if (form == ValueForm::kList) {
    line += " -x -a '(__fish_append , " + Joined(words, " ") + ")'";
  } else if (form == ValueForm::kAny) {
    line += " -x";
    if (!words.empty()) line += " -a '" + Joined(words, " ") + "'";
  }
  return line + " -d " + FishText(row.help) + "\n";
}

constexpr std::string_view kFishFunctions = R"~(
function __ashlar_command
    for word in (commandline -opc)[2..-1]
        if contains -- $word $__ashlar_commands
            echo $word
            return
        end
    end
    return 1
end

# Whether a flag for these commands may be given here.
function __ashlar_takes
    set -l command (__ashlar_command)
    or return 0
    contains -- $command $argv
end

)~";

}  // namespace

std::string BashCompletion() {
  std::string text =
      "# Completion of ashlar(1) for bash, as `ashlar --help=bash` prints "
      "it.\n\n"
      "_ashlar_commands='" +
      Joined(CommandNames(kAll), " ") +
      "'\n\n"
      "_ashlar_flags() {  # [<command>]\n"
      "  case $1 in\n";
  for (const Command& command : Commands()) {
    text += "    " + std::string(command.name) + ") echo '" +
            BashFlagsOf(command.bit) + "' ;;\n";
  }
  text += "    *) echo '" + BashFlagsOf(kAll) +
          "' ;;\n"
          "  esac\n"
          "}\n\n"
          "# False for flags that take no value, or are none.\n"
          "_ashlar_value() {  # <flag, without dashes> <begin>\n"
          "  case $1 in\n";
  for (const FlagRow& row : FlagRows()) {
    // --help takes a value too, but only after "=".
    if (ValueFormOf(row) == ValueForm::kNone && row.name != "help") continue;
    text += "    " + std::string(row.name) + ") " + BashValuesOf(row) + " ;;\n";
  }
  text += "    *) return 1 ;;\n  esac\n}\n";
  return text + std::string(kBashEnd);
}

std::string ZshCompletion() {
  std::string text =
      "#compdef ashlar\n"
      "# Completion of ashlar(1) for zsh, as `ashlar --help=zsh` prints "
      "it.\n\n"
      "typeset -ga _ashlar_commands=(\n";
  for (const Command& command : Commands()) {
    const std::string entry =
        std::string(command.name) + ":" + std::string(command.summary);
    text += "  " + Quoted(entry, "'\\''") + "\n";
  }
  text +=
      ")\n\n"
      "_ashlar() {\n"
      "  local -a flags\n"
      "  local -A specs flags_of\n"
      "  specs=(\n";
  for (const FlagRow& row : FlagRows()) {
    for (const std::string& spelling : FlagSpellings(row)) {
      text += "    " + spelling + " " + ZshSpec(row, spelling) + "\n";
    }
  }
  text += "  )\n  flags_of=(\n";
  for (const Command& command : Commands()) {
    std::vector<std::string> flags;
    for (const FlagRow& row : FlagRows()) {
      if ((row.commands & command.bit) == 0) continue;
      for (const std::string& spelling : FlagSpellings(row)) {
        flags.push_back(spelling);
      }
    }
    text +=
        "    " + std::string(command.name) + " '" + Joined(flags, " ") + "'\n";
  }
  return text + "  )\n" + std::string(kZshEnd);
}

std::string FishCompletion() {
  std::string text =
      "# Completion of ashlar(1) for fish, as `ashlar --help=fish` prints "
      "it.\n\n"
      "set -g __ashlar_commands " +
      Joined(CommandNames(kAll), " ") + "\n" + std::string(kFishFunctions);
  for (const Command& command : Commands()) {
    text += "complete -c ashlar -n 'not __ashlar_command' -a " +
            std::string(command.name) + " -d " + FishText(command.summary) +
            "\n";
  }
  for (const FlagRow& row : FlagRows()) {
    for (const std::string& spelling : FlagSpellings(row)) {
      text += FishFlag(row, spelling);
    }
  }
  return text;
}

}  // namespace ashlar::tool
