#include "cache/hash/key_hash.h"

#include <random>

namespace ashlar::internal {

HashSeed MakeHashSeed(uint64_t seed) {
  while (seed == 0) {
    std::random_device random;
    seed = uint64_t{random()} << 32 | random();
  }
  const uint64_t a = KeyHash({seed, 0}, {});
  return {a, KeyHash({seed, 1}, {.a = a})};
}

}  // namespace ashlar::internal
