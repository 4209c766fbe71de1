// The JSON of `report` about a database: everything that its page shows. Its
// lists are limited, so that the page stays small.
#include "tools/ashlar/measure/database_report.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "ashlar/table/database_files.h"
#include "tools/ashlar/print/print_json.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

void WriteFacts(const DatabaseReport& database, JsonWriter* json) {
  json->ObjectMember("database", [&] {
    json->Member("name", database.folder);
    json->Member("column_family", database.column_family);
    json->NumberMember("column_families", database.column_families);
    json->Member("comparator", database.comparator);
    json->Member("manifest", database.manifest);
    json->NumberMember("ignored_bytes", database.ignored_bytes);
    json->Member("db_id", database.db_id);
    json->NumberMember("last_sequence", database.last_sequence);
    if (database.write_ahead_logs) {
      json->NumberMember("write_ahead_logs", *database.write_ahead_logs);
    }
    json->NumberMember("blob_files", database.blob_files);
    json->NumberMember("blob_bytes", database.blob_bytes);
    json->NumberMember("blob_garbage_bytes", database.blob_garbage_bytes);
  });
}

void WriteLevel(const DatabaseReport::Level& level, JsonWriter* json) {
  json->NumberMember("level", level.level);
  json->NumberMember("files", level.files);
  json->NumberMember("file_bytes", level.file_bytes);
  json->NumberMember("without_properties", level.without_properties);
  json->NumberMember("entries", level.entries);
  json->NumberMember("deletions", level.deletions);
  json->NumberMember("raw_bytes", level.raw_bytes);
  json->NumberMember("data_bytes", level.data_bytes);
  if (level.overlapped_bytes) {
    json->NumberMember("overlapped_bytes", *level.overlapped_bytes);
  }
}

// Keys may have any size, and a list may have many.
void WriteKey(std::string_view name, const std::string& key, JsonWriter* json) {
  constexpr size_t kMostBytes = 256;
  json->HexMember(name, Slice(key.data(), std::min(key.size(), kMostBytes)));
}

void WriteBox(const TableBox& box, JsonWriter* json) {
  json->NumberMember("level", box.level);
  json->NumberMember("lane", box.lane);
  json->NumberMember("begin", box.begin);
  json->NumberMember("end", box.end);
  json->Member("file", TableFileName(box.number));
  json->NumberMember("tables", box.tables);
  json->NumberMember("bad_tables", box.bad_tables);
  json->NumberMember("file_bytes", box.bytes);
  WriteKey("smallest", box.smallest, json);
  WriteKey("largest", box.largest, json);
}

void WriteTables(std::string_view name, const std::vector<PlacedTable>& tables,
                 JsonWriter* json) {
  json->ObjectsMember(name, tables, [&](const PlacedTable& table) {
    json->Member("file", TableFileName(table.number));
    json->NumberMember("level", table.level);
    json->NumberMember("file_bytes", table.bytes);
    json->NumberMember("entries", table.entries);
    json->NumberMember("deletions", table.deletions);
    WriteKey("smallest", table.smallest, json);
    WriteKey("largest", table.largest, json);
  });
}

void WriteFaults(const DatabaseReport& database, JsonWriter* json) {
  json->ObjectsMember(
      "faults", database.faults, [&](const DatabaseReport::Fault& fault) {
        json->Member("file", fault.path.substr(fault.path.rfind('/') + 1));
        json->ObjectMember("error", [&] {
          WriteError(fault.path, fault.status,
                     fault.block ? &*fault.block : nullptr, json);
        });
      });
  json->NumberMember("faults_total", database.faults_total);
}

}  // namespace

void WriteJson(const DatabaseReport& database, JsonWriter* json) {
  WriteFacts(database, json);
  json->NumberMember("tables", database.tables);
  json->NumberMember("bad_tables", database.bad_tables);
  json->NumberMember("file_bytes", database.file_bytes);
  json->NumberMember("blocks_ok", database.blocks_ok);
  json->NumberMember("blocks_bad", database.blocks_bad);
  json->BoolMember("lacks_checksums", database.lacks_checksums);
  json->NumberMember("data_blocks", database.data_blocks);
  json->NumberMember("decoded_blocks", database.decoded_blocks);
  WriteFaults(database, json);
  json->ObjectsMember(
      "levels", database.levels,
      [&](const DatabaseReport::Level& level) { WriteLevel(level, json); });
  json->ObjectMember("level_map", [&] {
    json->NumberMember("places", database.places);
    json->ObjectsMember("boxes", database.boxes,
                        [&](const TableBox& box) { WriteBox(box, json); });
  });
  WriteTables("largest_tables", database.largest, json);
  WriteTables("most_deletions", database.most_deletions, json);
  const std::optional<FilterRates> not_asked;
  WriteJson(StatsResult{database.stats, database.file_bytes, not_asked}, json);
  WriteHistograms(database.stats, json);
  json->ObjectsMember("common_properties", database.common,
                      [&](const LabelledProperty& property) {
                        json->Member("label", property.label);
                        json->Member("text", property.text);
                      });
  json->ArrayMember("differing_properties", database.differing,
                    [&](const std::string& label) { json->String(label); });
}

}  // namespace ashlar::tool
