// identify: finds the inputs that are block-based tables.
#include <optional>
#include <string>
#include <vector>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/inputs.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

class Identifier {
 public:
  explicit Identifier(const CommandLine& line) : single_(IsOneFile(line)) {
    for (const std::string& input : line.inputs) {
      if (!places_.empty()) places_ += ' ';
      places_ += input;
    }
  }

  void Identify(const std::string& path, Report* report) {
    const InspectOptions options =
        InspectOptionsFromFlags(InspectOptions::DataBlocks::kSkip);
    const std::optional<TableInspection> inspection =
        Inspect(path, options, report);
    if (!inspection) return;
    const bool valid = IsValid(*inspection);
    if (valid) {
      report->Opened(*inspection);
      valid_.push_back(path);
    }
    report->Show(Identity{path, inspection->magic, valid, single_});
    if (!valid) Refuse(path, *inspection, report);
  }

  void List(Report* report) const {
    if (single_ || report->AllSkipped()) return;
    report->ShowText(ValidTables{places_, valid_});
  }

 private:
  // A valid table has the footer of a block-based table, and a sound metaindex
  // and properties. LevelDB's tables have no properties.
  static bool IsValid(const TableInspection& inspection) {
    if (inspection.magic != TableMagic::kBlockBased &&
        inspection.magic != TableMagic::kLegacyBlockBased) {
      return false;
    }
    for (const TableFault& fault : inspection.faults) {
      if (fault.kind == BlockKind::kFooter ||
          fault.kind == BlockKind::kMetaIndex ||
          fault.kind == BlockKind::kProperties) {
        return false;
      }
    }
    return true;
  }

  static void Refuse(const std::string& path, const TableInspection& inspection,
                     Report* report) {
    if (inspection.magic == TableMagic::kUnknown) {
      report->SetFileStatus("not_sst");
    }
    for (const TableFault& fault : inspection.faults) report->AddFault(fault);
    bool newer = false;
    for (const TableFault& fault : inspection.faults) {
      newer = newer || fault.status.IsNotSupported();
    }
    // A table of a newer format cannot be read, but is still a table.
    if (newer) return;
    report->RaiseExitCode(kExitFault);
    PrintError(path + " is not a valid SST file");
  }

  const bool single_;
  std::string places_;
  std::vector<std::string> valid_;
};

}  // namespace

int RunIdentify(const CommandLine& line) {
  Identifier identifier(line);
  return RunOverFiles(
      line, "identify",
      [&identifier](const std::string& path, Report* report) {
        identifier.Identify(path, report);
      },
      [&identifier](Report* report) { identifier.List(report); });
}

}  // namespace ashlar::tool
