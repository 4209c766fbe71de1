// BlobEmbedder: stores large values of a table that is being built apart from
// their entries.
//
// Data flow, once per entry, before it is decided whether the current data
// block ends. A value, or a column of an entity, that has min_blob_size bytes
// or more is appended to the file at once. The entry gets a reference in place
// of it (table/entry/blob_index.h). So blobs come before the data block that
// refers to them, and the blob of the entry that ends a block before it comes
// before that block, as in RocksDB's files.
//
// The offset of a blob is part of its entry, and so of the size of the block.
// It must be known when the entry is added: all blocks before it must have
// their place. So a table with embedded blobs has no compression ring. Blocks
// that wait for a dictionary have no place yet, and may come after the blobs of
// later blocks.
//
// Used by the table builder. One thread at a time.
#ifndef ASHLAR_TABLE_WRITE_BLOB_EMBEDDER_H_
#define ASHLAR_TABLE_WRITE_BLOB_EMBEDDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/table/entry/blob_index.h"
#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/internal_key.h"
#include "ashlar/table/options.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/write/block_sink.h"

namespace ashlar::internal {

class BlobEmbedder {
 public:
  // Requires: `sink` outlives this.
  BlobEmbedder(const EmbeddedBlobOptions& options, BlockSink* sink)
      : min_blob_size_(options.min_blob_size), sink_(*sink) {}

  // Returns the tail that the key of this entry is stored with: that of a
  // reference, if its value is stored apart.
  uint64_t TailOf(uint64_t tail, const Slice& value) const {
    const bool apart =
        (tail & kTypeMask) == static_cast<uint64_t>(ValueType::kTypeValue) &&
        value.size() >= min_blob_size_;
    return apart ? (tail & ~kTypeMask) |
                       static_cast<uint64_t>(ValueType::kTypeBlobIndex)
                 : tail;
  }
  // Stores the value apart if `whole`; else columns of an entity that are to be
  // stored so. `tail` is that of the key. Changes *value to that of the entry
  // as stored, which lives until the next call. Returns the error of the file.
  Status Embed(uint64_t tail, bool whole, Slice* value);

  const EmbeddedBlobStats& stats() const { return stats_; }
  // Returns how many bytes of the file blobs and their trailers take.
  uint64_t file_bytes() const {
    return stats_.bytes + stats_.count * kBlockTrailerBytes;
  }

 private:
  static constexpr uint64_t kTypeMask = 0xff;

  Status EmbedColumns(Slice* entity);
  // Stores one blob, and appends a reference to it to *reference.
  Status Append(const Slice& blob, std::string* reference);

  const uint64_t min_blob_size_;
  BlockSink& sink_;
  EmbeddedBlobStats stats_;
  std::string stored_;  // the value of the last entry, as stored
  // Kept for their memory.
  std::vector<WideColumn> columns_;
  std::vector<std::string> references_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_BLOB_EMBEDDER_H_
