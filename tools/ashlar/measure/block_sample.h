// What of a table is looked at where not all of it is: some of its data blocks,
// and their entries as a table of their own.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_BLOCK_SAMPLE_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_BLOCK_SAMPLE_H_

#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/compression.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

// Some of `total` things, evenly spread, the first and the last among them.
std::vector<bool> EvenlySpread(uint64_t wanted, uint64_t total);

uint64_t CountDataBlocks(const TableInspection& inspection);

// Of keys as they are stored. Null where none can compare them.
const Comparator* StoredOrder(const TableProperties& properties);

// Data blocks as a file has them.
struct StoredBlocks {
  // In which they are, but for those that no codec made smaller.
  std::bitset<256> types;
  bool types_known = false;
  uint64_t data_size = 0;     // with trailers
  uint64_t uncompressed = 0;  // without
  uint64_t blocks = 0;
  uint64_t of_blocks = 0;  // that the file has

  // By CompressionTypeName or CompressionTypeEnumName; "mixed", "unknown".
  std::string CodecName(std::string_view (*name)(CompressionType)) const;
};

// All of them, as the index lists them; their codecs as the properties tell.
// (Their sizes there may count padding, or be anything.)
StoredBlocks FindStoredBlocks(const std::string& path,
                              const TableProperties& properties);

// About so many data blocks of the file, whose keys have this order, in pieces
// of a few that lie side by side, so that they can be cut anew: their entries,
// in a scratch file. Range deletions are left out. Null: the report says why.
std::unique_ptr<TableReader> TakeBlockSample(const std::string& path,
                                             const Comparator* order,
                                             uint64_t wanted, Report* report,
                                             StoredBlocks* stored);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_BLOCK_SAMPLE_H_
