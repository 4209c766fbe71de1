// Threads that do everything at once with any cache. The test counts and does
// not measure time. A value that a thread finds is the right one and stays
// alive while the thread holds it. Limits hold all the time. At the end every
// sum is zero and every value was ended once. For `make tsan`.

#include <gtest/gtest.h>

#include <deque>
#include <thread>
#include <vector>

#include "test/cache/cache_makers.h"
#include "test/cache/counted_values.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

constexpr uint64_t kThreads = 4;
constexpr size_t kCharge = 1000;

struct Mix {
  const char* name;
  size_t entries = 64;  // capacity, in entries
  uint64_t keys = 128;
  uint64_t steps = 2000;
  bool strict = false;
  bool resize = false;
  size_t most_held = 4;  // by one thread
  // Percentages of steps. The remaining steps are walks over all entries and
  // the like.
  uint64_t inserts = 30;
  uint64_t holding_inserts = 10;
  uint64_t erases = 8;
};

class Worker {
 public:
  Worker(Cache* cache, const Mix& mix, uint64_t seed)
      : cache_(cache), mix_(mix), random_(seed) {}

  void Run() {
    for (uint64_t step = 0; step < mix_.steps; ++step) {
      Step();
      if (held_.size() > mix_.most_held) Release();
      if (step % 8 == 0) CheckLimit();
    }
    while (!held_.empty()) Release();
  }

  const CountedValues& values() const { return values_; }

 private:
  void Step() {
    uint64_t n = random_.Below(100);
    const auto below = [&n](uint64_t share) {
      if (n < share) return true;
      n -= share;
      return false;
    };
    if (below(mix_.inserts)) return Insert(nullptr);
    if (below(mix_.holding_inserts)) {
      CacheHandle* handle = nullptr;
      return Insert(&handle);
    }
    if (below(mix_.erases)) return cache_->Erase(DrawKey());
    if (below(4)) return CreateStandalone();
    if (below(4)) return LookupBatch();
    if (below(4)) return Ref();
    if (below(10)) return Release();
    if (below(1)) return Rarely();
    Lookup();
  }

  void Rarely() {
    switch (random_.Below(4)) {
      case 0:
        return cache_->EraseUnRefEntries();
      case 1:
        EXPECT_LE(cache_->GetPinnedUsage(), Limit() + mix_.entries * kCharge);
        return;
      case 2:
        if (!mix_.resize) return;
        return cache_->SetCapacity(kCharge * random_.Below(mix_.entries));
      default:
        cache_->ForEachEntry([](const CacheEntryView& entry) {
          CheckAlive(CountedValue::Of(entry.value), entry.key);
        });
    }
  }

  CacheKey DrawKey() { return TestKey(random_.Below(mix_.keys)); }

  // ended_with is not atomic, so TSan reports a race if the value is ended
  // meanwhile.
  static void CheckAlive(const CountedValue* value, const CacheKey& key) {
    EXPECT_EQ(value->ended_with, nullptr);
    EXPECT_EQ(value->times_ended.load(std::memory_order_relaxed), 0);
    EXPECT_EQ(value->key, key);
  }
  void Hold(CacheHandle* handle, const CacheKey& key) {
    CheckAlive(CountedValue::Of(handle), key);
    held_.push_back(handle);
  }

  void Insert(CacheHandle** handle) {
    CountedValue* const value = values_.Make(DrawKey(), kCharge);
    const Status status =
        cache_->Insert(value->key, value, &kCountedOps, kCharge, handle,
                       static_cast<CachePriority>(random_.Below(3)));
    if (!status.ok()) {
      EXPECT_TRUE(status.IsMemoryLimit());
      EXPECT_TRUE(mix_.strict && handle != nullptr && *handle == nullptr);
      EndCounted(value, nullptr);
    } else if (handle != nullptr) {
      EXPECT_EQ(CountedValue::Of(*handle), value);
      Hold(*handle, value->key);
    }
  }

  void CreateStandalone() {
    CountedValue* const value = values_.Make(DrawKey(), kCharge);
    CacheHandle* const handle = cache_->CreateStandalone(
        value->key, value, &kCountedOps, kCharge, random_.OneIn(2));
    if (handle == nullptr) return EndCounted(value, nullptr);
    Hold(handle, value->key);
  }

  void Lookup() {
    const CacheKey key = DrawKey();
    CacheHandle* const handle =
        cache_->Lookup(key, random_.OneIn(2) ? &hint_ : nullptr);
    if (handle == nullptr) return;
    Hold(handle, key);
    if (random_.OneIn(2)) Release();
  }

