// EmbeddedBlobs: follows references to values that the table file stores
// itself, apart from their entries.
//
// A table announces them by the property kEmbeddedBlobStatsProperty. A blob is
// stored like an uncompressed block: its bytes, the type byte 0, a checksum.
// It is among the data blocks, before the block with the entry. An entry refers
// to it by a blob index of file number 0. A column of an entity may be one too.
//
//   entry as stored               entry as reads show it
//   blob index of file 0          a put of the blob's bytes
//   entity with such columns      the entity with the columns' values
//   any other entry               as it is stored
//
// Data flow. The read that meets an entry asks MayRefer, which looks at the
// type alone, and then Resolve. Resolve decodes the reference and checks it,
// before it takes memory for the blob: it must be within the blocks of the
// file, not be compressed, and be no larger than the reader's limit for blocks.
// Then the blob is read, and compared with its checksum.
//
// Blobs do not go into the block cache (docs/decisions.md, 101).
//
// Used by every kind of read, and by inspections that show entries. A reader
// has one, which any number of threads may use, each with a ResolvedValue of
// its own.
#ifndef ASHLAR_TABLE_BLOB_EMBEDDED_BLOBS_H_
#define ASHLAR_TABLE_BLOB_EMBEDDED_BLOBS_H_

#include <cstdint>
#include <string>
#include <utility>

#include "ashlar/table/entry/blob_index.h"
#include "ashlar/table/internal_key.h"
#include "ashlar/table/read_options.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/load/block_source.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

// An entry whose references were followed. Kept between entries, for its
// memory. Not to be moved: the value may point into it.
class ResolvedValue {
 public:
  ResolvedValue() = default;
  ResolvedValue(const ResolvedValue&) = delete;
  ResolvedValue& operator=(const ResolvedValue&) = delete;

  // Returns whether any reference was followed. False: the entry is to be shown
  // as it is stored, and the next two mean nothing.
  bool followed() const { return followed_; }
  ValueType type() const { return type_; }
  const Slice& value() const { return value_; }
  // Returns whether the value is in this object. Else it is in the window that
  // it was read through.
  bool owns() const { return owns_; }
  // Returns the bytes of memory that it has.
  uint64_t room() const { return bytes_.room() + entity_.capacity(); }

 private:
  friend class EmbeddedBlobs;
  bool followed_ = false;
  bool owns_ = false;
  ValueType type_ = ValueType::kTypeValue;
  Slice value_;
  Buffer bytes_;
  std::string entity_;
};

// What a walk over entries follows references with, kept between entries.
struct BlobWorkspace {
  explicit BlobWorkspace(FileWindow window_in) : window(std::move(window_in)) {}

  FileWindow window;
  ResolvedValue value;
};

class EmbeddedBlobs {
 public:
  // Requires: `source` outlives this.
  EmbeddedBlobs(const BlockSource* source, uint64_t max_blob_bytes)
      : source_(*source), max_blob_bytes_(max_blob_bytes) {}

  // Returns whether an entry of this type may have references.
  static bool MayRefer(ValueType type) {
    return type == ValueType::kTypeBlobIndex ||
           type == ValueType::kTypeWideColumnEntity;
  }
  // Returns whether the index refers to an embedded blob.
  static bool IsEmbedded(const BlobIndex& index) {
    return index.kind != BlobIndex::Kind::kInlinedTtl && index.file_number == 0;
  }
  // Returns Corruption if no embedded blob can be what this index says.
  // Messages name the blob by `place`, which is where the index says that it
  // is.
  static Status CheckIndex(const BlobIndex& index, const BlockPlace& place);

  // Follows the references of an entry. Reads small blobs through `window`,
  // unless that is null; the value then lives until the window is used again.
  // Returns Corruption if a reference or its blob is damaged, also if the blob
  // is larger than the limit (kAboveSizeLimit), and the errors of the file.
  // Messages name entry and blob, and not the file. *resolved is overwritten.
  Status Resolve(const Slice& internal_key, const Slice& value,
                 const ReadOptions& options, FileWindow* window,
                 ResolvedValue* resolved) const;

 private:
  Status ResolveBlobIndex(const Slice& value, const ReadOptions& options,
                          FileWindow* window, ResolvedValue* resolved) const;
  Status Read(const BlobIndex& index, const ReadOptions& options,
              FileWindow* window, Buffer* scratch, Slice* payload) const;
  Status ResolveEntity(const Slice& entity, const ReadOptions& options,
                       FileWindow* window, ResolvedValue* resolved) const;

  const BlockSource& source_;
  const uint64_t max_blob_bytes_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BLOB_EMBEDDED_BLOBS_H_
