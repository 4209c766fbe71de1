// The 32-bit checksum of a block or footer, by algorithm.
//
// Used by code that writes or checks block trailers and footers. What format
// version 6 adds for the position in the file is not here: that belongs to the
// trailer. Pure functions: thread-safe.

#ifndef ASHLAR_UTIL_HASH_CHECKSUM_H_
#define ASHLAR_UTIL_HASH_CHECKSUM_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ashlar/util/checksum_type.h"

namespace ashlar::internal {

// How much a last byte weighs when it is folded into an XXH3 checksum.
inline constexpr uint32_t kXxh3LastBytePrime = 0x6B9083D9;

// Returns the checksum of the n bytes at `data` followed by `last_byte`. The
// two need not be next to each other. For blocks, `last_byte` is the
// compression type.
uint32_t ChecksumWithLastByte(ChecksumType type, const char* data, size_t n,
                              uint8_t last_byte);

// Returns the checksum of n bytes, whose own last byte is treated as
// `last_byte`: this is the rule for footers. The XXH3 checksum of an empty
// string is 0.
uint32_t Checksum(ChecksumType type, const char* data, size_t n);

// Returns what XXH3 runs on here: "avx512", "avx2", "sse2", "neon" or
// "portable".
std::string_view Xxh3Path();

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_HASH_CHECKSUM_H_
