// H64: the 64-bit hash by which filters store keys.
//
// Used once per key when a filter is built and when it is asked. It must never
// change: its values are in files. It is a preview of XXH3 with a changed empty
// case. So no xxHash library computes it, and block checksums use the final
// XXH3 instead. See FORMAT.md, "The hash H64". Pure: thread-safe.

#ifndef ASHLAR_UTIL_HASH_FILTER_HASH_H_
#define ASHLAR_UTIL_HASH_FILTER_HASH_H_

#include <cstddef>
#include <cstdint>

#include "util/coding/coding.h"

namespace ashlar::internal {

namespace filter_hash {

inline constexpr uint64_t kPrime32First = 0x9E3779B1;
inline constexpr uint64_t kPrime64Second = 0xC2B2AE3D27D4EB4F;
inline constexpr uint64_t kPrime64Third = 0x165667B19E3779F9;
// The first sixteen bytes of the secret.
inline constexpr uint64_t kSecretWord0 = 0xBE4BA423396CFEB8;
inline constexpr uint64_t kSecretWord8 = 0x1CAD21F72C81017C;

// Returns both halves of the 128-bit product, XORed, so that no bit of it is
// lost.
inline uint64_t FoldedProduct(uint64_t a, uint64_t b) {
  __extension__ using Uint128 = unsigned __int128;
  const Uint128 product = static_cast<Uint128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t Avalanche(uint64_t h) {
  h ^= h >> 37;
  h *= kPrime64Third;
  return h ^ (h >> 32);
}

inline uint64_t Of4To8(const char* data, size_t n) {
  const uint64_t word =
      LoadFixed32(data) |
      (static_cast<uint64_t>(LoadFixed32(data + n - 4)) << 32);
  const uint64_t keyed = word ^ kSecretWord0;
  const uint64_t mixed = n + (keyed ^ (keyed >> 51)) * kPrime32First;
  return Avalanche((mixed ^ (mixed >> 47)) * kPrime64Second);
}

inline uint64_t Of9To16(const char* data, size_t n) {
  const uint64_t a = LoadFixed64(data) ^ kSecretWord0;
  const uint64_t b = LoadFixed64(data + n - 8) ^ kSecretWord8;
  return Avalanche(n + a + b + FoldedProduct(a, b));
}

// Lengths 0 to 3, and 17 and above. Not inline.
uint64_t OfOtherLengths(const char* data, size_t n);

}  // namespace filter_hash

inline uint64_t FilterHash(const char* data, size_t n) {
  if (n - 9 <= 16 - 9) return filter_hash::Of9To16(data, n);
  if (n - 4 <= 8 - 4) return filter_hash::Of4To8(data, n);
  return filter_hash::OfOtherLengths(data, n);
}

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_HASH_FILTER_HASH_H_
