// layout: prints one line per block, in file order.
#include <optional>
#include <string>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

void ShowLayout(const std::string& path, Report* report) {
  InspectOptions options =
      InspectOptionsFromFlags(InspectOptions::DataBlocks::kRead);
  options.first_keys = true;
  std::optional<TableInspection> inspection;
  {
    Progress progress(path);
    options.on_progress = [&progress](uint64_t done, uint64_t total) {
      return progress.Update(done, total);
    };
    inspection.emplace();
    if (!InspectWithFoundBlocks(path, options, &*inspection, report)) return;
  }
  const bool was_found = HasFoundBlocks(*inspection);
  if (inspection->magic == TableMagic::kUnknown && !was_found) {
    report->SetFileStatus("not_sst");
  } else if (inspection->format_version || was_found) {
    report->Opened(*inspection);
  }
  WarnOfUnknownOrder(*inspection, *report);
  report->Show(Layout{*inspection});
  report->Show(FoundBlocks{*inspection});
  for (const TableFault& fault : inspection->faults) report->AddFault(fault);
}

}  // namespace

int RunLayout(const CommandLine& line) {
  return RunOverFiles(line, "layout", ShowLayout);
}

}  // namespace ashlar::tool
