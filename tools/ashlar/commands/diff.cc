// diff: shows the differences between two tables.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/commands/diff_database.h"
#include "tools/ashlar/inputs/database.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/outputs/ordered_rows.h"
#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/print/properties_text.h"
#include "tools/ashlar/print/results/shown_differences.h"

namespace ashlar::tool {
namespace {

class Diff {
 public:
  // The tables must outlive this.
  Diff(const TableReader& a, const TableReader& b, Report* report)
      : a_(&a), b_(&b), report_(report), shown_(report) {}

  // Returns whether both tables were compared completely. If not, sets *a_fault
  // and *b_fault to the fault of each, and the rest of both was not read.
  bool Compare(Status* a_fault, Status* b_fault) {
    if (a_->comparator() != b_->comparator()) {
      *b_fault =
          Status::InvalidArgument("the two files have different comparators");
    } else {
      CompareEntries(a_fault, b_fault);
    }
    if (!a_fault->ok() || !b_fault->ok()) return false;
    CompareRangeDeletions();
    if (!FLAGS_data_only) CompareProperties();
    return true;
  }

  void Finish() { shown_.Finish(); }

 private:
  struct Range {
    std::string begin;
    SequenceNumber sequence = 0;
    std::string end;
    auto operator<=>(const Range&) const = default;
  };

  void CompareEntries(Status* a_fault, Status* b_fault) {
    Progress progress(a_->file().name());
    const uint64_t bytes = a_->file().Size() + b_->file().Size();
    const uint64_t all =
        a_->properties().num_entries + b_->properties().num_entries;
    ReadOptions options = ReadOptionsFromFlags();
    options.ignore_range_deletions = true;
    Iterator a = a_->NewIterator(options);
    Iterator b = b_->NewIterator(options);
    a.SeekToFirst();
    b.SeekToFirst();
    // After an error, the entries of one table are unknown.
    while ((a.Valid() || b.Valid()) && a.status().ok() && b.status().ok()) {
      // Most steps are over an entry of each.
      if ((entries_++ & 1023) == 0 &&
          (!progress.UpdateByEntries(2 * entries_, all, bytes) ||
           report_->MustStop())) {
        *b_fault = Status::Aborted("interrupted");
        return;
      }
      Step(&a, &b);
    }
    *a_fault = a.status();
    *b_fault = b.status();
  }

  // Compares them as sets, since their order in the file has no meaning.
  void CompareRangeDeletions() {
    std::map<Range, int> counts;
    const auto count = [&](const TableReader& table, int step) {
      for (const RangeDeletion& deletion : table.RangeDeletions()) {
        counts[{deletion.begin.ToString(), deletion.sequence,
                deletion.end.ToString()}] += step;
      }
    };
    count(*a_, 1);
    count(*b_, -1);
    for (const auto& [range, balance] : counts) {
      for (int i = 0; i < balance; ++i) ShowRange('-', range);
      for (int i = 0; i > balance; --i) ShowRange('+', range);
    }
  }

  void CompareProperties() {
    const std::map<std::string, std::string> a = Properties(*a_);
    std::map<std::string, std::string> b = Properties(*b_);
    for (const auto& [name, value] : a) {
      const std::string other = b[name];
      b.erase(name);
      if (other != value)
        shown_.found().properties.push_back({name, value, other});
    }
    for (const auto& [name, value] : b) {
      shown_.found().properties.push_back({name, "", value});
    }
  }

  void Step(Iterator* a, Iterator* b) {
    int order = a->Valid() ? -1 : 1;
    if (a->Valid() && b->Valid()) {
      order = CompareRows(*a_->comparator(), false, a->user_key(),
                          TailOf(a->key()), b->user_key(), TailOf(b->key()));
    }
    if (order < 0) {
      CountOnlyIn('-');
      if (shown_.ShowsNext()) Show('-', *a);
      a->Next();
    } else if (order > 0) {
      CountOnlyIn('+');
      if (shown_.ShowsNext()) Show('+', *b);
      b->Next();
    } else {
      if (a->value() != b->value()) {
        ++shown_.found().other_values;
        if (shown_.ShowsNext()) {
          Show('-', *a);
          Show('+', *b);
        }
      }
      a->Next();
      b->Next();
    }
  }

  void CountOnlyIn(char sign) {
    Differences& found = shown_.found();
    ++(sign == '-' ? found.only_in_first : found.only_in_second);
  }

  void Show(char sign, const Iterator& it) {
    shown_.Show({sign, it.user_key(), it.sequence(), it.type(), it.value()});
  }

  void ShowRange(char sign, const Range& range) {
    CountOnlyIn(sign);
    if (!shown_.ShowsNext()) return;
    shown_.Show({sign, range.begin, range.sequence,
                 ValueType::kTypeRangeDeletion, range.end});
  }

  // Returns the properties, except those that say when and by which program the
  // table was made.
  static std::map<std::string, std::string> Properties(
      const TableReader& table) {
    constexpr std::string_view kOrigin[] = {
        "creation time", "file creation time",
        "DB identity",   "DB session identity",
        "DB host id",    "original file number",
        "unique ID"};
    std::map<std::string, std::string> properties;
    for (const LabelledProperty& property :
         LabelledProperties(table.properties())) {
      bool origin = false;
      for (const std::string_view name : kOrigin) {
        origin = origin || property.label == name;
      }
      if (!origin) properties.insert({property.label, property.text});
    }
    for (const auto& [name, value] :
         table.properties().user_collected_properties) {
      properties["# " + name] = "0x" + ToHex(value, HexCase::kUpper);
    }
    return properties;
  }

  const TableReader* const a_;
  const TableReader* const b_;
  Report* const report_;
  uint64_t entries_ = 0;
  ShownDifferences shown_;
};

}  // namespace

int RunDiff(const CommandLine& line) {
  std::string error = CheckComparatorFlag();
  if (error.empty()) error = CheckInputsAndForm(line);
  if (error.empty() && line.inputs.size() != 2) {
    error = "diff takes two files, or two folders that are databases";
  }
  if (!error.empty()) return UsageError(error);
  const bool a_is_database =
      IsDatabase(line.inputs[0], FolderUse::kOneDatabase);
  if (a_is_database != IsDatabase(line.inputs[1], FolderUse::kOneDatabase)) {
    return UsageError("diff takes two files, or two databases: " +
                      line.inputs[a_is_database ? 0 : 1] + " is a database");
  }
  if (a_is_database) return DiffDatabases(line);
  error = CheckDatabaseFlags(line, "diff", FolderUse::kOneDatabase);
  if (!error.empty()) return UsageError(error);
  Report report("diff", ChosenForm(), false);
  report.BeginFile(line.inputs[0]);
  const auto a = OpenTable(line.inputs[0], false, &report);
  // The second table is opened here, but reported below: a fault that turns up
  // during the comparison must be reported with the file that has it.
  auto b_opened = TableReader::Open(line.inputs[1], ReaderOptionsFromFlags());
  std::optional<Diff> diff;
  bool compared = false;
  Status a_fault;
  Status b_fault;
  if (a != nullptr && b_opened.ok()) {
    diff.emplace(*a, **b_opened, &report);
    compared = diff->Compare(&a_fault, &b_fault);
  }
  if (!a_fault.ok()) report.AddFault(a_fault);
  report.EndFile();
  report.BeginFile(line.inputs[1]);
  const auto b = ReportOpened(std::move(b_opened), line.inputs[1], &report);
  if (!b_fault.ok()) report.AddFault(b_fault);
  if (compared) diff->Finish();
  report.EndFile();
  return report.Finish();
}

}  // namespace ashlar::tool
