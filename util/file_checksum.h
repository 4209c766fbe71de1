// The checksum of a whole file. A table also has checksums of its blocks.
//
// It is the CRC32C that RocksDB's FileChecksumGenCrc32c computes. RocksDB's
// manifests store it as 4 bytes, big-endian. For applications that move or
// verify files. A pure function: thread-safe. Not the checksum of a block
// trailer, which is masked.
#ifndef ASHLAR_UTIL_FILE_CHECKSUM_H_
#define ASHLAR_UTIL_FILE_CHECKSUM_H_

#include <cstdint>

#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"

namespace ashlar {

// Returns the checksum of all bytes so far followed by `data`. `checksum` is
// that of the bytes so far: 0 for none.
ASHLAR_EXPORT uint32_t ExtendFileChecksum(uint32_t checksum, const Slice& data);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_FILE_CHECKSUM_H_
