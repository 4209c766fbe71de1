// BlockHandle: where a block lies in the file.
#ifndef ASHLAR_TABLE_FORMAT_BLOCK_HANDLE_H_
#define ASHLAR_TABLE_FORMAT_BLOCK_HANDLE_H_

#include <cstdint>
#include <string>

#include "util/coding/coding.h"

namespace ashlar::internal {

// Type byte and checksum behind every block.
inline constexpr uint64_t kBlockTrailerSize = 5;

struct BlockHandle {
  uint64_t offset = 0;
  uint64_t size = 0;  // without the trailer

  // (0, 0) says "there is no such block" in a metaindex.
  bool IsNull() const { return offset == 0 && size == 0; }
  // Where the next block begins if nothing lies between.
  uint64_t End() const { return offset + size + kBlockTrailerSize; }
  // Whether block and trailer lie within [0, limit); wrap-around included.
  bool FitsBelow(uint64_t limit) const {
    return limit >= kBlockTrailerSize && size <= limit - kBlockTrailerSize &&
           offset <= limit - kBlockTrailerSize - size;
  }

  void AppendTo(std::string* out) const {
    AppendVarint64(out, offset);
    AppendVarint64(out, size);
  }
  // Takes a handle off the front of the bytes; false when there is none.
  [[nodiscard]] bool DecodeFrom(Decoder* bytes) {
    return bytes->Varint64(&offset) && bytes->Varint64(&size);
  }

  friend bool operator==(const BlockHandle&, const BlockHandle&) = default;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FORMAT_BLOCK_HANDLE_H_
