// The printers of `verify`.
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/color.h"
#include "tools/ashlar/print/print_json.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {

void PrintText(const Verdict& verdict, Output* out) {
  const Verification& file = verdict.file;
  if (file.inspection.faults.empty()) {
    out->Append(Colored("The file is ok", Color::kGood) + "\n");
  }
  for (const TableFault& fault : file.inspection.faults) {
    if (!verdict.names_first_fault || !fault.status.IsCorruption()) continue;
    out->Flush();
    PrintFault(
        {verdict.path + " ", "is corrupted", ": " + fault.status.ToString()});
    break;
  }
  if (file.not_checked.empty()) return;
  out->Append("not checked: " + std::string(file.not_checked) + "\n");
}

void PrintText(const Verification& file, Output* out) {
  if (FLAGS_quiet) return;
  const TableInspection& inspection = file.inspection;
  out->Append("blocks: " + std::to_string(inspection.blocks_ok) + " ok, " +
              std::to_string(inspection.blocks_bad) + " bad; bytes checked: " +
              std::to_string(inspection.bytes_checked) + "\n");
  if (inspection.unreferenced_blob_bytes == 0) return;
  out->Append(
      "unreferenced: " + std::to_string(inspection.unreferenced_blob_bytes) +
      " bytes among the data blocks, to which no entry refers\n");
}

void WriteJson(const Verification& file, JsonWriter* json) {
  json->NumberMember("blocks_ok", file.inspection.blocks_ok);
  json->NumberMember("blocks_bad", file.inspection.blocks_bad);
  json->NumberMember("bytes_checked", file.inspection.bytes_checked);
  if (file.inspection.unreferenced_blob_bytes != 0) {
    json->NumberMember("unreferenced_blob_bytes",
                       file.inspection.unreferenced_blob_bytes);
  }
  if (!file.not_checked.empty()) {
    json->Member("not_looked_at", file.not_checked);
  }
}

}  // namespace ashlar::tool
