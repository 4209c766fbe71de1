// Everything that follows the data blocks: filter, index, dictionary, range
// deletions, properties, metaindex, footer, in this order.
#ifndef ASHLAR_TABLE_BUILD_TAIL_WRITER_H_
#define ASHLAR_TABLE_BUILD_TAIL_WRITER_H_

#include <bitset>

#include "table/build/block_compressor.h"
#include "table/build/block_writer.h"
#include "table/build/filter_partitions.h"
#include "table/filter/full_filter.h"
#include "table/index/index_builder.h"
#include "table/meta/range_del_block.h"
#include "table/options.h"
#include "table/table_properties.h"
#include "util/slice.h"
#include "util/status.h"

namespace ashlar::internal {

// What the data blocks left behind. Everything belongs to the builder.
struct TailContents {
  const TableOptions* options;
  uint32_t base_context_checksum;
  FilterBitsBuilder* filter;                   // null: none
  FilterPartitionsBuilder* filter_partitions;  // null: none
  Slice last_user_key;
  IndexBuilder* index;
  BlockCompressor* compressor;
  Slice dictionary;  // empty: none
  // Types of the blocks that are stored compressed.
  std::bitset<256> compression_types;
  RangeDeletionBlockBuilder* range_deletions;
  WorkerCrew crew;  // who may help with the filter
};

// Fills in the properties that only the tail knows, writes it all, and flushes
// the writer.
Status WriteTail(TailContents contents, BlockWriter* writer,
                 TableProperties* properties);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BUILD_TAIL_WRITER_H_
