// Keys of any pattern fill groups, tags and shards like random numbers.

#include "ashlar/cache/hash/key_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace ashlar::internal {
namespace {

constexpr size_t kKeys = 20000;
constexpr size_t kGroups = 2000;
constexpr int kRoomOfGroup = 14;

using Pattern = CacheKey (*)(uint64_t i, const CacheKey& random);

// The random parts change with the seed.
const Pattern kPatterns[] = {
    [](uint64_t i, const CacheKey& r) { return r.AtOffset(i * 4096); },
    [](uint64_t i, const CacheKey& r) { return r.AtOffset(i * 4133); },
    [](uint64_t i, const CacheKey& r) { return r.AtOffset(i * 16384 + 5); },
    [](uint64_t i, const CacheKey& r) {
      const uint64_t file = i / 1000;
      return CacheKey{r.file ^ file << 50, r.block}.AtOffset(i % 1000 * 8200);
    },
    [](uint64_t i, const CacheKey&) {
      return CacheKey{i, 0};
    },
    [](uint64_t i, const CacheKey&) {
      return CacheKey{0, i};
    },
    [](uint64_t i, const CacheKey&) {
      return CacheKey{i * 4096, 0};
    },
    [](uint64_t i, const CacheKey&) {
      return CacheKey{0, i << 40};
    },
    [](uint64_t i, const CacheKey&) {
      return CacheKey{i, i};
    },
    [](uint64_t i, const CacheKey&) {
      return CacheKey{i / 100, i % 100};
    },
};

// Returns the fraction of keys whose group is full.
double Overflow(const std::vector<int>& groups) {
  int over = 0;
  for (const int n : groups) over += std::max(0, n - kRoomOfGroup);
  return static_cast<double>(over) / kKeys;
}

// Returns the sum of the squared deviations per cell. It is about 1 for random
// keys.
template <size_t kCells>
double Unevenness(const std::array<int, kCells>& cells) {
  const double mean = static_cast<double>(kKeys) / kCells;
  double sum = 0;
  for (const int n : cells) sum += (n - mean) * (n - mean) / mean;
  return sum / kCells;
}

TEST(KeyHash, SpreadsEveryPattern) {
  std::mt19937_64 random(9);
  for (size_t p = 0; p < std::size(kPatterns); ++p) {
    for (int round = 0; round < 50; ++round) {
      const HashSeed seed = MakeHashSeed(random() | 1);
      const CacheKey start{random(), random()};
      std::vector<int> groups(kGroups);
      std::array<int, 256> tags{};
      std::array<int, 64> shards{};
      for (uint64_t i = 0; i < kKeys; ++i) {
        const uint64_t hash = KeyHash(kPatterns[p](i, start), seed);
        ++groups[ScaleHash(hash, kGroups)];
        ++tags[hash & 0xff];
        ++shards[hash >> 8 & 0x3f];
      }
      // 0.0185 on average for random keys.
      EXPECT_LT(Overflow(groups), 0.026) << p;
      EXPECT_LT(Unevenness(tags), 1.5) << p;
      EXPECT_LT(Unevenness(shards), 2.0) << p;
    }
  }
}

TEST(KeyHash, SeedsMakeAllTheDifference) {
  const CacheKey key{1, 2};
  EXPECT_EQ(KeyHash(key, MakeHashSeed(5)), KeyHash(key, MakeHashSeed(5)));
  EXPECT_NE(KeyHash(key, MakeHashSeed(5)), KeyHash(key, MakeHashSeed(6)));
  // Seed 0 stands for a random seed.
  EXPECT_NE(KeyHash(key, MakeHashSeed(0)), KeyHash(key, MakeHashSeed(0)));
}

}  // namespace
}  // namespace ashlar::internal
