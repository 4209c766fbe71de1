// Key anchors: user keys that lie about evenly in a table, with the bytes
// between them, from its index alone.
//
// Compactions divide their work at anchors. RocksDB's readers have
// "ApproximateKeyAnchors" for it.
#ifndef ASHLAR_TABLE_READ_KEY_ANCHORS_H_
#define ASHLAR_TABLE_READ_KEY_ANCHORS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/table/table_reader.h"
#include "ashlar/util/status.h"

namespace ashlar::internal {

struct KeyAnchor {
  std::string user_key;  // without timestamp; need not be in the table
  // Of the file, between the anchor before it, or the first block, and this
  // one.
  uint64_t bytes = 0;
};

// Appends at most `most` anchors in ascending order, the last one at the end of
// the data. Reads no data block, but those parts of the index that are not in
// memory. Returns the errors of those reads. Requires: the order of keys is
// known, and `most` is above 0.
Status AppendKeyAnchors(const TableReader& table, uint64_t most,
                        std::vector<KeyAnchor>* anchors);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_KEY_ANCHORS_H_
