// stats: shows sizes and distributions.
#include <optional>
#include <string>

#include "ashlar/util/comparator.h"
#include "tools/ashlar/cli/command_table.h"
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

void ShowStats(const std::string& path, Report* report) {
  TableStats stats;
  TableInspection inspection;
  if (!Gather(path, &stats, &inspection, report)) return;
  stats.Finish();
  if (inspection.magic == TableMagic::kUnknown) {
    report->SetFileStatus("not_sst");
  }
  for (const TableFault& fault : inspection.faults) report->AddFault(fault);
  if (inspection.blocks.empty()) return;
  report->Opened(inspection);
  WarnOfUnknownOrder(inspection, *report);
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
  return RunOverFiles(line, "stats", ShowStats);
}

}  // namespace ashlar::tool
