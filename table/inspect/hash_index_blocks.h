// HashIndexBlocks: the two blocks of a hash search index, and whether they lead
// to every key.
//
// The meta pass takes the blocks, and the data pass asks. Thread-safe to ask,
// each thread with a HashSearchPrefixes of its own.
#ifndef ASHLAR_TABLE_INSPECT_HASH_INDEX_BLOCKS_H_
#define ASHLAR_TABLE_INSPECT_HASH_INDEX_BLOCKS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "ashlar/table/table_properties.h"
#include "ashlar/util/prefix_extractor.h"
#include "table/format/block_place.h"
#include "table/index/hash_search_index.h"
#include "table/inspect/indexed_blocks.h"
#include "table/inspect/table_facts.h"

namespace ashlar::internal {

class HashIndexBlocks {
 public:
  // Takes one of the two blocks. Checks both once it has them.
  Status Take(const std::string& name, const Slice& contents,
              const BlockPlace& place, const TableFacts& facts,
              const std::optional<TableProperties>& properties,
              const IndexedBlocks& blocks);

  // Begins a walk over the keys of the table, if there is a hash index that can
  // be asked about keys; else leaves *walk empty.
  void Begin(std::optional<HashSearchPrefixes>* walk) const {
    if (prefixes_.has_value()) walk->emplace(*prefixes_, *metadata_);
  }
  // Returns whether the blocks lead to data block i for this internal key.
  // Requires: Begin made *walk, and keys come in order.
  bool Knows(const Slice& internal_key, size_t i,
             HashSearchPrefixes* walk) const;

 private:
  std::optional<std::string> metadata_;
  // Present only if it can be asked about keys.
  std::optional<std::string> prefixes_;
  BlockPlace metadata_place_;
  std::shared_ptr<const PrefixExtractor> extractor_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_HASH_INDEX_BLOCKS_H_
