// A table as InspectTable sees it, with the entries of each data block.
#ifndef ASHLAR_TEST_SUPPORT_INSPECTED_TABLE_H_
#define ASHLAR_TEST_SUPPORT_INSPECTED_TABLE_H_

#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "test/support/tables.h"

namespace ashlar::testing {

struct InspectedBlock {
  BlockInfo info;
  std::vector<Entry> entries;

  uint64_t end() const { return info.offset + info.size + kBlockTrailerBytes; }
};

struct Inspected {
  TableInspection found;
  std::vector<InspectedBlock> data;  // in the order in which they were shown
  std::vector<Entry> range_deletions;

  std::vector<Entry> entries() const {
    std::vector<Entry> all;
    for (const InspectedBlock& block : data) {
      all.insert(all.end(), block.entries.begin(), block.entries.end());
    }
    return all;
  }
};

// Inspects a table of these bytes.
Inspected Inspect(const std::string& table, bool find_blocks);

// Returns where the data blocks end.
uint64_t EndOfData(const Inspected& sound);

// Returns whether the table has a block of this kind.
bool Has(const Inspected& sound, BlockKind kind);

// Returns whether data blocks are compressed with a dictionary. It is stored
// after them: if the file is cut there, they cannot be decompressed.
bool NeedsDictionary(const Inspected& sound);

// Returns the entries of `expected` that are not in `found`.
std::vector<Entry> Missing(std::vector<Entry> expected,
                           std::vector<Entry> found);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_INSPECTED_TABLE_H_
