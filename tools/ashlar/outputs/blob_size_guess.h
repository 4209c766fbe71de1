// Finds out from which size on a table's values are embedded blobs. Files do
// not record it.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_BLOB_SIZE_GUESS_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_BLOB_SIZE_GUESS_H_

#include <cstdint>
#include <string>

namespace ashlar::tool {

// Returns the size of the smallest embedded blob of the table, in bytes: if the
// table is copied with it, the same values are embedded. Reads all data blocks,
// and no blob. Returns the default if no data block refers to a blob.
uint64_t SmallestBlobSize(const std::string& path);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_BLOB_SIZE_GUESS_H_
