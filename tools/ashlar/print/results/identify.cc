// The printers of `identify`.
#include "tools/ashlar/print/print_json.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {

void PrintText(const Identity& file, Output* out) {
  if (!file.valid || !file.is_only_file) return;
  out->Append(PrintableText(file.path) + " is a valid SST file\n");
}

void WriteJson(const Identity& file, JsonWriter* json) {
  json->Member("magic", TableMagicName(file.magic));
  json->BoolMember("valid", file.valid);
}

void PrintText(const ValidTables& tables, Output* out) {
  if (tables.paths.empty()) {
    out->Flush();
    PrintError("No valid SST files found in " + tables.places);
    return;
  }
  out->Append("------------------------------\n");
  out->Append("List of valid SST files found in " +
              PrintableText(tables.places) + ":\n");
  for (const std::string& path : tables.paths)
    out->Append(PrintableText(path) + "\n");
  out->Append("Number of valid SST files: " +
              std::to_string(tables.paths.size()) + "\n");
}

}  // namespace ashlar::tool
