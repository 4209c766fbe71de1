// The check of one data block, and what each thread of the data pass does it
// with.
//
// A block is compared with the index, the filter and the hash index that the
// other passes found (DataBlockInputs). None of that changes during the data
// pass, so any number of threads may check blocks, each with a DataWalk of its
// own. Most sound blocks are proven the quick way (prove_block.h). All others
// are walked entry by entry.
#ifndef ASHLAR_TABLE_INSPECT_DATA_BLOCK_CHECK_H_
#define ASHLAR_TABLE_INSPECT_DATA_BLOCK_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "table/block/block_iterator.h"
#include "table/block/prove_entries.h"
#include "table/index/hash_search_index.h"
#include "table/inspect/embedded_blobs.h"
#include "table/inspect/filter_questions.h"
#include "table/inspect/indexed_blocks.h"
#include "table/inspect/inspected_file.h"
#include "table/inspect/meta_pass.h"
#include "table/inspect/table_facts.h"

namespace ashlar::internal {

struct DataBlockInputs {
  // How many keys of each block the filter is asked about with
  // FilterKeys::kFirst.
  static constexpr size_t kFirstKeys = 8;
  static_assert(kFirstKeys <= ShortKeys::kMost);

  const InspectOptions& options;
  const InspectedFile& file;
  const TableFacts& facts;
  const IndexedBlocks& index;
  const MetaBlocks& meta;
  // Data blocks that the index does not name. They have the next numbers.
  const std::vector<BlockHandle>& found;

  size_t num_blocks() const { return index.data_blocks.size() + found.size(); }
  const BlockHandle& HandleOf(size_t i) const {
    const size_t indexed = index.data_blocks.size();
    return i < indexed ? index.data_blocks[i].handle : found[i - indexed];
  }
  bool IsIndexed(uint64_t i) const { return i < index.data_blocks.size(); }

  // Returns whether the filter is asked about entry `number` of a block.
  bool AsksFilter(uint64_t number) const {
    return number < kFirstKeys ||
           options.filter_keys == InspectOptions::FilterKeys::kAll;
  }
};

// What one thread checks data blocks with, and what it finds out.
struct DataWalk {
  DataWalk(const DataBlockInputs& inputs, ThreadReads* thread_reads)
      : reads(thread_reads),
        iterator(inputs.facts.walk_order),
        blobs(inputs.file.footer().offset,
              inputs.options.max_uncompressed_block_bytes) {
    inputs.meta.hash_index.Begin(&hash_index);
  }
  // Asks the filter the questions that are left. Returns whether it denied none
  // since the last call.
  bool FilterKnowsAll();

  ThreadReads* const reads;
  BlockIterator iterator;
  ShortKeys keys;
  std::string first_key;
  std::string target;  // kept for its memory
  // Whether blocks are first tried the quick way (ProveBlock).
  bool proves = true;
  // Questions that the filter `asked` was not asked yet, and whether it denied
  // a key. Answers come late. So a walk whose blocks can be done again has
  // asks_later: `denied` may then mean any block since the last FilterKnowsAll.
  FilterQuestions questions;
  const FilterBitsReader* asked = nullptr;
  bool denied = false;
  bool asks_later = false;
  // Present if there is a hash index; moves along with the keys.
  std::optional<HashSearchPrefixes> hash_index;
  FoundBlobs blobs;
};

// Reads and checks data block i. Returns whether *contents can be shown.
// Changes nothing but what it is given.
bool CheckDataBlock(const DataBlockInputs& inputs, size_t i, DataWalk* walk,
                    BlockInfo* info, Slice* contents);

// Compares both separators around a data block with its first and last key, and
// the first key with that in the index.
Status CheckSeparators(const DataBlockInputs& inputs, const BlockPlace& place,
                       const Slice& first_key, const Slice& last_key);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_DATA_BLOCK_CHECK_H_
