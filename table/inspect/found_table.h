// FoundTable: what a walk over a file finds of a table whose footer, metaindex
// or index is lost.
//
//   in    the file; its footer, if that is sound; the parts to walk over
//   out   FoundTable
//
// The walk (block_walk.h) finds blocks, and this finds out what they are, by
// what they hold. Data blocks come first in a file, so it goes backward from
// the last block up to the first that holds entries: all before that are data.
// On the way it finds
//
//   range deletions   keys of the type of range deletions
//   metaindex         names of blocks, with handles
//   properties        names of properties
//   index             handles of blocks that were found, or of bytes that were
//                     lost; the last one is the index, or its top level
//   dictionary        what has no form, and comes after the index or begins as
//                     a dictionary of ZSTD does
//
// A block that could be both data and an index is an index only if its handles
// say so. Salvage must not take separators for entries: if blocks were moved,
// such a block is neither, unless data are next to it. One whose keys lie
// between those of the data blocks around it is data. If the metaindex is among
// them, it names the others; if not, they get the names that a metaindex would
// give them. With the footer made up from that, the passes of an inspection go
// on as in a sound file.
//
// Runs on the calling thread. Memory: 32 bytes per block.
#ifndef ASHLAR_TABLE_INSPECT_FOUND_TABLE_H_
#define ASHLAR_TABLE_INSPECT_FOUND_TABLE_H_

#include <memory>
#include <optional>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_properties.h"
#include "table/format/footer.h"
#include "table/inspect/findings.h"
#include "table/inspect/restored_file.h"
#include "table/walk/block_walk.h"

namespace ashlar::internal {

struct FoundTable {
  // As it must have been, or nearly so. Its metaindex and index are null if
  // they were not found.
  Footer footer;
  // In file order.
  std::vector<BlockHandle> data_blocks;
  // What was recognised without a metaindex, under the names that it gives.
  std::vector<MetaBlockEntry> named;
  std::vector<ByteRange> lost;
  // Whether the index was chosen among the blocks that look like one.
  bool guesses_index = false;
  // Whether the checksums prove the blocks: otherwise how blocks are signed was
  // found out from a single one.
  bool proven = true;
  // If blocks were moved: the file as it was written. Nothing else is then set.
  std::unique_ptr<RestoredFile> restored;
};

// Returns whether these options ask for blocks to be looked for.
inline bool LooksForBlocks(const InspectOptions& options) {
  return options.find_blocks &&
         options.data_blocks != InspectOptions::DataBlocks::kSkip;
}

// Which blocks count.
enum class Places : uint8_t {
  kAsTheyAre,    // those that are where they were written
  kRestoredToo,  // also those that were moved (restored_file.h)
};

// Sets *have to whether two blocks or more of the file have checksums of one
// kind, whatever its footer says. Returns Aborted if on_progress ended it.
Status HaveChecksums(const RandomAccessFile& file, Findings* findings,
                     bool* have);

// Walks over these parts of the file, which must be in order, and sets *found
// to what is there; to nothing if no block is. `footer` is null if it is
// damaged. Returns Aborted if on_progress ended it.
Status FindTable(const RandomAccessFile& file, const Footer* footer,
                 const std::vector<ByteRange>& parts, Places places,
                 Findings* findings, std::optional<FoundTable>* found);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_FOUND_TABLE_H_
