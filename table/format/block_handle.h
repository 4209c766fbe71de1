// BlockHandle: where a block is in the file.
//
// Used by everything that reads or writes blocks. A plain value: thread-safe to
// read.
#ifndef ASHLAR_TABLE_FORMAT_BLOCK_HANDLE_H_
#define ASHLAR_TABLE_FORMAT_BLOCK_HANDLE_H_

#include <cstdint>
#include <string>

#include "ashlar/table/block_kind.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

// Size of the trailer after every block: type byte and checksum.
inline constexpr uint64_t kBlockTrailerSize = kBlockTrailerBytes;

// The largest block that readers accept by default
// (ReaderOptions::max_uncompressed_block_bytes).
inline constexpr uint64_t kMostReadableBlockBytes = uint64_t{1} << 30;

struct BlockHandle {
  uint64_t offset = 0;
  uint64_t size = 0;  // without the trailer

  // Returns whether this is (0, 0), which in a metaindex means "no such block".
  bool IsNull() const { return offset == 0 && size == 0; }
  // Returns where the trailer ends, and so mostly where the next block begins.
  uint64_t End() const { return offset + size + kBlockTrailerSize; }
  // Returns whether block and trailer are within [0, limit). Handles any
  // values, also those whose sum would wrap around.
  bool FitsBelow(uint64_t limit) const {
    return limit >= kBlockTrailerSize && size <= limit - kBlockTrailerSize &&
           offset <= limit - kBlockTrailerSize - size;
  }

  // Appends the encoded handle to *out.
  void AppendTo(std::string* out) const {
    AppendVarint64(out, offset);
    AppendVarint64(out, size);
  }
  // Decodes a handle from the front of the bytes. Returns false if there is
  // none.
  [[nodiscard]] bool DecodeFrom(Decoder* bytes) {
    return bytes->Varint64(&offset) && bytes->Varint64(&size);
  }

  friend bool operator==(const BlockHandle&, const BlockHandle&) = default;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FORMAT_BLOCK_HANDLE_H_
