// GrowingChecksum: the checksum of a block whose end is not known.
//
// The block's bytes are added piece by piece, and after each piece the checksum
// can be asked for, as if the block ended there. So one pass over the bytes
// tries every end. Thread-compatible.
#ifndef ASHLAR_UTIL_HASH_GROWING_CHECKSUM_H_
#define ASHLAR_UTIL_HASH_GROWING_CHECKSUM_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ashlar/util/checksum_type.h"

namespace ashlar::internal {

class GrowingChecksum {
 public:
  explicit GrowingChecksum(ChecksumType type);
  GrowingChecksum(const GrowingChecksum&) = delete;
  GrowingChecksum& operator=(const GrowingChecksum&) = delete;
  ~GrowingChecksum();

  // Begins another block.
  void Reset();
  void Add(const char* data, size_t n);
  // Returns what ChecksumWithLastByte returns for all bytes added so far.
  uint32_t WithLastByte(uint8_t last_byte) const;

 private:
  struct States;

  const ChecksumType type_;
  uint32_t crc_ = 0;
  std::unique_ptr<States> states_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_HASH_GROWING_CHECKSUM_H_
