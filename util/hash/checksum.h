// The 32-bit checksum of a block or footer, by algorithm.
//
// Used by whoever writes or checks block trailers and footers. What format
// version 6 adds for the place in the file is not here: that belongs to the
// trailer. Pure functions: thread-safe.

#ifndef ASHLAR_UTIL_HASH_CHECKSUM_H_
#define ASHLAR_UTIL_HASH_CHECKSUM_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ashlar/util/checksum_type.h"

namespace ashlar::internal {

// Of the n bytes at `data` followed by `last_byte`, without needing them side
// by side. For blocks `last_byte` is the compression type.
uint32_t ChecksumWithLastByte(ChecksumType type, const char* data, size_t n,
                              uint8_t last_byte);

// Of a whole string, whose own last byte takes the part of `last_byte`: the
// rule for footers. An empty string has XXH3 checksum 0.
uint32_t Checksum(ChecksumType type, const char* data, size_t n);

// What XXH3 runs on here: "avx512", "avx2", "sse2", "neon" or "portable".
std::string_view Xxh3Path();

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_HASH_CHECKSUM_H_
