// The five bytes behind every block: compression type and checksum.
//
//   block bytes [size] || u8 compression type || fixed32 checksum
#ifndef ASHLAR_TABLE_FORMAT_BLOCK_TRAILER_H_
#define ASHLAR_TABLE_FORMAT_BLOCK_TRAILER_H_

#include <cstdint>

#include "ashlar/util/checksum_type.h"
#include "ashlar/util/slice.h"
#include "util/coding/coding.h"
#include "util/hash/checksum.h"

namespace ashlar::internal {

// What versions 6 and later add to a checksum, so that an intact block at the
// wrong place, or of another file, does not pass. 0 when base is 0.
constexpr uint32_t ContextModifier(uint32_t base, uint64_t offset) {
  if (base == 0) return 0;
  return base ^
         (static_cast<uint32_t>(offset) + static_cast<uint32_t>(offset >> 32));
}

// The checksum that belongs behind a block of these bytes at `offset`.
inline uint32_t BlockChecksum(ChecksumType checksum, uint32_t base,
                              uint64_t offset, const Slice& block,
                              uint8_t compression_type) {
  return ChecksumWithLastByte(checksum, block.data(), block.size(),
                              compression_type) +
         ContextModifier(base, offset);
}

// Writes the five bytes at `to`.
inline void EncodeTrailer(ChecksumType checksum, uint32_t base, uint64_t offset,
                          const Slice& block, uint8_t compression_type,
                          char* to) {
  *to = static_cast<char>(compression_type);
  StoreFixed32(to + 1,
               BlockChecksum(checksum, base, offset, block, compression_type));
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FORMAT_BLOCK_TRAILER_H_
