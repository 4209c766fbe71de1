// The JSON of `report`: everything that the page shows. Its lists are limited,
// so that the page stays small.
#include <algorithm>
#include <span>

#include "ashlar/util/checksum_type.h"
#include "ashlar/util/compression.h"
#include "tools/ashlar/print/print_json.h"
#include "tools/ashlar/print/properties_text.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

void WriteFaults(const TableInspection& inspection, JsonWriter* json) {
  // Unlike "errors", this does not depend on --max_errors.
  constexpr size_t kMostFaults = 200;
  const std::span<const TableFault> faults = inspection.faults;
  json->ObjectsMember("faults",
                      faults.first(std::min(faults.size(), kMostFaults)),
                      [&](const TableFault& fault) {
                        WriteError({}, fault.status, &fault, json);
                      });
  json->NumberMember("faults_total", faults.size());
}

void WriteCell(const MapCell& cell, JsonWriter* json) {
  json->NumberMember("offset", cell.offset);
  json->NumberMember("bytes", cell.bytes);
  if (cell.blocks == 0) return;
  json->NumberMember("blocks", cell.blocks);
  json->Member("kind", BlockKindName(cell.kind));
  json->BoolMember("mixed_kinds", cell.mixed_kinds);
  json->NumberMember("first_index", cell.first_index);
  if (cell.stored_bytes != 0) {
    json->NumberMember("raw_bytes", cell.raw_bytes);
    json->NumberMember("stored_bytes", cell.stored_bytes);
  }
  if (cell.bad_blocks == 0) return;
  json->NumberMember("bad_blocks", cell.bad_blocks);
  json->Member("first_fault", cell.first_fault);
}

void WriteKeySpace(const KeySpace& space, JsonWriter* json) {
  json->HexMember("first_key", space.first_key);
  json->HexMember("last_key", space.last_key);
  json->NumberMember("used_parts", space.used_parts);
  json->NumberMember("half_parts", space.half_parts);
  json->ObjectsMember("parts", space.parts, [&](const KeySpace::Part& part) {
    json->DecimalMember("bytes", part.bytes);
    json->BoolMember("bad", part.bad);
    json->BoolMember("deleted", part.deleted);
    if (!part.first_key.empty()) json->HexMember("first_key", part.first_key);
  });
}

void WriteTrials(const CodecTrials& trials, JsonWriter* json) {
  json->NumberMember("blocks", trials.blocks);
  json->NumberMember("raw_bytes", trials.raw_bytes);
  json->NumberMember("stored_bytes", trials.stored_bytes);
  json->ObjectsMember("runs", trials.runs, [&](const CodecTrial& run) {
    json->Member("codec", CompressionTypeName(run.codec));
    json->IntegerMember("level", run.level);
    json->NumberMember("dict_bytes", run.dictionary_bytes);
    json->NumberMember("raw_bytes", run.raw_bytes);
    json->NumberMember("stored_bytes", run.stored_bytes);
    json->NumberMember("write_cpu_us", run.write_micros);
    json->NumberMember("read_cpu_us", run.read_micros);
  });
  if (!trials.status.ok()) json->Member("error", trials.status.ToString());
}

}  // namespace

void WriteJson(const TableReport& table, JsonWriter* json) {
  const TableInspection& inspection = table.inspection;
  json->NumberMember("file_bytes", inspection.file_size);
  json->Member("magic", TableMagicName(inspection.magic));
  if (inspection.checksum_type) {
    json->Member("checksum_type", ChecksumTypeName(*inspection.checksum_type));
  }
  json->NumberMember("blocks_ok", inspection.blocks_ok);
  json->NumberMember("blocks_bad", inspection.blocks_bad);
  json->NumberMember("data_blocks", table.data_blocks);
  json->NumberMember("decoded_blocks", table.decoded_blocks);
  if (inspection.looked_for_blocks) {
    json->NumberMember("found_blocks", inspection.found_blocks);
    uint64_t lost = 0;
    for (const FileBytes& bytes : inspection.lost_bytes) lost += bytes.size;
    json->NumberMember("lost_bytes_total", lost);
  }
  WriteFaults(inspection, json);
  if (inspection.properties) WriteProperties(*inspection.properties, json);
  WriteJson(StatsResult{table.stats, inspection.file_size, table.filter}, json);
  WriteHistograms(table.stats, json);
  json->ObjectMember("map", [&] {
    json->NumberMember("gap_bytes", table.map.gap_bytes);
    json->ObjectsMember("cells", table.map.cells,
                        [&](const MapCell& cell) { WriteCell(cell, json); });
  });
  if (!table.key_space.parts.empty()) {
    json->ObjectMember("key_space",
                       [&] { WriteKeySpace(table.key_space, json); });
  }
  if (table.trials.blocks != 0) {
    json->ObjectMember("trials", [&] { WriteTrials(table.trials, json); });
  }
}

}  // namespace ashlar::tool
