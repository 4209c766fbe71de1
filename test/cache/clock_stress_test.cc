// The hyper clock cache under many threads: its capacity limits at every step,
// and all its counts at the end. The cache's destructor asserts that no tag, no
// passed count and no charge is left.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <random>
#include <thread>
#include <vector>

#include "cache/clock/clock_cache.h"
#include "port/sanitizers.h"

namespace ashlar::internal {
namespace {

constexpr int kThreads = 16;
constexpr CacheItemOps kNoOps{};

constexpr int kRounds = internal::kUnderThreadSanitizer ? 500 : 5000;

std::shared_ptr<Cache> Make(HyperClockCacheOptions options) {
  options.metadata_charge_policy = CacheMetadataChargePolicy::kDontCharge;
  options.hash_seed = 11;
  return std::move(NewHyperClockCache(options)).value();
}

template <typename Body>
void OnEachThread(Body body) {
  std::vector<std::jthread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([=] { body(t); });
}

CacheKey KeyOf(uint64_t n) { return {n * 0x9e3779b97f4a7c15, n}; }

TEST(ClockStress, UsageExceedsTheCapacityByWhatIsInFlight) {
  constexpr size_t kEntry = 64 << 10;
  constexpr size_t kCapacity = 16 << 20;
  const auto cache =
      Make({.capacity = kCapacity, .estimated_entry_charge = kEntry});
  std::atomic<size_t> most{0};
  OnEachThread([&](int t) {
    size_t seen = 0;
    for (int i = 0; i < kRounds; ++i) {
      const auto n =
          static_cast<uint64_t>(t) * kRounds + static_cast<uint64_t>(i);
      CacheHandle* handle = nullptr;
      ASSERT_TRUE(cache
                      ->Insert(KeyOf(n), nullptr, &kNoOps, kEntry,
                               i % 2 == 0 ? &handle : nullptr)
                      .ok());
      seen = std::max(seen, cache->GetUsage());
      if (handle != nullptr) cache->Release(handle);
    }
    size_t before = most.load();
    while (before < seen && !most.compare_exchange_weak(before, seen)) {
    }
  });
  // Each thread may hold one more entry while it checks.
  EXPECT_LE(most.load(), kCapacity + kThreads * kEntry);
  EXPECT_LE(cache->GetUsage(), kCapacity);
  EXPECT_GE(cache->GetUsage(), kCapacity * 9 / 10);
  EXPECT_EQ(cache->GetUsage(), cache->GetOccupancyCount() * kEntry);
}

TEST(ClockStress, AStrictLimitIsNeverExceeded) {
  constexpr size_t kCapacity = 1 << 20;
  const auto cache = Make({.capacity = kCapacity,
                           .estimated_entry_charge = 4096,
                           .strict_capacity_limit = true});
  std::atomic<int> refused{0};
  // Each thread keeps its entries until all threads are done. So together they
  // ask for more than the capacity, however they are scheduled.
  std::latch at_the_end(kThreads);
  OnEachThread([&](int t) {
    std::mt19937_64 random(static_cast<uint64_t>(t));
    std::vector<CacheHandle*> held;
    for (int i = 0; i < kRounds; ++i) {
      CacheHandle* handle;
      const Status s = cache->Insert(KeyOf(random() % 2000), nullptr, &kNoOps,
                                     1 + random() % 9000, &handle);
      EXPECT_LE(cache->GetUsage(), kCapacity);
      if (s.ok()) {
        held.push_back(handle);
      } else {
        EXPECT_TRUE(s.IsMemoryLimit());
        refused.fetch_add(1);
      }
      while (held.size() > 20) {
        cache->Release(held.front());
        held.erase(held.begin());
      }
    }
    at_the_end.arrive_and_wait();
    for (CacheHandle* const handle : held) cache->Release(handle);
  });
  EXPECT_GT(refused.load(), 0);
  EXPECT_EQ(cache->GetPinnedUsage(), 0U);
}

// More threads insert than there are slots, and several insert the same key.
TEST(ClockStress, ATableOfFewSlots) {
  const auto cache = Make({.capacity = 14 * 4, .estimated_entry_charge = 8});
  ASSERT_EQ(cache->GetTableAddressCount(), kSlotsPerGroup);
  OnEachThread([&](int t) {
    std::mt19937_64 random(static_cast<uint64_t>(t));
    Cache::SlotHint hint = Cache::kNoSlotHint;
    for (int i = 0; i < kRounds; ++i) {
      const CacheKey key = KeyOf(random() % 24);
      CacheHandle* handle = nullptr;
      switch (random() % 6) {
        case 0:
          ASSERT_TRUE(cache->Insert(key, nullptr, &kNoOps, 4, &handle).ok());
          ASSERT_NE(handle, nullptr);
          break;
        case 1:
          ASSERT_TRUE(cache->Insert(key, nullptr, &kNoOps, 4).ok());
          break;
        case 2:
          cache->Erase(key);
          break;
        default:
          handle = cache->Lookup(key, &hint);
      }
      if (handle == nullptr) continue;
      if (random() % 4 == 0) {
        ASSERT_TRUE(cache->Ref(handle));
        cache->Release(handle);
      }
      cache->Release(handle, random() % 8 == 0);
    }
  });
  EXPECT_EQ(cache->GetPinnedUsage(), 0U);
  cache->EraseUnRefEntries();
  EXPECT_EQ(cache->GetUsage(), 0U);
  EXPECT_EQ(cache->GetOccupancyCount(), 0U);
}

}  // namespace
}  // namespace ashlar::internal
