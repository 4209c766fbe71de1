// KeyHash: 64 bits of a cache key, by a seed of the cache.
//
// One multiplication: keys are compared in full where hashes meet, so it need
// only spread them. Keys of blocks differ in the low bits of one word and are
// random in the other; with a random seed so is either factor. Pure.
#ifndef ASHLAR_CACHE_HASH_KEY_HASH_H_
#define ASHLAR_CACHE_HASH_KEY_HASH_H_

#include <cstdint>

#include "cache/cache_key.h"

namespace ashlar::internal {

struct HashSeed {
  uint64_t a = 0;
  uint64_t b = 0;
};

// The upper and lower word of the product, folded.
constexpr uint64_t MultiplyFold(uint64_t x, uint64_t y) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(x) * y;
  return static_cast<uint64_t>(product >> 64) ^ static_cast<uint64_t>(product);
}

// 0: from the system's source of random numbers.
HashSeed MakeHashSeed(uint64_t seed);

constexpr uint64_t KeyHash(const CacheKey& key, const HashSeed& seed) {
  return MultiplyFold(key.file ^ seed.a, key.block ^ seed.b);
}

// The hash as a number below n, by its upper bits.
constexpr uint64_t ScaleHash(uint64_t hash, uint64_t n) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>(hash) * n) >> 64);
}

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_HASH_KEY_HASH_H_
