// The growing table under many threads. No split hides an inserted entry from a
// lookup, and all counts are right at the end. For `make tsan`. The cache's
// destructor asserts that no word and no count is left.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "cache/clock/clock_cache.h"
#include "port/sanitizers.h"
#include "test/cache/cache_fixture.h"

namespace ashlar::internal {
namespace {

using testing::CountedValue;
using testing::TestKey;

constexpr uint64_t kEntries = internal::kUnderThreadSanitizer ? 3000 : 20000;
constexpr int kRounds = internal::kUnderThreadSanitizer ? 3 : 10;

// The clock advances by one second per call.
std::atomic<uint32_t> moments = 0;
uint32_t NextMoment() {
  return moments.fetch_add(1, std::memory_order_relaxed);
}

class GrowingStress : public testing::CacheFixture {
 protected:
  void MakeCache(size_t capacity, int shard_bits = 0) {
    TearDown();
    cache_ =
        testing::MakeAutoClock(
            {.capacity = capacity, .entry_charge = 1, .age_clock = NextMoment},
            shard_bits)
            .value();
  }
};

constexpr CacheItemOps kNoOps{};
constexpr uint64_t kWriters = 3;
constexpr uint64_t kReaders = 3;

// Returns the keys of one writer, numbered from 0.
CacheKey KeyOf(uint64_t writer, uint64_t n) {
  return TestKey(n * kWriters + writer);
}

TEST_F(GrowingStress, NothingThatWasPutInIsHidden) {
  for (int round = 0; round < kRounds; ++round) {
    MakeCache(size_t{1} << 34, round % 2);
    std::array<std::atomic<uint64_t>, kWriters> done{};
    std::vector<std::jthread> threads;
    for (uint64_t w = 0; w < kWriters; ++w) {
      threads.emplace_back([&, w] {
        for (uint64_t n = 0; n < kEntries; ++n) {
          CacheHandle* handle = nullptr;
          ASSERT_TRUE(cache_
                          ->Insert(KeyOf(w, n), nullptr, &kNoOps, 1,
                                   n % 2 == 0 ? &handle : nullptr)
                          .ok());
          if (handle != nullptr) cache_->Release(handle);
          done[w].store(n + 1, std::memory_order_release);
        }
      });
    }
    for (uint64_t r = 0; r < kReaders; ++r) {
      threads.emplace_back([&, r] {
        std::mt19937_64 random(r);
        for (uint64_t seen = 0; seen < kEntries;) {
          const uint64_t w = random() % kWriters;
          seen = done[w].load(std::memory_order_acquire);
          if (seen == 0) continue;
          // Recent keys more often: they are being moved.
          const uint64_t n =
              seen - 1 - random() % std::min<uint64_t>(seen, 500);
          CacheHandle* const found = cache_->Lookup(KeyOf(w, n));
          ASSERT_NE(found, nullptr) << n << " of " << seen;
          cache_->Release(found);
        }
      });
    }
    threads.clear();
    EXPECT_EQ(cache_->GetOccupancyCount(), kWriters * kEntries);
    EXPECT_EQ(cache_->GetUsage(), kWriters * kEntries);
    for (uint64_t w = 0; w < kWriters; ++w) {
      for (uint64_t n = 0; n < kEntries; ++n) {
        CacheHandle* const found = cache_->Lookup(KeyOf(w, n));
        ASSERT_NE(found, nullptr);
        cache_->Release(found);
      }
    }
    cache_.reset();
  }
}

// Few keys and many, with and without handles. Threads erase, evict and walk
// over them, while the capacity changes between one entry and many.
TEST_F(GrowingStress, EverythingWhileItGrows) {
  constexpr uint64_t kThreads = 6;
  constexpr uint64_t kSteps = kEntries;
  MakeCache(size_t{kThreads * kSteps});
  std::vector<CountedValue*> fresh;
  std::mt19937_64 keys(5);
  for (uint64_t i = 0; i < kThreads * kSteps; ++i) {
    fresh.push_back(Make(i % 4 == 0 ? keys() % 64 : keys() % (4 * kSteps), 1));
  }
  std::vector<std::jthread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(t);
      std::vector<CacheHandle*> held;
      Cache::SlotHint hint = Cache::kNoSlotHint;
      for (uint64_t i = 0; i < kSteps; ++i) {
        CountedValue* const value = fresh[t * kSteps + i];
        const uint64_t drawn = random();
        CacheHandle* handle = nullptr;
        ASSERT_TRUE(cache_
                        ->Insert(value->key, value, &testing::kCountedOps, 1,
                                 drawn % 4 == 0 ? &handle : nullptr)
                        .ok());
        if (handle != nullptr) held.push_back(handle);
        CacheHandle* const found =
            cache_->Lookup(fresh[random() % fresh.size()]->key,
                           drawn % 8 == 1 ? &hint : nullptr);
        if (found != nullptr) {
          EXPECT_EQ(CountedValue::Of(found)->times_ended, 0);
          held.push_back(found);
        }
        if (drawn % 16 == 2) cache_->Erase(value->key);
        if (drawn % 4096 == 3) cache_->EraseUnRefEntries();
        if (drawn % 2048 == 4) {
          cache_->SetCapacity(drawn % 4 == 0 ? 1 : kThreads * kSteps);
        }
        if (drawn % 4096 == 5) {
          cache_->ForEachEntry([](const CacheEntryView& entry) {
            EXPECT_EQ(CountedValue::Of(entry.value)->key, entry.key);
            EXPECT_GT(entry.age_seconds, 0U);
            EXPECT_LE(entry.age_seconds, moments.load());
          });
        }
        while (held.size() > 8) {
          cache_->Release(held.front(), drawn % 32 == 6);
          held.erase(held.begin());
        }
      }
      for (CacheHandle* const handle : held) cache_->Release(handle);
    });
  }
  threads.clear();
  EXPECT_EQ(cache_->GetUsage(), cache_->GetOccupancyCount());
}

// More concurrent inserts than free slots.
TEST_F(GrowingStress, MoreThreadsThanSlotsLeft) {
  cache_ =
      testing::MakeAutoClock({.capacity = 100000, .entry_charge = 100000}, 0)
          .value();
  std::vector<std::jthread> threads;
  for (uint64_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      std::vector<CacheHandle*> held;
      for (uint64_t i = 0; i < kEntries; ++i) {
        CacheHandle* handle = nullptr;
        ASSERT_TRUE(cache_
                        ->Insert(TestKey(t * kEntries + i), nullptr, &kNoOps, 1,
                                 &handle)
                        .ok());
        held.push_back(handle);
        // Together the threads hold more entries than the table's thousand.
        if (held.size() > 250) {
          cache_->Release(held.front(), i % 2 == 0);
          held.erase(held.begin());
        }
      }
      for (CacheHandle* const handle : held) cache_->Release(handle);
    });
  }
  threads.clear();
  EXPECT_EQ(cache_->GetPinnedUsage(), 0u);
}

}  // namespace
}  // namespace ashlar::internal
