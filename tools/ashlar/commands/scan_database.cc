#include "tools/ashlar/commands/scan_database.h"

#include <algorithm>

#include "tools/ashlar/commands/key_lookup.h"
#include "tools/ashlar/inputs/database.h"
#include "tools/ashlar/inputs/equal_numbers.h"
#include "tools/ashlar/inputs/visible_entries.h"
#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/print/results/entry_printer.h"

namespace ashlar::tool {
namespace {

class Walk {
 public:
  Walk(const Database& database, const OpenedTables& tables, uint64_t most,
       EntryPrinter* printer)
      : database_(database), tables_(tables), most_(most), printer_(printer) {}

  uint64_t entries() const { return entries_; }

  // Prints entries until there are no more, or no more are wanted.
  Status Run(VisibleEntries* keys, Progress* progress, const Report& report) {
    constexpr uint64_t kKeysBetweenLooks = 256;
    const TablesSize size = SizeOf(tables_);
    uint64_t passed = 0;
    for (keys->SeekToStart(); keys->Valid() && entries_ < most_; keys->Next()) {
      if (passed++ % kKeysBetweenLooks == 0 &&
          (!progress->UpdateByEntries(passed, size.entries, size.bytes) ||
           report.MustStop())) {
        return {};
      }
      Status shown =
          ForEachShown(*keys, database_, tables_,
                       [this](const ShownEntry& entry) { Print(entry); });
      if (!shown.ok()) return shown;
    }
    if (keys->status().ok()) progress->Update(size.bytes, size.bytes);
    return keys->status();
  }

 private:
  void Print(const ShownEntry& entry) {
    if (entries_ == most_) return;
    ++entries_;
    printer_->Print(entry);
  }

  const Database& database_;
  const OpenedTables& tables_;
  const uint64_t most_;
  EntryPrinter* const printer_;
  uint64_t entries_ = 0;
};

// Returns the size of the timestamps that the tables do not store.
EntryPrinter::Timestamps TimestampsOf(const Database& database) {
  const auto& tables = database.family().tables;
  return {.size = database.comparator()->timestamp_size(),
          .stripped = std::any_of(
              tables.begin(), tables.end(), [](const LiveTable& table) {
                return !table.user_defined_timestamps_persisted;
              })};
}

}  // namespace

uint64_t ScanDatabase(
    const std::string& folder, const KeyRange& range,
    const std::shared_ptr<const MergeOperator>& merge_operator, uint64_t most,
    Report* report) {
  const auto opened = Database::Open(folder);
  if (!opened.ok()) {
    report->AddFault(opened.status());
    return 0;
  }
  Database& database = **opened;
  database.WarnOfTheRest();
  const auto tables = database.OpenRange(range);
  if (!tables.ok()) {
    report->AddFault(tables.status());
    return 0;
  }
  EntryPrinter printer(true, TimestampsOf(database), report);
  Progress progress(folder);
  VisibleEntries keys(database, *tables, merge_operator, range);
  Walk walk(database, *tables, most, &printer);
  Status status = walk.Run(&keys, &progress, *report);
  if (status.ok()) {
    const std::string last = keys.Valid() ? keys.user_key().ToString() : "";
    status = WarnOfEqualNumbers(folder, database, *tables, range,
                                keys.Valid() ? &last : nullptr);
  }
  printer.Finish(walk.entries());
  report->AddEntries(walk.entries());
  if (!status.ok()) report->AddFault(status);
  return walk.entries();
}

}  // namespace ashlar::tool
