// CRC-32C (Castagnoli), by the CPU's own instruction if it has one.
//
// Used for block checksums of type kCRC32c. Pure functions: thread-safe. Not
// cryptographic, and not the CRC-32 of zlib.

#ifndef ASHLAR_UTIL_HASH_CRC32C_H_
#define ASHLAR_UTIL_HASH_CRC32C_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ashlar::internal {

// Returns the CRC of A || data, where `crc` is the CRC of A (0 if A is empty).
uint32_t Crc32cExtend(uint32_t crc, const char* data, size_t n);

inline uint32_t Crc32c(const char* data, size_t n) {
  return Crc32cExtend(0, data, n);
}

// Returns the form of a CRC that files store. A CRC over bytes that contain
// their own CRC is weak, so the stored one is masked.
constexpr uint32_t MaskCrc32c(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

// Returns what Crc32cExtend runs on here: "sse4.2", "armv8" or "portable".
std::string_view Crc32cPath();

// The two ways to compute it, for tests. Requires for the second:
// HasCrc32cHardware().
uint32_t Crc32cExtendPortable(uint32_t crc, const char* data, size_t n);
uint32_t Crc32cExtendHardware(uint32_t crc, const char* data, size_t n);
bool HasCrc32cHardware();

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_HASH_CRC32C_H_
