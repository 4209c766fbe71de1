// Key anchors: user keys that are about evenly spread in a table, with the
// bytes between them, from its index alone.
//
// Compactions divide their work at anchors.
#ifndef ASHLAR_TABLE_READ_KEY_ANCHORS_H_
#define ASHLAR_TABLE_READ_KEY_ANCHORS_H_

#include <cstdint>
#include <vector>

#include "ashlar/table/key_anchor.h"
#include "ashlar/util/status.h"
#include "table/read/opened_table.h"

namespace ashlar::internal {

// Appends at most `most` anchors in ascending order, the last one at the end of
// the data. Reads no data block, but those parts of the index that are not in
// memory. Returns the errors of those reads. Requires: the order of keys is
// known, and `most` is above 0.
// Messages do not name the file.
Status AppendKeyAnchors(const OpenedTable& table, uint64_t most,
                        std::vector<KeyAnchor>* anchors);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_KEY_ANCHORS_H_
