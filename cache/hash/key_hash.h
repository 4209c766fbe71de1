// KeyHash: 64 bits of a cache key, by a seed of the cache.
//
// Keys of blocks differ in few bits of one word, low or high ones, in steps;
// users' own keys may count in either. Products folded twice spread all of
// these as random numbers spread, which a test measures. Once leaves,
// for one seed in a few hundred, most blocks of a file in a few heaps. Keys are
// compared in full where hashes meet. Pure.
#ifndef ASHLAR_CACHE_HASH_KEY_HASH_H_
#define ASHLAR_CACHE_HASH_KEY_HASH_H_

#include <cstdint>

#include "ashlar/cache/cache_key.h"

namespace ashlar::internal {

struct HashSeed {
  uint64_t a = 0;
  uint64_t b = 0;
};

// 0: from the system's source of random numbers.
HashSeed MakeHashSeed(uint64_t seed);

// The upper and lower word of the product, so that every bit of x has a say in
// low bits and in high ones.
constexpr uint64_t MultiplyFold(uint64_t x, uint64_t y) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(x) * y;
  return static_cast<uint64_t>(product >> 64) ^ static_cast<uint64_t>(product);
}

constexpr uint64_t KeyHash(const CacheKey& key, const HashSeed& seed) {
  // Odd, half of the bits set; nothing else is asked of them.
  constexpr uint64_t kBoth = 0x94d049bb133111eb;
  return MultiplyFold(MultiplyFold(key.file ^ seed.a, key.block ^ seed.b),
                      kBoth);
}

// The hash as a number below n, by its upper bits.
constexpr uint64_t ScaleHash(uint64_t hash, uint64_t n) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>(hash) * n) >> 64);
}

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_HASH_KEY_HASH_H_
