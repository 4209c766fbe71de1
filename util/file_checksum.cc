#include "ashlar/util/file_checksum.h"

#include "util/hash/crc32c.h"

namespace ashlar {

uint32_t ExtendFileChecksum(uint32_t checksum, const Slice& data) {
  return internal::Crc32cExtend(checksum, data.data(), data.size());
}

}  // namespace ashlar
