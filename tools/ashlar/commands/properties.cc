// properties: prints the table properties, without reading the data blocks.
#include <optional>
#include <string>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/print/output.h"
#include "tools/ashlar/print/properties_text.h"

namespace ashlar::tool {
namespace {

void ShowProperties(const std::string& path, Report* report) {
  const InspectOptions options =
      InspectOptionsFromFlags(InspectOptions::DataBlocks::kSkip);
  const std::optional<TableInspection> inspection =
      Inspect(path, options, report);
  if (!inspection) return;
  if (inspection->magic == TableMagic::kUnknown) {
    report->SetFileStatus("not_sst");
  }
  if (inspection->properties) {
    report->Opened(*inspection);
    PrintProperties(*inspection, report);
    WarnOfUnknownOrder(*inspection, *report);
  }
  for (const TableFault& fault : inspection->faults) {
    // Only the properties matter here. For example, an index block in a codec
    // that is not built in is no fault.
    if (inspection->properties && fault.status.IsNotSupported() &&
        fault.kind != BlockKind::kProperties) {
      continue;
    }
    report->AddFault(fault);
  }
  // A LevelDB table has no properties, which is no fault. For any other table,
  // a fault was reported.
  if (!inspection->properties && inspection->faults.empty()) {
    report->Opened(*inspection);
    PrintWarning(path +
                 ": a LevelDB table has no properties; 'ashlar stats' counts "
                 "what is in it");
  }
}

}  // namespace

int RunProperties(const CommandLine& line) {
  return RunOverFiles(line, "properties", ShowProperties);
}

}  // namespace ashlar::tool
