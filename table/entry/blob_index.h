// BlobIndex: a reference to a value that lies in another file, as entries of
// type kTypeBlobIndex and columns of entities hold it.
//
// Ashlar hands such references out; who has the blob files follows them. Pure
// functions: thread-safe.
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
    kBlob = 1,
    kBlobTtl = 2,
  };
  Kind kind = Kind::kBlob;
  // Seconds since 1970; of kInlinedTtl and kBlobTtl.
  uint64_t expiration = 0;
  // Of kInlinedTtl; lives as long as what was decoded.
  Slice inlined_value;
  // Of the others. File 0 is the table's own file.
  uint64_t file_number = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  CompressionType compression = CompressionType::kNoCompression;
};

// Corruption for what is no blob index.
ASHLAR_EXPORT Status DecodeBlobIndex(const Slice& value, BlobIndex* index);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_ENTRY_BLOB_INDEX_H_
