#include "ashlar/cache/hash/key_hash.h"

#include "port/random_word.h"

namespace ashlar::internal {

HashSeed MakeHashSeed(uint64_t seed) {
  while (seed == 0) seed = port::RandomWord();
  constexpr uint64_t kA = 0x9e3779b97f4a7c15;
  constexpr uint64_t kB = 0xd1b54a32d192ed03;
  const uint64_t a = KeyHash({seed, 0}, {kA, kB});
  return {a, KeyHash({seed, 1}, {a, kB})};
}

}  // namespace ashlar::internal
