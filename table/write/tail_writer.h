// Everything that follows the data blocks: filter, index, dictionary, range
// deletions, properties, metaindex, footer, in this order.
#ifndef ASHLAR_TABLE_WRITE_TAIL_WRITER_H_
#define ASHLAR_TABLE_WRITE_TAIL_WRITER_H_

#include <bitset>

#include "ashlar/table/options.h"
#include "ashlar/table/table_properties.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/filter/full_filter.h"
#include "table/index/index_builder.h"
#include "table/meta/range_del_block.h"
#include "table/write/block_compressor.h"
#include "table/write/block_writer.h"
#include "table/write/filter_partitions.h"

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

#endif  // ASHLAR_TABLE_WRITE_TAIL_WRITER_H_
