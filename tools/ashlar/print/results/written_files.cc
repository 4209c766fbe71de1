// The printers of files that a command wrote.
#include <cstdio>
#include <string>
#include <vector>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/print_json.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

MadeTable SumOf(const std::vector<MadeTable>& tables) {
  MadeTable sum;
  for (const MadeTable& table : tables) {
    sum.entries += table.entries;
    sum.raw_key_bytes += table.raw_key_bytes;
    sum.raw_value_bytes += table.raw_value_bytes;
    sum.data_blocks += table.data_blocks;
    sum.file_bytes += table.file_bytes;
  }
  return sum;
}

std::string NamesOf(const std::vector<MadeTable>& tables) {
  const std::string& first = tables.front().path;
  if (tables.size() == 1) return first;
  return std::to_string(tables.size()) + " files, " + first + " to " +
         tables.back().path;
}

// The same members as in the manifest of a set.
void WriteTable(const MadeTable& table, JsonWriter* json) {
  json->Member("path", table.path.substr(table.path.rfind('/') + 1));
  json->HexMember("smallest", table.smallest);
  json->HexMember("largest", table.largest);
  json->BoolMember("largest_is_exclusive", table.largest_is_exclusive);
  json->NumberMember("entries", table.entries);
  json->NumberMember("bytes", table.file_bytes);
  char checksum[16];
  std::snprintf(checksum, sizeof checksum, "%08X", table.file_checksum);
  json->Member("checksum", checksum);
}

}  // namespace

void PrintText(const MadeTables& made, Output* out) {
  if (FLAGS_quiet) return;
  const MadeTable sum = SumOf(made.tables);
  const uint64_t raw_bytes = sum.raw_key_bytes + sum.raw_value_bytes;
  const double megabytes = static_cast<double>(raw_bytes) / 1e6;
  const double speed = made.seconds > 0 ? megabytes / made.seconds : 0.0;
  out->Flush();
  const std::string what = made.dry_run ? "dry run, nothing written"
                                        : "wrote " + NamesOf(made.tables);
  PrintError(what + ": " + std::to_string(sum.entries) + " entries, " +
             std::to_string(sum.file_bytes) + " bytes, ratio " +
             Fixed(Share(raw_bytes, sum.file_bytes), 2) + ", " +
             Fixed(made.seconds, 2) + " s, " + Fixed(speed, 1) + " MB/s");
}

void WriteJson(const MadeTables& made, JsonWriter* json) {
  const MadeTable sum = SumOf(made.tables);
  if (!made.name.empty()) json->Member("out", made.name);
  json->NumberMember("num_entries", sum.entries);
  json->NumberMember("raw_key_size", sum.raw_key_bytes);
  json->NumberMember("raw_value_size", sum.raw_value_bytes);
  json->NumberMember("num_data_blocks", sum.data_blocks);
  json->DecimalMember("seconds", made.seconds);
  if (made.manifest.empty()) return;
  json->Member("manifest", made.manifest);
  json->ObjectsMember("tables", made.tables,
                      [&](const MadeTable& table) { WriteTable(table, json); });
}

void PrintText(const RowCounts& rows, Output* out) {
  if (FLAGS_quiet || rows.bad + rows.duplicates + rows.outside == 0) return;
  out->Flush();
  std::string line =
      "rows read: " + std::to_string(rows.read) +
      ", duplicates left out: " + std::to_string(rows.duplicates) +
      ", bad rows skipped: " + std::to_string(rows.bad);
  if (rows.outside != 0) {
    line += ", outside of the range: " + std::to_string(rows.outside);
  }
  PrintError(line);
}

void WriteJson(const RowCounts& rows, JsonWriter* json) {
  json->ObjectMember("rows", [&] {
    json->NumberMember("read", rows.read);
    json->NumberMember("duplicates", rows.duplicates);
    json->NumberMember("bad", rows.bad);
    json->NumberMember("outside", rows.outside);
  });
  json->BoolMember("dry_run", rows.dry_run);
}

void PrintText(const WrittenFile& file, Output* out) {
  out->Append(std::string(file.text) + " written to file " +
              PrintableText(file.name) + "\n");
}

void WriteJson(const WrittenFile& file, JsonWriter* json) {
  json->Member(file.json_name, file.name);
}

}  // namespace ashlar::tool