  void LookupBatch() {
    std::vector<CacheKey> keys(random_.Below(40));
    for (CacheKey& key : keys) key = DrawKey();
    std::vector<CacheHandle*> found(keys.size());
    cache_->LookupBatch(keys, found.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      if (found[i] == nullptr) continue;
      CheckAlive(CountedValue::Of(found[i]), keys[i]);
      cache_->Release(found[i], random_.OneIn(8));
    }
  }

  void Ref() {
    if (held_.empty()) return;
    CacheHandle* const handle = held_[random_.Below(held_.size())];
    EXPECT_TRUE(cache_->Ref(handle));
    held_.push_back(handle);
  }

  void Release() {
    if (held_.empty()) return;
    CacheHandle*& chosen = held_[random_.Below(held_.size())];
    CacheHandle* const handle = chosen;
    chosen = held_.back();
    held_.pop_back();
    CountedValue* const value = CountedValue::Of(handle);
    CheckAlive(value, value->key);
    const bool ended = cache_->Release(handle, random_.OneIn(4));
    // No other thread can have held it then.
    if (ended) {
      EXPECT_EQ(value->times_ended, 1);
    }
  }

  size_t Limit() const {
    const size_t capacity = mix_.entries * kCharge;
    // A batch holds many entries for a moment; other steps hold a few each.
    return mix_.strict ? capacity
                       : capacity + kThreads * (mix_.most_held + 42) * kCharge;
  }
  void CheckLimit() { EXPECT_LE(cache_->GetUsage(), Limit()); }

  Cache* const cache_;
  const Mix mix_;
  Random random_;
  CountedValues values_;
  std::vector<CacheHandle*> held_;
  Cache::SlotHint hint_ = Cache::kNoSlotHint;
};

class CacheStress : public ::testing::TestWithParam<CacheMaker> {
 protected:
  static void Run(const Mix& mix, bool destroy_full = false) {
    SCOPED_TRACE(mix.name);
    std::shared_ptr<Cache> cache =
        GetParam()({.capacity = mix.entries * kCharge, .strict = mix.strict});
    cache->SetEvictionCallback(
        [](const CacheKey& key, const CacheHandle& entry, bool) {
          CountedValue* const value = CountedValue::Of(&entry);
          EXPECT_EQ(value->key, key);
          if (value->id % 8 != 0) return false;
          EndCounted(value, nullptr);  // the callback took the value
          return true;
        });
    std::deque<Worker> workers;
    for (uint64_t i = 0; i < kThreads; ++i) {
      workers.emplace_back(cache.get(), mix, 1000 + i);
    }
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (Worker& worker : workers) {
      threads.emplace_back([&worker] { worker.Run(); });
    }
    for (std::thread& thread : threads) thread.join();

    EXPECT_EQ(cache->GetPinnedUsage(), 0u);
    EXPECT_EQ(cache->GetUsage(), cache->GetOccupancyCount() * kCharge);
    if (!destroy_full) {
      cache->EraseUnRefEntries();
      EXPECT_EQ(cache->GetUsage(), 0u);
      EXPECT_EQ(cache->GetOccupancyCount(), 0u);
    }
    cache.reset();
    for (const Worker& worker : workers) {
      EXPECT_TRUE(worker.values().EachEndedOnce());
    }
  }
};

TEST_P(CacheStress, Everything) { Run({.name = "everything"}); }

TEST_P(CacheStress, DestroyedFull) {
  Run({.name = "destroyed full", .erases = 1}, /*destroy_full=*/true);
}

TEST_P(CacheStress, StrictLimit) {
  Run({.name = "strict", .entries = 24, .strict = true, .most_held = 8});
}

TEST_P(CacheStress, CapacityChanges) {
  Run({.name = "resized", .resize = true});
}

// No thread keeps what it inserts, and all threads insert and erase the same
// few keys.
TEST_P(CacheStress, BlindInsertsOfFewKeys) {
  Run({.name = "blind",
       .keys = 4,
       .inserts = 50,
       .holding_inserts = 0,
       .erases = 25});
}

// Threads insert more than the cache has room for.
TEST_P(CacheStress, FewEntriesHaveRoom) {
  Run({.name = "tiny", .entries = 4, .keys = 32, .holding_inserts = 40});
}

INSTANTIATE_TEST_SUITE_P(Each, CacheStress,
                         ::testing::ValuesIn(AllCacheMakers()), CacheMakerName);

}  // namespace
}  // namespace ashlar::testing
