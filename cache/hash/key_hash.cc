#include "cache/hash/key_hash.h"

#include <random>

namespace ashlar::internal {

HashSeed MakeHashSeed(uint64_t seed) {
  constexpr uint64_t kOddA = 0x9e3779b97f4a7c15;
  constexpr uint64_t kOddB = 0xd1b54a32d192ed03;
  while (seed == 0) {
    std::random_device random;
    seed = uint64_t{random()} << 32 | random();
  }
  // Multiplied until every bit of the seed is in either word.
  const uint64_t mixed = MultiplyFold(seed ^ kOddB, kOddA);
  return {MultiplyFold(mixed, kOddB) | 1, MultiplyFold(seed, kOddA) ^ mixed};
}

}  // namespace ashlar::internal
