// TableReport: everything that the page of `report` shows about one table.
//
// Plain data: page_collector.h fills it in, and page_render.h turns it into
// HTML.
#ifndef ASHLAR_TOOLS_ASHLAR_PAGE_PAGE_DATA_H_
#define ASHLAR_TOOLS_ASHLAR_PAGE_PAGE_DATA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "tools/ashlar/measure/block_map.h"
#include "tools/ashlar/measure/codec_trials.h"
#include "tools/ashlar/measure/filter_probe.h"
#include "tools/ashlar/measure/key_space.h"
#include "tools/ashlar/measure/table_stats.h"

namespace ashlar::tool {

struct TableReport {
  std::string path;
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

  bool whole() const { return decoded_blocks == data_blocks; }
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PAGE_PAGE_DATA_H_
