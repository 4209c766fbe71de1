// BlobIndex: a reference to a value that is stored elsewhere, mostly in a blob
// file.
//
// The value of an entry of type kTypeBlobIndex is such a reference, and so is a
// wide column with is_blob_index. For applications that read tables of a
// RocksDB with blob files: TableReader and Iterator return the bytes of the
// reference, and DecodeBlobIndex decodes them. Ashlar does not read blob files;
// the application fetches the value itself.
//
// Plain values and pure functions: thread-safe.
#ifndef ASHLAR_TABLE_ENTRY_BLOB_INDEX_H_
#define ASHLAR_TABLE_ENTRY_BLOB_INDEX_H_

#include <cstdint>

#include "ashlar/util/compression.h"
#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

struct BlobIndex {
  enum class Kind : uint8_t {
    kInlinedTtl = 0,  // no reference: the value itself, with an expiry time
    kBlob = 1,        // a reference
    kBlobTtl = 2,     // a reference, with an expiry time
  };
  Kind kind = Kind::kBlob;
  // kInlinedTtl and kBlobTtl only: when the value expires, in seconds since
  // 1970.
  uint64_t expiration = 0;
  // kInlinedTtl only: the value. It points into the bytes that were decoded,
  // and lives as long as they do.
  Slice inlined_value;
  // kBlob and kBlobTtl only: where the value is. File number 0 is the table's
  // own file.
  uint64_t file_number = 0;
  uint64_t offset = 0;  // of the value in that file, in bytes
  uint64_t size = 0;    // of the value as stored, in bytes
  // How the value is compressed: the byte as stored, which is not checked.
  CompressionType compression = CompressionType::kNoCompression;
};

// Decodes the value of a blob index entry or column into *index, which is
// overwritten. Returns Corruption if the bytes are no blob index; what *index
// then has means nothing.
ASHLAR_EXPORT Status DecodeBlobIndex(const Slice& value, BlobIndex* index);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_ENTRY_BLOB_INDEX_H_
