// H32: the 32-bit hash that is stored in files.
//
// Hash indexes of data blocks and legacy Bloom filters place keys by it, each
// with a seed of its own. It must never change: its values are in files. See
// FORMAT.md, "Hash index". Pure: thread-safe.
#ifndef ASHLAR_UTIL_HASH_HASH32_H_
#define ASHLAR_UTIL_HASH_HASH32_H_

#include <cstddef>
#include <cstdint>

#include "ashlar/util/slice.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

inline uint32_t Hash32(const Slice& bytes, uint32_t seed) {
  constexpr uint32_t kFactor = 0xC6A4A793;
  const char* p = bytes.data();
  size_t left = bytes.size();
  uint32_t h = seed ^ (static_cast<uint32_t>(left) * kFactor);
  for (; left >= sizeof(uint32_t); left -= sizeof(uint32_t)) {
    h = (h + LoadFixed32(p)) * kFactor;
    h ^= h >> 16;
    p += sizeof(uint32_t);
  }
  if (left == 0) return h;
  // The last bytes are treated as signed numbers.
  for (size_t i = left; i > 0; --i) {
    h += static_cast<uint32_t>(static_cast<signed char>(p[i - 1]))
         << (8 * (i - 1));
  }
  h *= kFactor;
  return h ^ (h >> 24);
}

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_HASH_HASH32_H_
