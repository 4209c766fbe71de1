// Admission under many threads. All threads insert, find, hold, erase and evict
// at once. The tables' FIFO and memory are too small for this and are replaced
// meanwhile. At the end every count must be exact. For `make tsan`. The cache's
// destructor asserts that nothing is left on probation.

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "cache/clock/clock_cache.h"
#include "port/sanitizers.h"
#include "test/cache/cache_fixture.h"

namespace ashlar::internal {
namespace {

using testing::TestKey;

constexpr CacheItemOps kNoOps{};
constexpr int kThreads = 8;
constexpr int kSteps = internal::kUnderThreadSanitizer ? 4000 : 40000;

template <typename ItsCache>
class AdmissionStress : public ::testing::Test {
 protected:
  static constexpr bool kGrows = std::is_same_v<ItsCache, GrowingClockCache>;

  static std::shared_ptr<Cache> Make(size_t capacity, int shard_bits) {
    const testing::CacheConfig config = {.capacity = capacity,
                                         .entry_charge = 5};
    return (kGrows ? testing::MakeAutoAdmission : testing::MakeAdmission)(
               config, shard_bits)
        .value();
  }

  // Compares the cache's counts with the state words of the slots.
  static void ExpectExactSums(const Cache& cache) {
    const auto& its = static_cast<const ItsCache&>(cache);
    const auto& index = its.settings().index;
    size_t in_words = 0;
    size_t counted = 0;
    const Admission* last = nullptr;
    for (size_t i = 0; i < index.slot_count(); ++i) {
      const ClockSlot& slot = index.slots()[i];
      const uint64_t word = slot.word.LoadRelaxed();
      if (slot::IsOnProbation(word)) in_words += slot.charged();
      const Admission* const admission = its.TableAt(&slot).admission();
      if (admission != last) counted += admission->bytes_on_probation();
      last = admission;
    }
    EXPECT_EQ(counted, in_words);
  }
};

using Caches = ::testing::Types<ClockCache, GrowingClockCache>;
TYPED_TEST_SUITE(AdmissionStress, Caches);

void DoAnything(Cache* cache, int thread) {
  std::mt19937_64 random(static_cast<uint64_t>(thread));
  std::vector<CacheHandle*> held;
  for (int i = 0; i < kSteps; ++i) {
    // Some keys come often, so that threads promote, find and erase them at
    // once.
    const uint64_t n = random() % 4 == 0 ? random() % 1000 : random() % 60;
    CacheHandle* handle = nullptr;
    const uint64_t drawn = random() % 64;
    if (drawn == 0) {
      cache->Erase(TestKey(n));
    } else if (drawn == 1 && thread == 0) {
      cache->SetCapacity(500 + random() % 1000);
    } else if (drawn == 2 && thread == 1 && i % 64 == 0) {
      cache->EraseUnRefEntries();
    } else if (handle = cache->Lookup(TestKey(n)); handle == nullptr) {
      const auto priority = static_cast<CachePriority>(random() % 3);
      ASSERT_TRUE(cache
                      ->Insert(TestKey(n), nullptr, &kNoOps, 1 + random() % 20,
                               drawn % 2 == 0 ? &handle : nullptr, priority)
                      .ok());
    }
    if (handle == nullptr) continue;
    if (drawn % 16 != 3) {
      cache->Release(handle, drawn % 32 == 5);
      continue;
    }
    held.push_back(handle);
    if (held.size() > 3) {
      cache->Release(held.front());
      held.erase(held.begin());
    }
  }
  for (CacheHandle* const handle : held) cache->Release(handle);
}

TYPED_TEST(AdmissionStress, AllAtOnce) {
  for (const int shard_bits : {0, 1}) {
    const auto cache = this->Make(1000, shard_bits);
    {
      std::vector<std::jthread> threads;
      threads.reserve(kThreads);
      for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] { DoAnything(cache.get(), t); });
      }
    }
    this->ExpectExactSums(*cache);
    EXPECT_EQ(cache->GetPinnedUsage(), 0U);
    cache->SetCapacity(300);
    EXPECT_LE(cache->GetUsage(), 300U);
    this->ExpectExactSums(*cache);
    cache->EraseUnRefEntries();
    EXPECT_EQ(cache->GetUsage(), 0U);
    EXPECT_EQ(cache->GetOccupancyCount(), 0U);
    this->ExpectExactSums(*cache);
  }
}

// The hot set survives scans by many threads.
TYPED_TEST(AdmissionStress, ScansByAllThreads) {
  constexpr uint64_t kHot = 100;
  const auto cache = this->Make(1000, 0);
  std::atomic<uint64_t> found{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937_64 random(static_cast<uint64_t>(t));
        uint64_t hits = 0;
        for (int i = 0; i < kSteps; ++i) {
          const uint64_t hot = random() % kHot;
          const auto scanned = static_cast<uint64_t>(t + 1) * 1'000'000 +
                               static_cast<uint64_t>(i);
          for (const uint64_t n : {hot, scanned}) {
            CacheHandle* const handle = cache->Lookup(TestKey(n));
            if (handle != nullptr) {
              cache->Release(handle);
              ++hits;
            } else {
              ASSERT_TRUE(cache->Insert(TestKey(n), nullptr, &kNoOps, 5).ok());
            }
          }
        }
        found.fetch_add(hits);
      });
    }
  }
  EXPECT_GT(found.load(), uint64_t{kThreads} * kSteps * 8 / 10);
  this->ExpectExactSums(*cache);
  EXPECT_LE(cache->GetUsage(), 1000U);
}

}  // namespace
}  // namespace ashlar::internal
