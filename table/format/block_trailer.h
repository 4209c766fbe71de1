// The trailer: the five bytes after every block.
//
//   block bytes [size] || u8 compression type || fixed32 checksum
//
// Used by the writers of blocks and by BlockSource. Pure functions:
// thread-safe.
#ifndef ASHLAR_TABLE_FORMAT_BLOCK_TRAILER_H_
#define ASHLAR_TABLE_FORMAT_BLOCK_TRAILER_H_

#include <cstdint>

#include "ashlar/util/checksum_type.h"
#include "ashlar/util/slice.h"
#include "util/coding/coding.h"
#include "util/hash/checksum.h"

namespace ashlar::internal {

// Returns what format versions 6 and later add to a checksum. By it an intact
// block at the wrong offset, or of another file, is found to be wrong. 0 if
// base is 0.
constexpr uint32_t ContextModifier(uint32_t base, uint64_t offset) {
  if (base == 0) return 0;
  return base ^
         (static_cast<uint32_t>(offset) + static_cast<uint32_t>(offset >> 32));
}

// Returns the checksum for a block of these bytes at `offset`.
inline uint32_t BlockChecksum(ChecksumType checksum, uint32_t base,
                              uint64_t offset, const Slice& block,
                              uint8_t compression_type) {
  return ChecksumWithLastByte(checksum, block.data(), block.size(),
                              compression_type) +
         ContextModifier(base, offset);
}

// Writes the five bytes of the trailer to `to`.
inline void EncodeTrailer(ChecksumType checksum, uint32_t base, uint64_t offset,
                          const Slice& block, uint8_t compression_type,
                          char* to) {
  *to = static_cast<char>(compression_type);
  StoreFixed32(to + 1,
               BlockChecksum(checksum, base, offset, block, compression_type));
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FORMAT_BLOCK_TRAILER_H_
