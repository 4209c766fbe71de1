#include "tools/ashlar/outputs/made_table.h"

#include <cstdio>
#include <string>
#include <vector>

#include "tools/ashlar/outputs/manifest.h"
#include "tools/ashlar/print/output.h"

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

}  // namespace

void PrintMadeTable(const TableOutput& output, double seconds) {
  const std::vector<MadeTable> tables = output.tables();
  const MadeTable sum = SumOf(tables);
  const double raw_bytes =
      static_cast<double>(sum.raw_key_bytes + sum.raw_value_bytes);
  const double file_bytes = static_cast<double>(sum.file_bytes);
  char numbers[160];
  std::snprintf(numbers, sizeof numbers,
                "%llu entries, %llu bytes, ratio %.2f, %.2f s, %.1f MB/s",
                static_cast<unsigned long long>(sum.entries),
                static_cast<unsigned long long>(sum.file_bytes),
                file_bytes > 0 ? raw_bytes / file_bytes : 0.0, seconds,
                seconds > 0 ? raw_bytes / 1e6 / seconds : 0.0);
  PrintError("wrote " + NamesOf(tables) + ": " + numbers);
}

void WriteMadeTable(const TableOutput& output, double seconds,
                    JsonWriter* json) {
  const std::vector<MadeTable> tables = output.tables();
  const MadeTable sum = SumOf(tables);
  json->NumberMember("num_entries", sum.entries);
  json->NumberMember("raw_key_size", sum.raw_key_bytes);
  json->NumberMember("raw_value_size", sum.raw_value_bytes);
  json->NumberMember("num_data_blocks", sum.data_blocks);
  json->Key("seconds");
  json->Decimal(seconds);
  if (output.manifest().empty()) return;
  json->Member("manifest", output.manifest());
  json->Key("tables");
  WriteTableList(tables, json);
}

}  // namespace ashlar::tool
