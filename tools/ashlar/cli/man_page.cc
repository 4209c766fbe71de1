#include "tools/ashlar/cli/man_page.h"

#include <algorithm>
#include <string_view>

#include "ashlar/util/version.h"
#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/cli/help.h"
#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {
namespace {

// Escapes text for roff: a hyphen in a flag becomes a minus sign, a backslash
// is printed, and no line begins like a request of roff.
std::string Escaped(std::string_view text) {
  std::string escaped;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
    line_begins = c == '\n';
  }
  return escaped;
}

std::string Bold(std::string_view text) {
  return "\\fB" + Escaped(text) + "\\fR";
}

// Puts words in <angle brackets> into italics.
std::string Arguments(std::string_view text) {
  std::string shown = Escaped(text);
  for (size_t place = 0; (place = shown.find('<', place)) != std::string::npos;
       ++place) {
    shown.replace(place, 1, "\\fI");
  }
  for (size_t place = 0; (place = shown.find('>', place)) != std::string::npos;
       ++place) {
    shown.replace(place, 1, "\\fR");
  }
  return shown;
}

void AppendText(std::string_view paragraphs, std::string* page) {
  while (!paragraphs.empty()) {
    const size_t end = std::min(paragraphs.find('\n'), paragraphs.size());
    *page += ".IP\n" + Escaped(paragraphs.substr(0, end)) + "\n";
    paragraphs.remove_prefix(std::min(end + 1, paragraphs.size()));
  }
}

void AppendCommands(std::string* page) {
  *page += ".SH COMMANDS\n";
  for (const Command& command : Commands()) {
    *page += ".TP\n" + Bold(command.name) + " " + Arguments(command.arguments) +
             "\n" + Escaped(command.summary) + ".\n";
    AppendText(command.details, page);
  }
}

// Returns which commands take the flag, unless all do.
std::string TakenBy(const FlagRow& row) {
  std::string names;
  bool all = true;
  for (const Command& command : Commands()) {
    if ((row.commands & command.bit) == 0) {
      all = false;
      continue;
    }
    names += (names.empty() ? "" : ", ") + std::string(command.name);
  }
  return all ? "" : " [" + names + "]";
}

void AppendFlagsOf(std::string* page) {
  *page +=
      ".SH FLAGS\n"
      "\\fB\\-\\-x=v\\fR, \\fB\\-\\-x v\\fR and \\fB\\-x=v\\fR are the same; "
      "switches are \\fB\\-\\-x\\fR or \\fB\\-\\-nox\\fR. In brackets the "
      "commands that a flag is for, where it is not for all of them.\n";
  *page += ".PP\n" + Escaped(QuantityHelp()) + "\n";
  for (const auto& [group, title] : FlagGroups()) {
    *page += ".SS " + std::string(title) + "\n";
    for (const FlagRow& row : FlagRows()) {
      if (row.group != group) continue;
      *page += ".TP\n" + Bold("--" + std::string(row.name));
      if (!row.value.empty()) *page += "=\\fI" + Escaped(row.value) + "\\fR";
      *page += "\n" + Escaped(FlagHelp(row)) + TakenBy(row) + "\n";
    }
  }
}

}  // namespace

std::string ManPage() {
  std::string page = ".TH ASHLAR 1 \"\" \"ashlar " +
                     std::string(LibraryVersion()) +
                     "\" \"User Commands\"\n"
                     ".nh\n"
                     ".ad l\n"
                     ".SH NAME\n"
                     "ashlar \\- reads, checks, makes and repairs RocksDB's "
                     "table files (SST)\n"
                     ".SH SYNOPSIS\n"
                     ".B ashlar\n"
                     "\\fIcommand\\fR [\\fIflags\\fR] "
                     "\\fIfile\\-or\\-directory\\fR...\n"
                     ".br\n"
                     ".B ashlar\n"
                     "[\\fIflags\\fR] \\fIfile\\-or\\-directory\\fR... "
                     "[\\fB\\-\\-command=\\fIname\\fR]\n"
                     ".SH DESCRIPTION\n"
                     "Works on table files in RocksDB's block-based format. "
                     "A directory stands for its files that end in .sst, a "
                     "file is read whatever its name. Results go to standard "
                     "output, faults and warnings to standard error.\n";
  AppendCommands(&page);
  AppendFlagsOf(&page);
  page += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : ExitCodeMeanings()) {
    page += ".TP\n" + Bold(code) + "\n" + Escaped(meaning) + "\n";
  }
  page += ".SH EXAMPLES\n";
  for (const std::string_view example : Examples()) {
    page += ".PP\n.EX\n" + Escaped(example) + "\n.EE\n";
  }
  return page;
}

}  // namespace ashlar::tool
