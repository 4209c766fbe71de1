// KeyHash: 64 bits of a cache key, by the seed of a cache.
//
// Internal, installed as a part of FifoCache. All caches use it.
//
// The keys of blocks differ in few bits of one word, high or low ones, in
// steps. An application's own keys may count up in either word. Two folded
// products spread all of these like random numbers, which a test measures. One
// product would, for one seed in a few hundred, put most blocks of a file into
// a few buckets. Tables compare whole keys if hashes are equal. Pure functions:
// thread-safe. Not cryptographic.
#ifndef ASHLAR_CACHE_HASH_KEY_HASH_H_
#define ASHLAR_CACHE_HASH_KEY_HASH_H_

#include <cstdint>

#include "ashlar/cache/cache_key.h"

namespace ashlar::internal {

struct HashSeed {
  uint64_t a = 0;
  uint64_t b = 0;
};

// Returns the seed of a cache, made of `seed`. 0: a random one, from the
// operating system.
HashSeed MakeHashSeed(uint64_t seed);

// Returns the upper and the lower word of the product x * y, XORed. So every
// bit of x affects both low and high bits.
constexpr uint64_t MultiplyFold(uint64_t x, uint64_t y) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(x) * y;
  return static_cast<uint64_t>(product >> 64) ^ static_cast<uint64_t>(product);
}

// Returns the hash of the key.
constexpr uint64_t KeyHash(const CacheKey& key, const HashSeed& seed) {
  // An odd number with half of its bits set. Nothing else is needed of it.
  constexpr uint64_t kBoth = 0x94d049bb133111eb;
  return MultiplyFold(MultiplyFold(key.file ^ seed.a, key.block ^ seed.b),
                      kBoth);
}

// Returns a number below n that is made of the upper bits of the hash.
constexpr uint64_t ScaleHash(uint64_t hash, uint64_t n) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>(hash) * n) >> 64);
}

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_HASH_KEY_HASH_H_
