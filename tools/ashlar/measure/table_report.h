// TableReport: what `report` finds out about one table.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_TABLE_REPORT_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_TABLE_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ashlar/table/inspect.h"
#include "tools/ashlar/measure/block_map.h"
#include "tools/ashlar/measure/codec_trials.h"
#include "tools/ashlar/measure/filter_probe.h"
#include "tools/ashlar/measure/key_space.h"
#include "tools/ashlar/measure/table_stats.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

struct TableReport {
  // The inspection, without its list of blocks.
  TableInspection inspection;
  // The number of data blocks in the index, and how many of them were decoded
  // and are sound.
  uint64_t data_blocks = 0;
  uint64_t decoded_blocks = 0;
  // Bytes by kind count all blocks. Everything about entries and sizes of data
  // blocks counts decoded blocks only.
  TableStats stats;
  BlockMap map;
  KeySpace key_space;
  std::optional<FilterRates> filter;
  CodecTrials trials;
};

// Verifies the checksums of all blocks, and decodes --sample of the data
// blocks, including the first and the last. Returns false if there is nothing
// to show; `report` then has the reason. Otherwise `report` has every fault.
bool CollectTableReport(const std::string& path, TableReport* table,
                        Report* report);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_TABLE_REPORT_H_
