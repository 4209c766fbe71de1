#include "tools/ashlar/commands/diff_database.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tools/ashlar/commands/key_lookup.h"
#include "tools/ashlar/inputs/database.h"
#include "tools/ashlar/inputs/equal_numbers.h"
#include "tools/ashlar/inputs/merge_flags.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/inputs/visible_entries.h"
#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/print/results/shown_differences.h"

namespace ashlar::tool {
namespace {

using Operator = std::shared_ptr<const MergeOperator>;

// One of the two databases, whose tables are all open.
class Side {
 public:
  Status Open(const std::string& folder) {
    auto database = Database::Open(folder);
    if (!database.ok()) return database.status();
    database_ = std::move(*database);
    database_->WarnOfTheRest();
    auto tables = database_->OpenRange(KeyRange());
    if (!tables.ok()) return tables.status();
    tables_ = std::make_unique<OpenedTables>(std::move(*tables));
    return WarnOfEqualNumbers(folder, *database_, *tables_, KeyRange(),
                              nullptr);
  }
  const Comparator* comparator() const { return database_->comparator(); }
  void Begin(const Operator& merge_operator) {
    at_.emplace(*database_, *tables_, merge_operator, KeyRange());
    at_->SeekToStart();
  }
  VisibleEntries& at() { return *at_; }
  TablesSize size() const { return SizeOf(*tables_); }

  // Shows the entry at which it is: operands one by one.
  Status Show(char sign, ShownDifferences* shown) {
    return ForEachShown(
        *at_, *database_, *tables_, [&](const ShownEntry& entry) {
          shown->Show(
              {sign, entry.user_key, entry.sequence, entry.type, entry.value});
        });
  }

 private:
  std::unique_ptr<Database> database_;
  std::unique_ptr<OpenedTables> tables_;
  std::optional<VisibleEntries> at_;
};

class Comparison {
 public:
  Comparison(Side* a, Side* b, Report* report)
      : a_(a), b_(b), report_(report), shown_(report) {}

  // Compares all keys. *a_fault and *b_fault are the errors of each side.
  void Run(const Operator& merge_operator, Status* a_fault, Status* b_fault) {
    a_->Begin(merge_operator);
    b_->Begin(merge_operator);
    Progress progress(report_->path());
    const TablesSize a_size = a_->size();
    const TablesSize b_size = b_->size();
    uint64_t steps = 0;
    while ((a_->at().Valid() || b_->at().Valid()) && a_->at().status().ok() &&
           b_->at().status().ok() && a_fault->ok() && b_fault->ok()) {
      // Most steps are over a key of each.
      if (steps++ % 1024 == 0 &&
          (!progress.UpdateByEntries(2 * steps, a_size.entries + b_size.entries,
                                     a_size.bytes + b_size.bytes) ||
           report_->MustStop())) {
        *b_fault = Status::Aborted("interrupted");
        return;
      }
      Step(a_fault, b_fault);
    }
    if (a_fault->ok()) *a_fault = a_->at().status();
    if (b_fault->ok()) *b_fault = b_->at().status();
  }

  void Finish() { shown_.Finish(); }

 private:
  void Step(Status* a_fault, Status* b_fault) {
    VisibleEntries& a = a_->at();
    VisibleEntries& b = b_->at();
    const Comparator& comparator = *a_->comparator();
    int order = a.Valid() ? -1 : 1;
    if (a.Valid() && b.Valid()) {
      order = comparator.Compare(a.user_key(), b.user_key());
    }
    const bool differ =
        order == 0 && (a.type() != b.type() || a.value() != b.value());
    if (differ) ++shown_.found().other_values;
    if (order < 0) ++shown_.found().only_in_first;
    if (order > 0) ++shown_.found().only_in_second;
    if ((differ || order != 0) && shown_.ShowsNext()) {
      if (order <= 0) *a_fault = a_->Show('-', &shown_);
      if (order >= 0) *b_fault = b_->Show('+', &shown_);
    }
    if (order <= 0) a.Next();
    if (order >= 0) b.Next();
  }

  Side* const a_;
  Side* const b_;
  Report* const report_;
  ShownDifferences shown_;
};

}  // namespace

int DiffDatabases(const CommandLine& line) {
  Operator merge_operator;
  const std::string error = ReadMergeOperator(line, &merge_operator);
  if (!error.empty()) return UsageError(error);
  Report report("diff", ChosenForm(), false);
  Side a;
  Side b;
  report.BeginFile(line.inputs[0]);
  Status a_fault = a.Open(line.inputs[0]);
  // The second is opened here, and reported below: a fault that turns up during
  // the comparison must be reported with the database that has it.
  Status b_fault = b.Open(line.inputs[1]);
  if (a_fault.ok() && b_fault.ok() && a.comparator() != b.comparator()) {
    b_fault =
        Status::InvalidArgument("the two databases have different comparators");
  }
  std::optional<Comparison> comparison;
  if (a_fault.ok() && b_fault.ok()) {
    comparison.emplace(&a, &b, &report);
    comparison->Run(merge_operator, &a_fault, &b_fault);
  }
  if (!a_fault.ok()) report.AddFault(a_fault);
  report.EndFile();
  report.BeginFile(line.inputs[1]);
  if (!b_fault.ok()) report.AddFault(b_fault);
  if (a_fault.ok() && b_fault.ok()) comparison->Finish();
  report.EndFile();
  return report.Finish();
}

}  // namespace ashlar::tool
