// What cache.h promises of every cache: what it counts, how it enforces its
// limits, and what it shows of its entries.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "test/cache/cache_fixture.h"

namespace ashlar::testing {
namespace {

class CacheCapacity : public AnyCache {
 protected:
  static constexpr size_t kCapacity = 100 * kCharge;

  void MakeSmall(bool strict) {
    MakeCache({.capacity = kCapacity, .strict = strict});
  }
  // Pins enough entries to fill each shard.
  std::vector<CacheHandle*> PinMany() {
    std::vector<CacheHandle*> handles;
    for (uint64_t n = 0; n < 300; ++n) {
      handles.push_back(PutPinned(1000000 + n));
    }
    return handles;
  }
  void ReleaseAll(const std::vector<CacheHandle*>& handles) {
    for (CacheHandle* const handle : handles) cache_->Release(handle);
  }
};

TEST_P(CacheCapacity, UsageIsTheSumOfCharges) {
  MakeCache();
  EXPECT_EQ(cache_->GetUsage(), 0u);
  Put(1, 100);
  CacheHandle* const held = PutPinned(2, 20);
  EXPECT_EQ(cache_->GetUsage(), 120u);
  CacheHandle* const standalone = Standalone(3);
  EXPECT_EQ(cache_->GetUsage(), 120u + kCharge);
  cache_->Erase(TestKey(2));
  EXPECT_EQ(cache_->GetUsage(), 120u + kCharge);
  cache_->Release(held);
  EXPECT_EQ(cache_->GetUsage(), 100u + kCharge);
  cache_->Release(standalone);
  EXPECT_EQ(cache_->GetUsage(), 100u);
  cache_->Erase(TestKey(1));
  EXPECT_EQ(cache_->GetUsage(), 0u);
}

TEST_P(CacheCapacity, MetadataCountsByPolicy) {
  MakeCache({.policy = CacheMetadataChargePolicy::kFullCharge});
  CacheHandle* const held = PutPinned(1);
  const size_t overhead = cache_->GetUsage() - kCharge;
  EXPECT_GE(overhead, 64u);
  EXPECT_LE(overhead, 136u);
  EXPECT_EQ(held->charge(), kCharge);  // without the overhead
  EXPECT_EQ(cache_->GetPinnedUsage(), kCharge + overhead);
  cache_->Release(held);
  for (uint64_t n = 2; n < 50; ++n) Put(n);
  EXPECT_EQ(cache_->GetUsage(), 49 * (kCharge + overhead));
  CacheHandle* const standalone = Standalone(99);
  EXPECT_GT(cache_->GetUsage(), 49 * (kCharge + overhead) + kCharge);
  cache_->Release(standalone);
}

TEST_P(CacheCapacity, PinnedUsageIsOfWhatSomeoneRefersTo) {
  MakeCache();
  Put(1, 1);
  EXPECT_EQ(cache_->GetPinnedUsage(), 0u);
  CacheHandle* const one = PutPinned(2, 20);
  CacheHandle* const again = cache_->Lookup(TestKey(2));
  EXPECT_EQ(cache_->GetPinnedUsage(), 20u);
  CacheHandle* const standalone = Standalone(3);
  EXPECT_EQ(cache_->GetPinnedUsage(), 20u + kCharge);
  cache_->Erase(TestKey(2));
  cache_->Release(one);
  EXPECT_EQ(cache_->GetPinnedUsage(), 20u + kCharge);
  cache_->Release(again);
  EXPECT_EQ(cache_->GetPinnedUsage(), kCharge);
  cache_->Release(standalone);
  EXPECT_EQ(cache_->GetPinnedUsage(), 0u);
}

TEST_P(CacheCapacity, OccupancyCountsWhatLookupsCouldFind) {
  MakeCache();
  EXPECT_EQ(cache_->GetOccupancyCount(), 0u);
  Put(1);
  CacheHandle* const held = PutPinned(2);
  CacheHandle* const standalone = Standalone(3);
  EXPECT_EQ(cache_->GetOccupancyCount(), 2u);
  cache_->Erase(TestKey(2));
  EXPECT_EQ(cache_->GetOccupancyCount(), 2u);
  cache_->Release(held);
  EXPECT_EQ(cache_->GetOccupancyCount(), 1u);
  cache_->Release(standalone);
  EXPECT_EQ(cache_->GetOccupancyCount(), 1u);
  EXPECT_GE(cache_->GetTableAddressCount(), 1u);
  EXPECT_GE(cache_->GetTableBytes(),
            cache_->GetTableAddressCount() * sizeof(void*));
}

TEST_P(CacheCapacity, UnusedEntriesGoWhenThereIsNoRoom) {
  for (const bool strict : {false, true}) {
    MakeSmall(strict);
    for (uint64_t n = 0; n < 1000; ++n) {
      Put(n);
      EXPECT_LE(cache_->GetUsage(), kCapacity);
    }
    EXPECT_GE(cache_->GetUsage(), kCapacity / 2);
    EXPECT_EQ(values_.all().size() - values_.Ended(),
              cache_->GetOccupancyCount());
    TearDown();
  }
}

TEST_P(CacheCapacity, WhatIsHeldStays) {
  MakeSmall(false);
  CacheHandle* const held = PutPinned(5000);
  for (uint64_t n = 0; n < 1000; ++n) Put(n);
  EXPECT_EQ(CountedValue::Of(held)->times_ended, 0);
  EXPECT_EQ(Find(5000), held->value());
  cache_->Release(held);
}

TEST_P(CacheCapacity, AStrictLimitIsKept) {
  MakeSmall(true);
  EXPECT_TRUE(cache_->HasStrictCapacityLimit());
  EXPECT_EQ(cache_->GetCapacity(), kCapacity);
  std::vector<CacheHandle*> held;
  size_t refused = 0;
  for (uint64_t n = 0; n < 300; ++n) {
    CountedValue* const value = Make(n);
    auto* handle = reinterpret_cast<CacheHandle*>(&held);  // reset by Insert
    const Status status =
        cache_->Insert(value->key, value, &kCountedOps, kCharge, &handle);
    EXPECT_LE(cache_->GetUsage(), kCapacity);
    if (status.ok()) {
      held.push_back(handle);
      continue;
    }
    EXPECT_TRUE(status.IsMemoryLimit());
    EXPECT_EQ(handle, nullptr);
    EXPECT_EQ(value->times_ended, 0);  // the caller still owns it
    EXPECT_EQ(Find(n), nullptr);
    EndCounted(value, nullptr);
    ++refused;
  }
  EXPECT_EQ(held.size() + refused, 300u);
  EXPECT_EQ(cache_->GetUsage(), held.size() * kCharge);
  EXPECT_GE(held.size(), 80u);
  // Without a handle, Insert returns ok and ends the value at once.
  EXPECT_EQ(Put(999, kCapacity)->times_ended, 1);
  EXPECT_EQ(Find(999), nullptr);
  // A held entry can be found. After its release it makes room for others.
  for (CacheHandle* const handle : held) {
    EXPECT_NE(cache_->Lookup(CountedValue::Of(handle)->key), nullptr);
    cache_->Release(handle);
    cache_->Release(handle);
  }
  for (uint64_t n = 300; n < 400; ++n) {
    cache_->Release(PutPinned(n));
    EXPECT_LE(cache_->GetUsage(), kCapacity);
  }
}

// A strict limit refuses the insert whether or not the key is present.
TEST_P(CacheCapacity, AStrictLimitHoldsForAPresentKey) {
  MakeSmall(true);
  CacheHandle* const held = PutPinned(1);
  CountedValue* const value = Make(1, kCapacity);
  CacheHandle* handle = held;
  EXPECT_TRUE(
      cache_->Insert(value->key, value, &kCountedOps, kCapacity, &handle)
          .IsMemoryLimit());
  EXPECT_EQ(handle, nullptr);
  EXPECT_EQ(Find(1), held->value());
  EndCounted(value, nullptr);
  cache_->Release(held);
}

TEST_P(CacheCapacity, AChargeBeyondAllMeasureWrapsNothing) {
  for (const size_t charge : {SIZE_MAX, SIZE_MAX - 100, SIZE_MAX / 2}) {
    MakeSmall(false);
    CacheHandle* const other = PutPinned(1);
    std::vector<CacheHandle*> held(3);
    for (CacheHandle*& handle : held) {
      CountedValue* const value = Make(2, charge);
      ASSERT_TRUE(
          cache_->Insert(value->key, value, &kCountedOps, charge, &handle)
              .ok());
      EXPECT_EQ(handle->charge(), charge);
      EXPECT_GT(cache_->GetUsage(), kCapacity);
      EXPECT_EQ(cache_->GetUsage(), cache_->GetPinnedUsage());
    }
    for (CacheHandle* const handle : held) cache_->Release(handle);
    EXPECT_EQ(cache_->GetUsage(), kCharge);
    cache_->Release(other);

    MakeSmall(true);
    CountedValue* const value = Make(2, charge);
    CacheHandle* handle = nullptr;
    EXPECT_TRUE(cache_->Insert(value->key, value, &kCountedOps, charge, &handle)
                    .IsMemoryLimit());
    EndCounted(value, nullptr);
    EXPECT_EQ(cache_->GetUsage(), 0u);
  }
}

TEST_P(CacheCapacity, StandaloneUnderAStrictLimit) {
  MakeSmall(true);
  std::vector<CacheHandle*> held;
  for (uint64_t n = 0; n < 300; ++n) {
    CountedValue* const value = Make(n);
    CacheHandle* const handle = cache_->CreateStandalone(
        value->key, value, &kCountedOps, kCharge, /*allow_uncharged=*/false);
    EXPECT_LE(cache_->GetUsage(), kCapacity);
    EXPECT_EQ(value->times_ended, 0);
    if (handle != nullptr) {
      held.push_back(handle);
    } else {
      EndCounted(value, nullptr);
    }
  }
  EXPECT_LE(held.size(), 100u);
  EXPECT_GE(held.size(), 80u);
  const size_t usage = cache_->GetUsage();
  EXPECT_EQ(usage, held.size() * kCharge);
  // Create uncharged entries: this always succeeds. They are charged only while
  // the capacity allows it.
  for (uint64_t n = 300; n < 600; ++n) {
    CacheHandle* const handle = Standalone(n, /*allow_uncharged=*/true);
    ASSERT_NE(handle, nullptr);
    held.push_back(handle);
    EXPECT_LE(cache_->GetUsage(), kCapacity);
  }
  ReleaseAll(held);
  EXPECT_EQ(cache_->GetUsage(), 0u);
}

TEST_P(CacheCapacity, StandaloneMakesRoom) {
  MakeSmall(true);
  for (uint64_t n = 0; n < 300; ++n) Put(n);
  for (uint64_t n = 0; n < 300; ++n) {
    CacheHandle* const handle = Standalone(n);
    ASSERT_NE(handle, nullptr);
    EXPECT_LE(cache_->GetUsage(), kCapacity);
    EXPECT_TRUE(cache_->Release(handle));
  }
}

TEST_P(CacheCapacity, WithoutAStrictLimitInsertsWithHandlesNeverFail) {
  MakeSmall(false);
  EXPECT_FALSE(cache_->HasStrictCapacityLimit());
  std::vector<CacheHandle*> held = PinMany();
  held.push_back(Standalone(1));
  ASSERT_NE(held.back(), nullptr);
  EXPECT_EQ(cache_->GetUsage(), held.size() * kCharge);
  for (uint64_t n = 2; n < 100; ++n) Put(n);
  EXPECT_EQ(cache_->GetUsage(), held.size() * kCharge);
  // After the release the surplus may be evicted at any time, at the latest by
  // the next SetCapacity.
  ReleaseAll(held);
  cache_->SetCapacity(kCapacity);
  EXPECT_LE(cache_->GetUsage(), kCapacity);
}

TEST_P(CacheCapacity, WhatIsLargerThanTheCacheLastsWhileItIsHeld) {
  MakeSmall(false);
  CacheHandle* const handle = PutPinned(1, 2 * kCapacity);
  EXPECT_EQ(cache_->GetUsage(), 2 * kCapacity);
  cache_->Release(handle);
  cache_->SetCapacity(kCapacity);
  EXPECT_EQ(Find(1), nullptr);
  EXPECT_EQ(Put(2, 2 * kCapacity)->times_ended, 1);
}

TEST_P(CacheCapacity, LessCapacityEvictsAtOnce) {
  MakeCache({.capacity = 4 * kCapacity});
  CacheHandle* const held = PutPinned(0);
  for (uint64_t n = 1; n < 400; ++n) Put(n);
  EXPECT_GT(cache_->GetUsage(), 2 * kCapacity);
  cache_->SetCapacity(kCapacity);
  EXPECT_EQ(cache_->GetCapacity(), kCapacity);
  EXPECT_LE(cache_->GetUsage(), kCapacity);
  EXPECT_GE(cache_->GetUsage(), kCapacity / 2);
  cache_->SetCapacity(0);
  EXPECT_EQ(cache_->GetUsage(), kCharge);
  EXPECT_EQ(Find(0), held->value());
  cache_->Release(held);
  cache_->SetCapacity(0);
  EXPECT_EQ(cache_->GetUsage(), 0u);
}

TEST_P(CacheCapacity, MoreCapacityHoldsMore) {
  MakeCache({.capacity = 4 * kCapacity});
  cache_->SetCapacity(kCapacity);
  for (uint64_t n = 0; n < 1000; ++n) Put(n);
  EXPECT_LE(cache_->GetUsage(), kCapacity);
  cache_->SetCapacity(4 * kCapacity);
  for (uint64_t n = 0; n < 1000; ++n) {
    if (Find(n) == nullptr) Put(n);
  }
  EXPECT_GT(cache_->GetUsage(), 2 * kCapacity);
  EXPECT_LE(cache_->GetUsage(), 4 * kCapacity);
}

TEST_P(CacheCapacity, TheLimitMayBecomeStrict) {
  MakeSmall(false);
  const std::vector<CacheHandle*> held = PinMany();
  cache_->SetStrictCapacityLimit(true);
  EXPECT_TRUE(cache_->HasStrictCapacityLimit());
  CountedValue* const value = Make(1);
  CacheHandle* handle = nullptr;
  EXPECT_TRUE(cache_->Insert(value->key, value, &kCountedOps, kCharge, &handle)
                  .IsMemoryLimit());
  cache_->SetStrictCapacityLimit(false);
  EXPECT_TRUE(
      cache_->Insert(value->key, value, &kCountedOps, kCharge, &handle).ok());
  cache_->Release(handle);
  ReleaseAll(held);
}

TEST_P(CacheCapacity, HighPriorityOutlivesBottom) {
  MakeSmall(false);
  for (uint64_t n = 0; n < 40; ++n) {
    Put(n, kCharge, CachePriority::kHigh);
    Put(100 + n, kCharge, CachePriority::kBottom);
  }
  for (uint64_t n = 0; n < 50; ++n) {
    Put(200 + n, kCharge, CachePriority::kBottom);
  }
  size_t high = 0;
  size_t bottom = 0;
  for (uint64_t n = 0; n < 40; ++n) {
    high += Find(n) != nullptr ? 1 : 0;
    bottom += Find(100 + n) != nullptr ? 1 : 0;
  }
  EXPECT_GT(high, bottom + 5);
}

TEST_P(CacheCapacity, TheEvictionCallbackSeesWhatHasNoRoom) {
  MakeSmall(false);
  std::map<CacheKey, bool> evicted;  // key to "was hit"
  cache_->SetEvictionCallback(
      [&evicted](const CacheKey& key, const CacheHandle& entry, bool hit) {
        EXPECT_EQ(CountedValue::Of(&entry)->key, key);
        EXPECT_EQ(CountedValue::Of(&entry)->times_ended, 0);
        EXPECT_EQ(entry.charge(), kCharge);
        EXPECT_TRUE(evicted.emplace(key, hit).second);
        return false;  // the cache ends it
      });
  // None of these is evicted for lack of room: the entry is erased, its key is
  // present, it is released for good, or all unreferenced entries are erased.
  Put(1);
  Put(1);
  cache_->Release(PutPinned(1));
  cache_->Erase(TestKey(1));
  cache_->Release(PutPinned(2), /*erase_if_last_ref=*/true);
  Put(3);
  cache_->EraseUnRefEntries();
  EXPECT_TRUE(evicted.empty());

  for (uint64_t n = 10; n < 30; ++n) Put(n);
  for (uint64_t n = 10; n < 20; ++n) EXPECT_NE(Find(n), nullptr);
  CacheHandle* const held = PutPinned(30);
  cache_->SetCapacity(0);
  EXPECT_EQ(evicted.size(), 20u);
  cache_->Release(held);
  cache_->SetCapacity(0);
  EXPECT_EQ(evicted.size(), 21u);
  for (uint64_t n = 10; n < 31; ++n) {
    ASSERT_EQ(evicted.count(TestKey(n)), 1u) << n;
    EXPECT_EQ(evicted[TestKey(n)], n < 20) << n;
  }
  cache_->SetCapacity(kCapacity);
  Put(50);
  cache_.reset();
  EXPECT_EQ(evicted.size(), 21u);
  EXPECT_TRUE(values_.EachEndedOnce());
}

TEST_P(CacheCapacity, TheEvictionCallbackMayTakeTheValue) {
  MakeSmall(false);
  std::vector<CountedValue*> taken;
  cache_->SetEvictionCallback([&taken](const CacheKey& /*key*/,
                                       const CacheHandle& entry, bool /*hit*/) {
    CountedValue* const value = CountedValue::Of(&entry);
    if (value->id % 2 != 0) return false;
    taken.push_back(value);
    return true;
  });
  for (uint64_t n = 0; n < 500; ++n) Put(n);
  EXPECT_GE(taken.size(), 150u);
  EXPECT_LE(cache_->GetUsage(), kCapacity);
  for (CountedValue* const value : taken) {
    EXPECT_EQ(value->times_ended, 0);
    EXPECT_EQ(Find(value->id), nullptr);
    EndCounted(value, nullptr);
  }
}

class CountingAllocator : public MemoryAllocator {
 public:
  const char* Name() const override { return "Counting"; }
  void* Allocate(size_t /*size*/) override { return nullptr; }
  void Deallocate(void* /*memory*/) override {}
};

TEST_P(CacheCapacity, ValuesAreEndedWithTheCachesAllocator) {
  MakeCache();
  EXPECT_EQ(cache_->memory_allocator(), nullptr);
  TearDown();
  const auto allocator = std::make_shared<CountingAllocator>();
  MakeCache({.capacity = kCapacity, .allocator = allocator});
  EXPECT_EQ(cache_->memory_allocator(), allocator.get());
  for (uint64_t n = 0; n < 300; ++n) Put(n);       // evicted
  Put(1000);                                       // erased
  cache_->Erase(TestKey(1000));                    //
  cache_->Release(PutPinned(1001), true);          // by the last release
  EXPECT_TRUE(cache_->Release(Standalone(1002)));  //
  cache_.reset();                                  // the rest
  for (const CountedValue& value : values_.all()) {
    EXPECT_EQ(value.ended_with, allocator.get());
  }
}

TEST_P(CacheCapacity, ForEachEntryShowsEachOnce) {
  MakeCache({.capacity = 10000 * kCharge});
  for (uint64_t n = 0; n < 3000; ++n) Put(n, 500 + n % 100);
  CacheHandle* const held = PutPinned(3000);
  std::set<CacheKey> seen;
  cache_->ForEachEntry([&seen](const CacheEntryView& entry) {
    EXPECT_TRUE(seen.insert(entry.key).second);
    const CountedValue* const value = CountedValue::Of(entry.value);
    EXPECT_EQ(value->key, entry.key);
    EXPECT_EQ(value->charge, entry.charge);
    EXPECT_EQ(entry.ops, &kCountedOps);
  });
  EXPECT_EQ(seen.size(), 3001u);
  cache_->Release(held);
  EXPECT_EQ(cache_->GetPinnedUsage(), 0u);
}

// The callback itself changes the cache. Its changes must take effect.
// ForEachEntry must show every entry that is present throughout, and an entry
// must stay alive while it is shown.
TEST_P(CacheCapacity, ForEachEntryWhileTheCacheChanges) {
  MakeCache({.capacity = 10000 * kCharge});
  for (uint64_t n = 0; n < 1000; ++n) Put(n);
  std::map<CacheKey, int> seen;
  uint64_t n = 0;
  cache_->ForEachEntry([&](const CacheEntryView& entry) {
    ++seen[entry.key];
    EXPECT_EQ(CountedValue::Of(entry.value)->times_ended, 0);
    if (n < 2000) Put(10000 + n);     // tables grow meanwhile
    cache_->Erase(TestKey(500 + n));  // some already shown, some not
    if (n % 2 == 0) cache_->Erase(entry.key);
    EXPECT_EQ(CountedValue::Of(entry.value)->times_ended, 0);
    ++n;
  });
  for (const auto& [key, times] : seen) EXPECT_EQ(times, 1);
  for (uint64_t i = 0; i < 500; ++i) EXPECT_EQ(seen.count(TestKey(i)), 1u) << i;
  for (uint64_t i = 500; i < 1000; ++i) EXPECT_EQ(Find(i), nullptr) << i;
}

TEST_P(CacheCapacity, EntryStatsAreByRole) {
  static constexpr CacheItemOps kIndex = {CacheEntryRole::kIndexBlock,
                                          EndCounted, CountedSize};
  static constexpr CacheItemOps kPlain = {CacheEntryRole::kFilterBlock,
                                          EndCounted, nullptr};
  MakeCache();
  const auto put = [this](uint64_t n, const CacheItemOps* ops, size_t charge) {
    ASSERT_TRUE(cache_->Insert(TestKey(n), Make(n), ops, charge).ok());
  };
  for (uint64_t n = 0; n < 10; ++n) put(n, &kCountedOps, 100);
  for (uint64_t n = 10; n < 13; ++n) put(n, &kIndex, 200);
  for (uint64_t n = 13; n < 15; ++n) put(n, &kPlain, 300);
  const CacheEntryStats stats = cache_->CollectEntryStats();
  const auto expect = [&stats](CacheEntryRole role, uint64_t count,
                               uint64_t bytes, uint64_t charge) {
    EXPECT_EQ(stats.of(role).count, count) << CacheEntryRoleName(role);
    EXPECT_EQ(stats.of(role).bytes, bytes) << CacheEntryRoleName(role);
    EXPECT_EQ(stats.of(role).charge, charge) << CacheEntryRoleName(role);
  };
  expect(CacheEntryRole::kDataBlock, 10, 10 * kCountedBytes, 1000);
  expect(CacheEntryRole::kIndexBlock, 3, 3 * kCountedBytes, 600);
  expect(CacheEntryRole::kFilterBlock, 2, 600, 600);  // no size: the charge
  expect(CacheEntryRole::kMisc, 0, 0, 0);
}

TEST_P(CacheCapacity, AQuietCacheHasNoProblems) {
  MakeSmall(false);
  EXPECT_STRNE(cache_->Name(), "");
  EXPECT_EQ(cache_->ReportProblems(), "");
  for (uint64_t n = 0; n < 50; ++n) Put(n);
  EXPECT_EQ(cache_->ReportProblems(), "");
}

INSTANTIATE_TEST_SUITE_P(Each, CacheCapacity,
                         ::testing::ValuesIn(AllCacheMakers()), CacheMakerName);

}  // namespace
}  // namespace ashlar::testing
