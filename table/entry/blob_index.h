// BlobIndex: a reference to a value that is stored elsewhere, in a blob file or
// in the table itself.
//
// The value of an entry of type kTypeBlobIndex is such a reference, and so is a
// wide column with is_blob_index.
//
//   blob file      For applications that read tables of a RocksDB with blob
//                  files: TableReader and Iterator return the bytes of the
//                  reference, and DecodeBlobIndex decodes them. Ashlar does not
//                  read blob files; the application fetches the value itself.
//   embedded blob  A table whose properties have kEmbeddedBlobStatsProperty
//                  stores some of its values itself, apart from their entries.
//                  TableReader and Iterator return these values, and show no
//                  reference. TableOptions::embedded_blob_options writes them.
//
// Plain values and pure functions: thread-safe.
#ifndef ASHLAR_TABLE_ENTRY_BLOB_INDEX_H_
#define ASHLAR_TABLE_ENTRY_BLOB_INDEX_H_

#include <cstdint>
#include <string>
#include <string_view>

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
// Appends the bytes of a blob index to *out. Of an index, the fields that its
// kind has are written.
ASHLAR_EXPORT void AppendBlobIndex(const BlobIndex& index, std::string* out);

// The user-collected property that only a table with embedded blobs has.
inline constexpr std::string_view kEmbeddedBlobStatsProperty =
    "rocksdb.embedded.blob.stats";

// What that property says.
struct EmbeddedBlobStats {
  uint64_t count = 0;  // how many blobs the table has
  uint64_t bytes = 0;  // their sizes together, without their trailers
};

// Decodes the property's value into *stats. Returns Corruption if it is none.
ASHLAR_EXPORT Status DecodeEmbeddedBlobStats(const Slice& value,
                                             EmbeddedBlobStats* stats);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_ENTRY_BLOB_INDEX_H_
