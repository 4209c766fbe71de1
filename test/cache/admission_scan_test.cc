// How much of a hot set survives scans: with admission, without it, and in the
// LRU cache. Nothing here depends on time or chance.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "test/cache/cache_makers.h"
#include "test/cache/counted_values.h"

namespace ashlar::internal {
namespace {

using testing::CacheMaker;
using testing::TestKey;

constexpr CacheItemOps kNoOps{};
constexpr size_t kEntries = 1000;
constexpr size_t kHot = 700;
constexpr double kSkew = 0.6;

// Draws keys of the hot set by Zipf's law. The skew is small enough that a few
// keys do not make up nearly all accesses.
class HotKeys {
 public:
  HotKeys() {
    double sum = 0;
    for (size_t i = 0; i < kHot; ++i) {
      sum += std::pow(static_cast<double>(i + 1), -kSkew);
      sums_.push_back(sum);
    }
  }
  uint64_t Next() {
    const double drawn = static_cast<double>(random_() >> 11) * 0x1.0p-53;
    const auto at =
        std::lower_bound(sums_.begin(), sums_.end() - 1, drawn * sums_.back());
    return static_cast<uint64_t>(at - sums_.begin());
  }

 private:
  std::mt19937_64 random_{99};
  std::vector<double> sums_;
};

bool Access(Cache* cache, uint64_t n) {
  CacheHandle* const found = cache->Lookup(TestKey(n));
  if (found != nullptr) {
    cache->Release(found);
    return true;
  }
  EXPECT_TRUE(cache->Insert(TestKey(n), nullptr, &kNoOps, 1).ok());
  return false;
}

// Returns the hit ratio of the hot set from the first scan on. A round begins
// with 10 * kEntries accesses to the hot set. In its second half the same
// number of accesses alternates with a scan over new blocks, each of which is
// accessed `touches` times. There are no scans if `touches` is 0.
double HitRatio(const CacheMaker& maker, int touches) {
  constexpr int kRounds = 4;
  const auto cache = maker({.capacity = kEntries, .entry_charge = 1});
  HotKeys hot;
  uint64_t scanned = kHot;
  size_t hits = 0;
  size_t all = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < 20 * kEntries; ++i) {
      const bool hit = Access(cache.get(), hot.Next());
      if (round == 0 && i < 10 * kEntries) continue;
      hits += hit ? 1 : 0;
      ++all;
      const bool scans = i >= 10 * kEntries;
      if (!scans || touches == 0) continue;
      for (int t = 0; t < touches; ++t) Access(cache.get(), scanned);
      ++scanned;
    }
  }
  return static_cast<double>(hits) / static_cast<double>(all);
}

class AdmissionScan : public ::testing::TestWithParam<CacheMaker> {};

INSTANTIATE_TEST_SUITE_P(
    Each, AdmissionScan,
    ::testing::Values(
        CacheMaker{"Admission", testing::MakeAdmission, 0},
        CacheMaker{"Admission4Shards", testing::MakeAdmission, 2},
        CacheMaker{"AutoAdmission", testing::MakeAutoAdmission, 0},
        CacheMaker{"AutoAdmission4Shards", testing::MakeAutoAdmission, 2}),
    testing::CacheMakerName);

TEST_P(AdmissionScan, TheHotSetStays) {
  const double without = HitRatio(GetParam(), 0);
  for (const int touches : {1, 2, 4}) {
    EXPECT_GE(HitRatio(GetParam(), touches), 0.95 * without) << touches;
  }
}

// Without this, the test above would prove nothing.
TEST(AdmissionScan, TheHotSetGoesWithoutAdmission) {
  const CacheMaker clock = {"Clock", testing::MakeClock, 0};
  EXPECT_LE(HitRatio(clock, 1), 0.95 * HitRatio(clock, 0));
  const CacheMaker lru = {"Lru", testing::MakeLru, 0};
  EXPECT_LE(HitRatio(lru, 1), 0.95 * HitRatio(lru, 0));
}

}  // namespace
}  // namespace ashlar::internal
