// Values that a table file stores itself, apart from their entries.
//
//   payload, type byte 0, checksum: like a block, among the data blocks
//
// An entry refers to one by a blob index of file 0, and an entity by a column
// that is such a blob index (table/blob/embedded_blobs.h). Where blobs are is
// known once all data blocks have been read. So the data pass collects what
// entries refer to, each thread for itself (FoundBlobs). Then each blob is read
// once, whatever refers to it, and at last it is known which bytes among the
// data blocks nothing refers to.
//
// Memory. An entry takes a few bytes in a block that may have been compressed,
// so a small file may have any number of references. Equal ones are kept once.
// Blobs that do not overlap are at least a trailer apart. So of more blobs than
// there is room for, only that number and one more are kept, those with the
// smallest offsets: two of them overlap, which is reported. Which ones these
// are does not depend on how many threads found them.
//
// One thread at a time, but for its own FoundBlobs of each thread.
#ifndef ASHLAR_TABLE_INSPECT_EMBEDDED_BLOBS_H_
#define ASHLAR_TABLE_INSPECT_EMBEDDED_BLOBS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "table/blob/embedded_blobs.h"
#include "table/inspect/findings.h"
#include "table/inspect/inspected_file.h"

namespace ashlar::internal {

struct FoundBlob {
  size_t data_block = 0;  // the number of the first block that refers to it
  BlockHandle handle;
};

class FoundBlobs {
 public:
  // `limit` is the offset below which all blobs are: that of the footer. The
  // blobs of one entry together may have max_bytes.
  FoundBlobs(uint64_t limit, uint64_t max_bytes)
      : limit_(limit),
        max_bytes_(max_bytes),
        most_(limit / kBlockTrailerSize + 1) {}

  // Adds the blobs that this entry of a data block refers to. Returns
  // Corruption if a reference cannot be one. Adds the others all the same.
  Status AddOf(const Slice& internal_key, const Slice& value,
               size_t data_block);
  // Adds what another thread has found.
  void AddAll(const FoundBlobs& other);
  // Returns all of them, each once, in the order of the data blocks that refer
  // to them first. To be called once.
  std::vector<FoundBlob> TakeInOrder();

 private:
  // Adds the size of the blob to *bytes.
  Status AddIndex(const Slice& blob_index, size_t data_block, uint64_t* bytes);
  void Add(const FoundBlob& blob) {
    if (blobs_.size() >= compact_at_) Compact();
    blobs_.push_back(blob);
  }
  void Compact();

  uint64_t limit_;
  uint64_t max_bytes_;
  size_t most_;
  size_t compact_at_ = size_t{1} << 16;
  std::vector<FoundBlob> blobs_;
};

// Checks each blob once, although several entries may refer to it. Returns
// Aborted if on_progress ended it.
Status InspectBlobs(const std::vector<FoundBlob>& blobs, PassReads* reads,
                    Findings* findings);

// Returns how many bytes before the end of the last data block belong to no
// block. Bytes between blocks that are all zeros are padding, and do not count.
// Requires: the blocks of the inspection are in file order, and none is
// damaged. Returns 0 if such bytes cannot be read.
uint64_t CountUnreferenced(const TableInspection& inspection,
                           ThreadReads* reads);

// Shows entries of data blocks with the values of their blobs, as a reader
// would. An entry whose blob is damaged is shown as it is stored.
class FollowedEntries {
 public:
  FollowedEntries(const InspectedFile& file, const InspectOptions& options)
      : options_(options),
        blobs_(&file.source(), options.max_uncompressed_block_bytes),
        workspace_(FileWindow(&file.file(), ThreadReads::kMostAtOnce)) {}

  // Calls on_entry for each entry of a sound block. `info` is of that block.
  void Show(const BlockInfo& info, const Slice& contents,
            const BlockPlace& place);

 private:
  const InspectOptions& options_;
  const EmbeddedBlobs blobs_;
  BlobWorkspace workspace_;
  std::string key_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_EMBEDDED_BLOBS_H_
