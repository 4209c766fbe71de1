// stats: shows sizes and distributions.
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "ashlar/util/comparator.h"
#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/database.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/measure/filter_probe.h"
#include "tools/ashlar/measure/table_stats.h"
#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

size_t TimestampSize(const TableProperties& properties) {
  const Comparator* const comparator =
      FindBuiltinComparator(properties.comparator_name);
  return comparator == nullptr ||
                 properties.user_defined_timestamps_persisted == 0
             ? 0
             : comparator->timestamp_size();
}

bool Gather(const std::string& path, TableStats* stats,
            TableInspection* inspection, Report* report) {
  Progress progress(path);
  InspectOptions options =
      InspectOptionsFromFlags(InspectOptions::DataBlocks::kRead);
  options.on_progress = [&progress](uint64_t done, uint64_t total) {
    return progress.Update(done, total);
  };
  options.on_block = [stats, inspection](const BlockInfo& block) {
    // This is known before the data blocks come.
    if (inspection->properties) {
      stats->timestamp_size = TimestampSize(*inspection->properties);
    }
    stats->OnBlock(block);
  };
  options.on_entry = [stats](const BlockInfo& block, const Slice& key,
                             const Slice& value) {
    stats->OnEntry(block, key, value);
  };
  return InspectInto(path, options, inspection, report);
}

// Reads a file into *stats. Returns false if there is nothing to show.
bool ReadStats(const std::string& path, TableStats* stats,
               TableInspection* inspection, Report* report) {
  if (!Gather(path, stats, inspection, report)) return false;
  if (inspection->magic == TableMagic::kUnknown && path == report->path()) {
    report->SetFileStatus("not_sst");
  }
  for (const TableFault& fault : inspection->faults) {
    report->AddFaultIn(path, fault);
  }
  if (inspection->blocks.empty()) return false;
  report->Opened(*inspection);
  WarnOfUnknownOrder(*inspection, *report);
  return true;
}

void ShowDatabase(const std::string& folder, Report* report) {
  struct Level {
    TableStats stats;
    uint64_t files = 0;
    uint64_t bytes = 0;
  };
  const auto database = Database::Open(folder);
  if (!database.ok()) return report->AddFault(database.status());
  (*database)->WarnOfTheRest();
  std::map<uint32_t, Level> levels;
  (*database)->ForEachTable(
      report, [&](const LiveTable& table, const std::string& path) {
        Level& level = levels[table.level];
        TableInspection inspection;
        if (!ReadStats(path, &level.stats, &inspection, report)) return;
        ++level.files;
        level.bytes += inspection.file_size;
      });
  report->BeginList("levels");
  for (auto& [number, level] : levels) {
    level.stats.Finish();
    const std::optional<FilterRates> not_asked;
    report->Show(
        LevelStats{number, level.files, {level.stats, level.bytes, not_asked}});
  }
  report->EndList();
}

void ShowStats(const std::string& path, Report* report) {
  if (IsDatabase(path, FolderUse::kDatabases))
    return ShowDatabase(path, report);
  TableStats stats;
  TableInspection inspection;
  if (!ReadStats(path, &stats, &inspection, report)) return;
  stats.Finish();
  std::optional<FilterRates> rates;
  if (inspection.faults.empty() && inspection.knows_order &&
      FLAGS_filter_probes != 0) {
    auto table = TableReader::Open(path, ReaderOptionsFromFlags());
    Status status = table.status();
    if (table.ok()) rates = ProbeFilter(**table, stats, &status);
    if (!status.ok()) report->AddFault(status);
  }
  report->Show(StatsResult{stats, inspection.file_size, rates});
}

}  // namespace

int RunStats(const CommandLine& line) {
  if (FLAGS_prefix_length != 0 && !FLAGS_prefix_separator.empty()) {
    return UsageError(
        "--prefix_length and --prefix_separator exclude each "
        "other");
  }
  const std::string error = CheckComparatorFlag();
  if (!error.empty()) return UsageError(error);
  return RunOverFiles(line, "stats", ShowStats, {}, FolderUse::kDatabases);
}

}  // namespace ashlar::tool
