// The checksum of a whole file, beside those that a table has for its blocks.
//
// CRC32C, as RocksDB's FileChecksumGenCrc32c computes it and its manifests
// keep it: there as 4 bytes, big-endian. A pure function: thread-safe.
#ifndef ASHLAR_UTIL_FILE_CHECKSUM_H_
#define ASHLAR_UTIL_FILE_CHECKSUM_H_

#include <cstdint>

#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"

namespace ashlar {

// Of what came before, which has `checksum` (nothing: 0), and `data`.
ASHLAR_EXPORT uint32_t ExtendFileChecksum(uint32_t checksum, const Slice& data);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_FILE_CHECKSUM_H_
