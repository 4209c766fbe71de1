// Values that a table file stores itself, apart from their entries.
//
//   payload, type byte 0, checksum: like a block, among the data blocks
//
// An entry refers to one by a blob index of file 0, and an entity by a column
// that is such a blob index. Where they are is known once all data blocks have
// been read. Pure functions, but for what they are passed.
#ifndef ASHLAR_TABLE_INSPECT_EMBEDDED_BLOBS_H_
#define ASHLAR_TABLE_INSPECT_EMBEDDED_BLOBS_H_

#include <cstddef>
#include <vector>

#include "table/inspect/findings.h"
#include "table/inspect/inspected_file.h"

namespace ashlar::internal {

struct FoundBlob {
  size_t data_block;  // the number of the block that refers to it
  BlockHandle handle;
};

// Adds the blobs that this entry of a data block refers to.
Status AddBlobsOf(const Slice& internal_key, const Slice& value,
                  size_t data_block, std::vector<FoundBlob>* blobs);

// Checks each blob once, although several entries may refer to it. Returns
// Aborted if on_progress ended it.
Status InspectBlobs(const std::vector<FoundBlob>& blobs, PassReads* reads,
                    Findings* findings);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_EMBEDDED_BLOBS_H_
