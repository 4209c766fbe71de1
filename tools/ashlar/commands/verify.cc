// verify: checks every block of every kind, and reports all faults.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "ashlar/table/entry/blob_index.h"
#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/inputs/workers.h"
#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

bool AsksFirstKeys() { return FLAGS_filter_keys == "first"; }

// Returns what the command does not check because of a flag, if this table has
// it. Empty if there is nothing.
std::string_view NotLookedAt(const TableInspection& inspection) {
  if (FLAGS_checksums_only && inspection.properties &&
      inspection.properties->user_collected_properties.contains(
          std::string(kEmbeddedBlobStatsProperty))) {
    return "embedded blobs, which are found by entries (--checksums_only)";
  }
  if (FLAGS_checksums_only || !AsksFirstKeys()) return {};
  const auto& blocks = inspection.blocks;
  const bool has_filter = std::any_of(
      blocks.begin(), blocks.end(),
      [](const BlockInfo& block) { return block.kind == BlockKind::kFilter; });
  return has_filter ? "whether the filter matches the keys after the first 8 "
                      "of each data block (--filter_keys=first)"
                    : "";
}

std::optional<TableInspection> Inspect(const std::string& path,
                                       WorkerPool* pool, Report* report) {
  Progress progress(path);
  InspectOptions options =
      InspectOptionsFromFlags(InspectOptions::DataBlocks::kRead);
  options.decode = !FLAGS_checksums_only;
  if (AsksFirstKeys()) {
    options.filter_keys = InspectOptions::FilterKeys::kFirst;
  }
  options.worker_pool = pool;
  options.on_progress = [&progress](uint64_t done, uint64_t total) {
    return progress.Update(done, total);
  };
  TableInspection inspection;
  if (!InspectWithFoundBlocks(path, options, &inspection, report)) {
    return std::nullopt;
  }
  return inspection;
}

// `names_first_fault`: as sst_dump does, before the list of faults.
void Verify(const std::string& path, WorkerPool* pool, bool names_first_fault,
            Report* report) {
  const std::optional<TableInspection> inspection = Inspect(path, pool, report);
  if (!inspection) return;
  const bool is_table = inspection->magic == TableMagic::kBlockBased ||
                        inspection->magic == TableMagic::kLegacyBlockBased ||
                        HasFoundBlocks(*inspection);
  if (is_table) report->Opened(*inspection);
  WarnOfUnknownOrder(*inspection, *report);
  if (inspection->magic == TableMagic::kUnknown && !is_table) {
    report->SetFileStatus("not_sst");
  }
  const Verification result = {*inspection, NotLookedAt(*inspection)};
  report->ShowText(Verdict{path, result, names_first_fault});
  for (const TableFault& fault : inspection->faults) report->AddFault(fault);
  report->Show(FoundBlocks{*inspection});
  report->Show(result);
}

}  // namespace

int RunVerify(const CommandLine& line) {
  Workers workers;
  return RunOverFiles(
      line, "verify", [&](const std::string& path, Report* report) {
        Verify(path, workers.pool(), !line.has_command_word, report);
      });
}

}  // namespace ashlar::tool
