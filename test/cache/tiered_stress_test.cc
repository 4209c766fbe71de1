// Threads that do everything at once with a cache and its second tier. The test
// counts and does not measure time. For `make tsan`.

#include <gtest/gtest.h>

#include <deque>
#include <thread>
#include <vector>

#include "ashlar/cache/tiered_cache.h"
#include "test/cache/cache_makers.h"
#include "test/cache/saved_values.h"
#include "test/cache/slow_tier.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

constexpr uint64_t kThreads = 4;
constexpr uint64_t kSteps = 1500;
constexpr size_t kCharge = 1000;

class Worker {
 public:
  Worker(TieredCache* cache, SecondaryCache* tier, uint64_t keys, uint64_t seed)
      : cache_(*cache), tier_(*tier), keys_(keys), random_(seed) {}

  void Run() {
    for (uint64_t step = 0; step < kSteps; ++step) Step();
    for (CacheHandle* const handle : held_) cache_.Release(handle);
    held_.clear();
  }
  const CountedValues& values() const { return values_; }
  uint64_t found() const { return found_; }

 private:
  CacheKey DrawKey() { return TestKey(random_.Below(keys_)); }

  void Step() {
    const uint64_t n = random_.Below(100);
    if (n < 50) return Read();
    if (n < 65) return ReadBatch();
    if (n < 85) return Insert();
    if (n < 90) return cache_.Erase(DrawKey());
    if (n < 95) return Release();
    if (n == 95) return tier_.SetCapacity(random_.Below(8) * 4000);
    if (n == 96) return cache_.SetCapacity(random_.Below(16) * kCharge);
    if (n == 97) return static_cast<void>(cache_.Report());
    if (n == 98) return cache_.EraseUnRefEntries();
    EXPECT_LE(tier_.GetUsage(), size_t{64} << 10);
  }
  void Take(CacheHandle* handle, const CacheKey& key) {
    if (handle == nullptr) return;
    ++found_;
    EXPECT_EQ(CountedValue::Of(handle)->key, key);
    EXPECT_EQ(CountedValue::Of(handle)->times_ended.load(), 0);
    held_.push_back(handle);
    if (held_.size() > 3 || random_.OneIn(2)) Release();
  }
  void Read() {
    const CacheKey key = DrawKey();
    CacheHandle* handle = cache_.Lookup(key);
    if (handle == nullptr) {
      handle = cache_.LookupSecondary(key, &kSavedOps, &create_);
    }
    Take(handle, key);
  }
  void ReadBatch() {
    std::vector<CacheKey> keys(random_.Below(40));
    for (CacheKey& key : keys) key = DrawKey();
    std::vector<CacheHandle*> handles(keys.size());
    cache_.LookupBatch(keys, handles.data());
    cache_.LookupSecondaryBatch(keys, &kSavedOps, &create_, handles.data());
    for (size_t i = 0; i < keys.size(); ++i) Take(handles[i], keys[i]);
  }
  void Insert() {
    CountedValue* const value = values_.Make(DrawKey(), kCharge);
    CacheHandle* handle = nullptr;
    const bool holds = random_.OneIn(3);
    ASSERT_TRUE(cache_
                    .Insert(value->key, value, &kSavedOps, kCharge,
                            holds ? &handle : nullptr)
                    .ok());
    if (holds) Take(handle, value->key);
  }
  void Release() {
    if (held_.empty()) return;
    cache_.Release(held_.front(), random_.OneIn(4));
    held_.pop_front();
  }

  TieredCache& cache_;
  SecondaryCache& tier_;
  const uint64_t keys_;
  Random random_;
  CountedValues values_;
  CreateCounted create_ = {.values = &values_};
  std::deque<CacheHandle*> held_;
  uint64_t found_ = 0;
};

class TieredStress : public ::testing::TestWithParam<CacheMaker> {
 protected:
  static void Run(size_t entries, uint64_t keys,
                  const std::shared_ptr<SecondaryCache>& tier,
                  const std::function<void()>& meanwhile = {}) {
    auto cache = NewTieredCache(
                     {.primary = GetParam()({.capacity = entries * kCharge}),
                      .secondary = tier,
                      .adm_policy = TieredAdmissionPolicy::kAdmPolicyAllowAll})
                     .value();
    std::deque<Worker> workers;
    for (uint64_t i = 0; i < kThreads; ++i) {
      workers.emplace_back(cache.get(), tier.get(), keys, 1000 + i);
    }
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (Worker& worker : workers) {
      threads.emplace_back([&worker] { worker.Run(); });
    }
    if (meanwhile) meanwhile();
    for (std::thread& thread : threads) thread.join();
    // The tier may have failed during all of that. It no longer fails now.
    workers.front().Run();
    EXPECT_EQ(cache->GetPinnedUsage(), 0u);
    EXPECT_EQ(cache->GetUsage(), cache->GetOccupancyCount() * kCharge);
    const TieredCacheStats stats = cache->GetStats();
    EXPECT_EQ(stats.evictions, stats.demotions + stats.touches +
                                   stats.not_admitted + stats.failures);
    EXPECT_GT(stats.hits, 0u);
    EXPECT_EQ(stats.damaged, 0u);
    EXPECT_LE(tier->GetUsage(), tier->GetCapacity());
    cache.reset();
    for (const Worker& worker : workers) {
      EXPECT_GT(worker.found(), 0u);
      EXPECT_TRUE(worker.values().EachEndedOnce());
    }
  }
};

std::shared_ptr<SecondaryCache> Compressed(int bits) {
  return NewCompressedSecondaryCache(
             {.capacity = 20000, .num_shard_bits = bits})
      .value();
}

TEST_P(TieredStress, Compressed) { Run(16, 64, Compressed(1)); }

TEST_P(TieredStress, OneEntryHasRoom) { Run(1, 8, Compressed(0)); }

TEST_P(TieredStress, ResultsArriveAsTheyLike) {
  const auto tier = std::make_shared<SlowTier>();
  Run(8, 64, tier, [&tier] {
    Random random(1);
    constexpr Arrival kArrivals[] = {Arrival::kAtOnce, Arrival::kOnWait,
                                     Arrival::kLater};
    for (int i = 0; i < 2000; ++i) {
      tier->arrival = random.Pick(kArrivals);
      tier->insert_fails = random.OneIn(4);
      tier->lookup_fails = random.OneIn(4);
      std::this_thread::yield();
    }
    tier->arrival = Arrival::kLater;
    tier->insert_fails = false;
    tier->lookup_fails = false;
  });
  EXPECT_EQ(tier->results_alive, 0);
}

INSTANTIATE_TEST_SUITE_P(Each, TieredStress,
                         ::testing::ValuesIn(AllCacheMakers()), CacheMakerName);

}  // namespace
}  // namespace ashlar::testing
