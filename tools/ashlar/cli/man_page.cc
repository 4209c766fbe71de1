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

// Appends paragraphs, each of which `macro` begins.
void AppendText(std::string_view paragraphs, std::string_view macro,
                std::string* page) {
  while (!paragraphs.empty()) {
    const size_t end = std::min(paragraphs.find('\n'), paragraphs.size());
    *page +=
        std::string(macro) + "\n" + Escaped(paragraphs.substr(0, end)) + "\n";
    paragraphs.remove_prefix(std::min(end + 1, paragraphs.size()));
  }
}

void AppendCommands(std::string* page) {
  *page += ".SH COMMANDS\n";
  for (const Command& command : Commands()) {
    *page += ".TP\n" + Bold(command.name) + " " + Arguments(command.arguments) +
             "\n" + Escaped(command.summary) + ".\n";
    AppendText(command.details, ".IP", page);
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

// Appends the flags of these commands. A page about all commands also says of
// each flag which of them take it.
void AppendFlagsOf(uint32_t commands, std::string* page) {
  *page +=
      ".SH FLAGS\n"
      "\\fB\\-\\-x=v\\fR, \\fB\\-\\-x v\\fR and \\fB\\-x=v\\fR are the same; "
      "switches are \\fB\\-\\-x\\fR or \\fB\\-\\-nox\\fR.";
  if (commands == kAll) {
    *page +=
        " In brackets the commands that a flag is for, where it is not for all "
        "of them.";
  }
  *page += "\n.PP\n" + Escaped(QuantityHelp()) + "\n";
  for (const auto& [group, title] : FlagGroups()) {
    bool any = false;
    for (const FlagRow& row : FlagRows()) {
      if (row.group != group || (row.commands & commands) == 0) continue;
      if (!any) *page += ".SS " + std::string(title) + "\n";
      any = true;
      *page += ".TP\n" + Bold("--" + std::string(row.name));
      if (!row.value.empty()) *page += "=\\fI" + Escaped(row.value) + "\\fR";
      *page += "\n" + Escaped(FlagHelp(row));
      if (commands == kAll) *page += TakenBy(row);
      *page += "\n";
    }
  }
}

// Begins a page: its title and the line that lists of pages show.
std::string Head(std::string_view title, std::string_view name,
                 std::string_view summary) {
  return ".TH " + std::string(title) + " 1 \"\" \"ashlar " +
         std::string(LibraryVersion()) +
         "\" \"User Commands\"\n"
         ".nh\n"
         ".ad l\n"
         ".SH NAME\n" +
         Escaped(name) + " \\- " + Escaped(summary) + "\n";
}

void AppendExitStatus(std::string* page) {
  *page += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : ExitCodeMeanings()) {
    *page += ".TP\n" + Bold(code) + "\n" + Escaped(meaning) + "\n";
  }
}

char AsciiUpper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

std::string Sentence(std::string_view summary) {
  std::string sentence = Escaped(summary) + ".";
  sentence.front() = AsciiUpper(sentence.front());
  return sentence;
}

std::string PageName(const Command& command) {
  return "ashlar-" + std::string(command.name);
}

// Returns a line that names another page. `\%` keeps the name on one line: the
// examples before it end with .EE, after which groff hyphenates again.
std::string Reference(std::string_view page_name) {
  return ".BR \\%" + Escaped(page_name) + " (1)";
}

}  // namespace

std::string ManPage() {
  std::string page = Head("ASHLAR", "ashlar",
                          "reads, checks, makes and repairs RocksDB's table "
                          "files (SST)") +
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
  AppendFlagsOf(kAll, &page);
  AppendExitStatus(&page);
  page += ".SH EXAMPLES\n";
  std::string_view begin = ".EX\n";  // a section begins with a paragraph
  for (const std::string_view example : Examples()) {
    page += std::string(begin) + Escaped(example) + "\n.EE\n";
    begin = ".PP\n.EX\n";
  }
  page += ".SH SEE ALSO\n";
  for (const Command& command : Commands()) {
    const bool last = &command == &Commands().back();
    page += Reference(PageName(command)) + (last ? "\n" : ",\n");
  }
  return page;
}

std::string ManPage(const Command& command) {
  std::string title = PageName(command);
  std::transform(title.begin(), title.end(), title.begin(), AsciiUpper);
  std::string page = Head(title, PageName(command), command.summary) +
                     ".SH SYNOPSIS\n" +
                     Bold("ashlar " + std::string(command.name)) +
                     " [\\fIflags\\fR] " + Arguments(command.arguments) +
                     "\n.SH DESCRIPTION\n" + Sentence(command.summary) + "\n";
  AppendText(command.details, ".PP", &page);
  AppendFlagsOf(command.bit, &page);
  AppendExitStatus(&page);
  page += ".SH SEE ALSO\n" + Reference("ashlar") + "\n";
  return page;
}

std::string CommandList() {
  std::string names;
  for (const Command& command : Commands()) {
    names += std::string(command.name) + "\n";
  }
  return names;
}

}  // namespace ashlar::tool
