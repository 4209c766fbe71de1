// TableReport: all that the page of `report` tells of one table.
//
// Plain data: page_collector.h fills it in, page_render.h makes HTML of it.
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
  // Without its list of blocks.
  TableInspection inspection;
  // That the index names, and how many of them were decoded and found sound.
  uint64_t data_blocks = 0;
  uint64_t decoded_blocks = 0;
  // Bytes by kind are those of all blocks; what is told of entries and of the
  // sizes of data blocks is that of the decoded ones.
  TableStats stats;
  BlockMap map;
  KeySpace key_space;
  std::optional<FilterRates> filter;
  CodecTrials trials;

  bool whole() const { return decoded_blocks == data_blocks; }
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PAGE_PAGE_DATA_H_
