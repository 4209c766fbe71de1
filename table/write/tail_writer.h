// WriteTail: writes everything that follows the data blocks: filter, index,
// dictionary, range deletions, properties, metaindex, footer, in this order.
//
// Used by TableBuilder::Finish. One thread at a time.
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

// What the tail is made of. Everything belongs to the builder.
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
  WorkerCrew crew;               // the threads that may help with the filter
  const Statistics* statistics;  // null: index blocks are not counted
};

// Sets the properties that only the tail knows, writes everything, and flushes
// the writer. Returns the first error.
Status WriteTail(TailContents contents, BlockWriter* writer,
                 TableProperties* properties);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_TAIL_WRITER_H_
