#include "table/set/set_journal.h"

#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

namespace ashlar::internal {
namespace {

constexpr std::string_view kFirstLine = "ashlar set journal 1";
constexpr std::string_view kLastLine = "end";
constexpr std::string_view kMade = "made";
constexpr std::string_view kReplaced = "replaced";
// Enough for some millions of tables.
constexpr size_t kMostJournalBytes = size_t{1} << 28;

void AppendLines(std::string_view word, const std::vector<MarkedTable>& tables,
                 const SetNames& names, std::string* text) {
  for (const MarkedTable& table : tables) {
    text->append(word).append(" ").append(names.Digits(table.name));
    for (const uint64_t number :
         {table.mark.inode, table.mark.bytes, table.mark.time}) {
      text->append(" ").append(std::to_string(number));
    }
    text->append("\n");
  }
}

// Moves the text before `end` to *part, and removes it and `end` from *text.
// Returns false if `end` is not in *text.
bool TakeUntil(char end, std::string_view* text, std::string_view* part) {
  const size_t at = text->find(end);
  if (at == std::string_view::npos) return false;
  *part = text->substr(0, at);
  text->remove_prefix(at + 1);
  return true;
}

bool ParseNumber(std::string_view text, uint64_t* number) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, *number);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

bool ParseTable(std::string_view line, const SetNames& names,
                SetJournal* journal) {
  std::string_view word;
  std::string_view digits;
  std::string_view inode;
  std::string_view bytes;
  if (!TakeUntil(' ', &line, &word) || !TakeUntil(' ', &line, &digits) ||
      !TakeUntil(' ', &line, &inode) || !TakeUntil(' ', &line, &bytes)) {
    return false;
  }
  MarkedTable table;
  table.name = names.last_part() + "-" + std::string(digits) + ".sst";
  if (!names.IsTable(table.name) || !ParseNumber(inode, &table.mark.inode) ||
      !ParseNumber(bytes, &table.mark.bytes) ||
      !ParseNumber(line, &table.mark.time)) {
    return false;
  }
  if (word != kMade && word != kReplaced) return false;
  (word == kMade ? journal->made : journal->replaced).push_back(table);
  return true;
}

bool Parse(std::string_view text, const SetNames& names, SetJournal* journal) {
  std::string_view line;
  if (!TakeUntil('\n', &text, &line) || line != kFirstLine) return false;
  while (TakeUntil('\n', &text, &line)) {
    if (line == kLastLine) return text.empty();
    if (!ParseTable(line, names, journal)) return false;
  }
  return false;
}

}  // namespace

Status WriteJournal(const SetJournal& journal, const SetNames& names,
                    const RunFolder& run_folder) {
  std::string text = std::string(kFirstLine) + "\n";
  AppendLines(kMade, journal.made, names, &text);
  AppendLines(kReplaced, journal.replaced, names, &text);
  text.append(kLastLine).append("\n");
  return run_folder.WriteFile(kJournal, text);
}

Result<std::optional<SetJournal>> ReadJournal(const SetNames& names,
                                              const OpenFolder& run_folder) {
  const Result<std::string> text = run_folder.Read(kJournal, kMostJournalBytes);
  if (text.status().IsNotFound()) return std::optional<SetJournal>();
  if (!text.ok()) return text.status();
  SetJournal journal;
  if (!Parse(*text, names, &journal)) {
    return Status::InvalidArgument(run_folder.PathOf(kJournal) +
                                   ": is not a journal of this program");
  }
  return std::optional<SetJournal>(std::move(journal));
}

}  // namespace ashlar::internal
