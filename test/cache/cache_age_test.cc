// Ages of entries, one by one and by role, and the table that reports them.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "test/cache/cache_fixture.h"

namespace ashlar::testing {
namespace {

uint32_t now = 0;
uint32_t Now() { return now; }

class CacheAge : public AnyCache {
 protected:
  void MakeCache(size_t capacity = 100 * kCharge) {
    AnyCache::MakeCache({.capacity = capacity, .age_clock = Now});
  }
  void PutAt(uint32_t time, uint64_t n,
             const CacheItemOps* ops = &kCountedOps) {
    now = time;
    ASSERT_TRUE(cache_->Insert(TestKey(n), Make(n), ops, kCharge).ok());
  }
  std::map<CacheKey, uint32_t> Ages() {
    std::map<CacheKey, uint32_t> ages;
    cache_->ForEachEntry([&ages](const CacheEntryView& entry) {
      ages[entry.key] = entry.age_seconds;
    });
    return ages;
  }
};

TEST_P(CacheAge, IsTheTimeSinceTheInsert) {
  MakeCache();
  PutAt(1000, 1);
  PutAt(1007, 2);
  now = 1050;
  EXPECT_NE(Find(1), nullptr);
  now = 1100;
  EXPECT_EQ(Ages(), (std::map<CacheKey, uint32_t>{{TestKey(1), 100},
                                                  {TestKey(2), 93}}));
  cache_->Erase(TestKey(1));
  PutAt(1100, 1);
  now = 1110;
  EXPECT_EQ(Ages(), (std::map<CacheKey, uint32_t>{{TestKey(1), 10},
                                                  {TestKey(2), 103}}));
}

TEST_P(CacheAge, TheClockMayBeginAnywhere) {
  MakeCache();
  for (const uint32_t start : {UINT32_MAX - 5, (1U << 24) - 3, 0U}) {
    PutAt(start, 1);
    now += 20;
    EXPECT_EQ(Ages()[TestKey(1)], 20U);
    cache_->Erase(TestKey(1));
  }
}

TEST_P(CacheAge, TheSystemsClockIsThereWithoutOne) {
  AnyCache::MakeCache();
  Put(1);
  EXPECT_LT(Ages()[TestKey(1)], 10'000U);
}

// The self-sizing caches grow meanwhile and move the first entries.
TEST_P(CacheAge, IsRightWhileTheTableGrows) {
  constexpr uint64_t kThere = 2000;
  MakeCache(100'000 * kCharge);
  uint64_t next = 0;
  for (; next < kThere; ++next) {
    PutAt(7 + static_cast<uint32_t>(next), next);
  }
  const uint32_t last = now;
  std::map<CacheKey, uint32_t> ages;
  cache_->ForEachEntry([&](const CacheEntryView& entry) {
    EXPECT_TRUE(ages.emplace(entry.key, entry.age_seconds).second);
    if (next < 5 * kThere) PutAt(last, next++);
  });
  for (uint64_t n = 0; n < next; ++n) {
    const auto shown = ages.find(TestKey(n));
    if (shown == ages.end()) {
      EXPECT_GE(n, kThere);
    } else {
      EXPECT_EQ(shown->second, n < kThere ? last - 7 - n : 0) << n;
    }
  }
}

TEST_P(CacheAge, IsCountedByRole) {
  static constexpr CacheItemOps kIndex = {CacheEntryRole::kIndexBlock,
                                          EndCounted, CountedSize};
  constexpr uint32_t kEnd = 10'000'000;
  MakeCache();
  uint64_t n = 0;
  for (const uint32_t bound : kCacheAgeBounds) {
    PutAt(kEnd - bound + 1, n++);
    PutAt(kEnd - bound, n++);
  }
  PutAt(kEnd - 30, n++, &kIndex);
  PutAt(kEnd - 40, n++, &kIndex);
  now = kEnd;
  const CacheEntryStats stats = cache_->CollectEntryStats();
  using Counts = std::array<uint64_t, 8>;
  EXPECT_EQ(stats.of(CacheEntryRole::kDataBlock).by_age,
            (Counts{1, 2, 2, 2, 2, 2, 2, 1}));
  EXPECT_EQ(stats.of(CacheEntryRole::kDataBlock).oldest_seconds, 604'800U);
  EXPECT_EQ(stats.of(CacheEntryRole::kIndexBlock).by_age,
            (Counts{0, 2, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(stats.of(CacheEntryRole::kIndexBlock).oldest_seconds, 40U);
  EXPECT_EQ(stats.of(CacheEntryRole::kMisc).by_age, Counts{});
}

INSTANTIATE_TEST_SUITE_P(Each, CacheAge, ::testing::ValuesIn(AllCacheMakers()),
                         CacheMakerName);

TEST(CacheEntryStats, AreATableForTheOperator) {
  CacheEntryStats stats;
  EXPECT_EQ(stats.ToString(), "no entries\n");
  CacheEntryStats::Of& data =
      stats.by_role[static_cast<size_t>(CacheEntryRole::kDataBlock)];
  data = {.count = 1000,
          .bytes = 4'096'000,
          .charge = 4'200'000,
          .by_age = {250, 747, 3, 0, 0, 0, 0, 0},
          .oldest_seconds = 119};
  CacheEntryStats::Of& index =
      stats.by_role[static_cast<size_t>(CacheEntryRole::kIndexBlock)];
  index = {.count = 2,
           .bytes = 10,
           .charge = 20,
           .by_age = {0, 0, 0, 0, 1, 0, 0, 1},
           .oldest_seconds = 12 * 86'400};
  EXPECT_EQ(
      stats.ToString(),
      "role            entries        bytes       charge  < 10 s < 1 min "
      "<10 min   < 1 h   < 6 h   < 1 d   < 1 w   older  oldest\n"
      "DataBlock          1000      4096000      4200000    25 %    74 %  "
      "  <1 %       -       -       -       -       -   119 s\n"
      "IndexBlock            2           10           20       -       -  "
      "     -       -    50 %       -       -    50 %    12 d\n");
}

}  // namespace
}  // namespace ashlar::testing
