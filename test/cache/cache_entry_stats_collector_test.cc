// Tests the collector of a cache's statistics: what its map has, and that a
// result is kept and shared.

#include "ashlar/cache/cache_entry_stats_collector.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "ashlar/cache/cache_options.h"

namespace ashlar::testing {
namespace {

using Collector = CacheEntryStatsCollector;
constexpr CacheItemOps kOps = {.role = CacheEntryRole::kIndexBlock,
                               .destroy = [](void* value, MemoryAllocator*) {
                                 delete static_cast<int*>(value);
                               }};
constexpr Collector::MaxAge kForEver = {.seconds = 1e9, .times_duration = 0};
constexpr Collector::MaxAge kNone = {.seconds = 0, .times_duration = 0};

std::shared_ptr<Cache> SomeCache() {
  LruCacheOptions options;
  options.capacity = 10'000;
  options.num_shard_bits = 0;
  options.metadata_charge_policy = CacheMetadataChargePolicy::kDontCharge;
  return std::move(NewLruCache(options)).value();
}

void Fill(const std::shared_ptr<Cache>& cache, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    const auto key = CacheKey::Temporary(1, static_cast<uint64_t>(i));
    ASSERT_TRUE(cache->Insert(key, new int(i), &kOps, 100).ok());
  }
}

TEST(CacheEntryStatsCollector, MapOfRoles) {
  const std::shared_ptr<Cache> cache = SomeCache();
  Fill(cache, 0, 25);
  Collector collector(cache);
  const auto map = Collector::ToMap(*collector.Get());
  EXPECT_EQ(map.at("capacity"), "10000");
  EXPECT_EQ(map.at("count.index-block"), "25");
  EXPECT_EQ(map.at("bytes.index-block"), "2500");
  EXPECT_EQ(map.at("percent.index-block"), "25.000000");
  EXPECT_EQ(map.at("count.data-block"), "0");
  EXPECT_EQ(map.at("secs_since_last_collection"), "0");
  EXPECT_TRUE(map.contains("secs_for_last_collection"));
  EXPECT_EQ(map.size(), 4 + 3 * kCacheEntryRoles);
}

TEST(CacheEntryStatsCollector, ResultIsKeptUntilItIsOld) {
  const std::shared_ptr<Cache> cache = SomeCache();
  Fill(cache, 0, 5);
  Collector collector(cache);
  const auto first = collector.Get(kForEver);
  Fill(cache, 5, 9);
  EXPECT_EQ(collector.Get(kForEver), first);
  EXPECT_EQ(first->stats.of(CacheEntryRole::kIndexBlock).count, 5u);
  const auto second = collector.Get(kNone);
  EXPECT_NE(second, first);
  EXPECT_EQ(second->stats.of(CacheEntryRole::kIndexBlock).count, 9u);
  EXPECT_EQ(collector.Get(kForEver), second);
}

TEST(CacheEntryStatsCollector, SharedByAllThatAskForACache) {
  const std::shared_ptr<Cache> cache = SomeCache();
  const auto mine = Collector::Of(cache);
  EXPECT_EQ(Collector::Of(cache), mine);
  const std::shared_ptr<Cache> other = SomeCache();
  const auto others = Collector::Of(other);
  EXPECT_NE(others, mine);
  EXPECT_NE(mine->Get()->cache_id, others->Get()->cache_id);
  std::vector<std::shared_ptr<const CollectedCacheEntryStats>> seen(4);
  std::vector<std::thread> threads;
  threads.reserve(seen.size());
  for (auto& result : seen) {
    threads.emplace_back([&] { result = Collector::Of(cache)->Get(kForEver); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : seen) EXPECT_EQ(result, seen[0]);
}

}  // namespace
}  // namespace ashlar::testing
