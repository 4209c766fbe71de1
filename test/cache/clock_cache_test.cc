// What the hyper clock cache promises in addition to cache.h: how its table
// fills, and what happens when the table or the capacity is exhausted.

#include "cache/clock/clock_cache.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace ashlar::internal {
namespace {

constexpr CacheItemOps kNoOps{};

std::shared_ptr<Cache> Make(const HyperClockCacheOptions& options) {
  auto made = NewHyperClockCache(options);
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return std::move(made).value();
}

HyperClockCacheOptions Options(size_t capacity, size_t entry) {
  return {.capacity = capacity,
          .estimated_entry_charge = entry,
          .metadata_charge_policy = CacheMetadataChargePolicy::kDontCharge,
          .hash_seed = 301};
}

const ClockSettings& SettingsOf(const Cache& cache) {
  return static_cast<const ClockCache&>(cache).settings();
}

CacheKey KeyOf(uint64_t i) {
  // Keys as of blocks: many in one file, at offsets 4 KiB apart.
  constexpr uint64_t kBlocksOfFile = 1000;
  const CacheKey file{(i / kBlocksOfFile + 1) * 0x9e3779b97f4a7c15,
                      (i / kBlocksOfFile + 1) * 0xd1b54a32d192ed03};
  return file.AtOffset(i % kBlocksOfFile * 4133);
}

bool Has(Cache* cache, const CacheKey& key) {
  CacheHandle* const found = cache->Lookup(key);
  if (found != nullptr) cache->Release(found);
  return found != nullptr;
}

void InsertBlindly(Cache* cache, const CacheKey& key, size_t charge) {
  ASSERT_TRUE(cache->Insert(key, nullptr, &kNoOps, charge).ok());
}

TEST(ClockCache, FullToTheEstimateNearlyAllEntriesAreAtHome) {
  for (const int shard_bits : {0, 3}) {
    HyperClockCacheOptions options = Options(size_t{80} << 20, 4096);
    options.num_shard_bits = shard_bits;
    const auto cache = Make(options);
    const size_t n = options.capacity / 4096;
    for (size_t i = 0; i < 2 * n; ++i)
      InsertBlindly(cache.get(), KeyOf(i), 4096);
    EXPECT_GT(cache->GetOccupancyCount(), n * 95 / 100);
    const ClockIndex& index = SettingsOf(*cache).index;
    size_t passed = 0;
    for (size_t g = 0; g < index.slot_count() / kSlotsPerGroup; ++g) {
      passed += index.GroupAt(g).Passed();
    }
    // 44 per 1000 for random keys. It would be 700 if the hand visited
    // neighbouring slots one after the other.
    EXPECT_LT(passed, n * 7 / 100);
    EXPECT_LE(cache->GetTableBytes(), n * 128);
    EXPECT_EQ(cache->ReportProblems(), "");
  }
}

TEST(ClockCache, ATableFullBeforeTheCapacityEvictsAndTells) {
  // The entries have a sixteenth of the estimated size.
  const auto cache = Make(Options(size_t{1} << 20, 4096));
  const size_t slots = cache->GetTableAddressCount();
  std::vector<CacheHandle*> held;
  for (size_t i = 0; i < 3 * slots; ++i) {
    InsertBlindly(cache.get(), KeyOf(i), 256);
    EXPECT_LT(cache->GetOccupancyCount(), slots);
  }
  EXPECT_GT(cache->GetOccupancyCount(), slots * 8 / 10);
  EXPECT_NE(cache->ReportProblems().find("estimated_entry_charge"),
            std::string::npos);

  // Now the table is full of entries in use, so new entries are standalone.
  for (size_t i = 0; i < 3 * slots; ++i) {
    CacheHandle* handle;
    ASSERT_TRUE(
        cache->Insert(KeyOf(i + 10 * slots), nullptr, &kNoOps, 16, &handle)
            .ok());
    ASSERT_NE(handle, nullptr);
    held.push_back(handle);
  }
  EXPECT_LT(cache->GetOccupancyCount(), slots);
  EXPECT_EQ(cache->GetPinnedUsage(), 3 * slots * 16);
  size_t found = 0;
  for (size_t i = 0; i < 3 * slots; ++i) {
    found += Has(cache.get(), KeyOf(i + 10 * slots)) ? 1 : 0;
  }
  EXPECT_GT(found, slots / 2);
  EXPECT_LT(found, slots);
  for (CacheHandle* handle : held) cache->Release(handle);
  EXPECT_EQ(cache->GetPinnedUsage(), 0U);
}

TEST(ClockCache, KeysOfOneHomeFillItsNeighboursAndNoMore) {
  const auto cache = Make(Options(size_t{64} << 20, 4096));
  const ClockIndex& index = SettingsOf(*cache).index;
  std::vector<CacheKey> crowd;
  for (uint64_t i = 0; crowd.size() < 400; ++i) {
    const CacheKey key = KeyOf(i);
    if (index.HomeGroup(KeyHash(key, SettingsOf(*cache).seed)) == 5) {
      crowd.push_back(key);
    }
  }
  for (const CacheKey& key : crowd) InsertBlindly(cache.get(), key, 1);
  const size_t room = (kMaxGroupsPassed + 1) * kSlotsPerGroup;
  for (size_t i = 0; i < crowd.size(); ++i) {
    EXPECT_EQ(Has(cache.get(), crowd[i]), i < room) << i;
  }
  EXPECT_EQ(cache->GetOccupancyCount(), room);
  EXPECT_EQ(index.GroupAt(5).Passed(), room - kSlotsPerGroup);
  // Erases the nearest entries first, so that lookups find the others across a
  // gap.
  for (size_t i = 0; i < room; ++i) {
    cache->Erase(crowd[i]);
    EXPECT_FALSE(Has(cache.get(), crowd[i]));
    EXPECT_EQ(Has(cache.get(), crowd[room - 1]), i + 1 < room);
  }
  for (uint64_t g = 0; g < 40; ++g) EXPECT_EQ(index.GroupAt(g).Passed(), 0U);
  EXPECT_EQ(cache->GetUsage(), 0U);
}

TEST(ClockCache, AHintThatIsRightNeedsNoTag) {
  const auto cache = Make(Options(size_t{1} << 20, 4096));
  const ClockIndex& index = SettingsOf(*cache).index;
  InsertBlindly(cache.get(), KeyOf(1), 4096);
  Cache::SlotHint hint = Cache::kNoSlotHint;
  CacheHandle* const found = cache->Lookup(KeyOf(1), &hint);
  ASSERT_NE(found, nullptr);
  cache->Release(found);
  ASSERT_LT(hint, cache->GetTableAddressCount());

  TagGroup& group = index.GroupAt(hint / kSlotsPerGroup);
  const uint8_t tag =
      TagGroup::TagOf(KeyHash(KeyOf(1), SettingsOf(*cache).seed));
  group.Clear(hint % kSlotsPerGroup, tag);
  EXPECT_FALSE(Has(cache.get(), KeyOf(1)));
  CacheHandle* const by_hint = cache->Lookup(KeyOf(1), &hint);
  EXPECT_EQ(by_hint, found);
  cache->Release(by_hint);
  group.Set(hint % kSlotsPerGroup, tag);

  // A lookup corrects a wrong hint. A hint to an erased entry finds nothing.
  Cache::SlotHint wrong = hint == 0 ? 1 : 0;
  CacheHandle* const by_hash = cache->Lookup(KeyOf(1), &wrong);
  EXPECT_EQ(by_hash, found);
  EXPECT_EQ(wrong, hint);
  cache->Erase(KeyOf(1));
  EXPECT_EQ(cache->Lookup(KeyOf(1), &hint), nullptr);
  cache->Release(by_hash);
  EXPECT_EQ(cache->Lookup(KeyOf(1), &hint), nullptr);
  EXPECT_EQ(cache->GetUsage(), 0U);
}

// An empty slot keeps its last key. A lookup by a stale hint must not change
// it.
TEST(ClockCache, AStaleHintTakesNothing) {
  const auto cache = Make(Options(size_t{1} << 20, 4096));
  InsertBlindly(cache.get(), KeyOf(1), 4096);
  Cache::SlotHint hint = Cache::kNoSlotHint;
  cache->Release(cache->Lookup(KeyOf(1), &hint));
  cache->Erase(KeyOf(1));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(cache->Lookup(KeyOf(1), &hint), nullptr);
  }
  const ClockIndex& index = SettingsOf(*cache).index;
  EXPECT_EQ((index.slots() + hint)->word.LoadRelaxed(), slot::kEmptyWord);
}

TEST(ClockCache, APresentKeyKeepsItsValueAwayFromHomeToo) {
  const auto cache = Make(Options(size_t{8} << 20, 4096));
  const ClockIndex& index = SettingsOf(*cache).index;
  std::vector<CacheKey> crowd;
  for (uint64_t i = 0; crowd.size() <= kSlotsPerGroup; ++i) {
    const CacheKey key = KeyOf(i);
    if (index.HomeGroup(KeyHash(key, SettingsOf(*cache).seed)) == 5) {
      crowd.push_back(key);
    }
  }
  int first = 0;
  int second = 0;
  for (const CacheKey& key : crowd) {
    ASSERT_TRUE(cache->Insert(key, &first, &kNoOps, 1).ok());
  }
  cache->Erase(crowd.front());
  CacheHandle* handle;
  ASSERT_TRUE(cache->Insert(crowd.back(), &second, &kNoOps, 1, &handle).ok());
  EXPECT_EQ(handle->value(), &second);
  CacheHandle* const found = cache->Lookup(crowd.back());
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->value(), &first);
  cache->Release(found);
  cache->Release(handle);
  EXPECT_EQ(cache->GetOccupancyCount(), kSlotsPerGroup);
}

TEST(ClockCache, WhatHasNoRoomIsNoFullTable) {
  const auto cache = Make(Options(size_t{1} << 20, 4096));
  InsertBlindly(cache.get(), KeyOf(1), size_t{8} << 20);
  InsertBlindly(cache.get(), KeyOf(2), 100);
  EXPECT_EQ(cache->ReportProblems(), "");
}

// No eviction could make room for it, so it evicts nothing. Entries that are
// inserted while it is held do not suffer either.
TEST(ClockCache, WhatIsLargerThanItsShardEvictsNothing) {
  constexpr size_t kEntry = 4096;
  const auto cache = Make(Options(256 * kEntry, kEntry));
  for (uint64_t i = 0; i < 200; ++i) {
    InsertBlindly(cache.get(), KeyOf(i), kEntry);
  }
  const size_t large = size_t{1000} * kEntry;
  CacheHandle* inserted;
  ASSERT_TRUE(
      cache->Insert(KeyOf(1000), nullptr, &kNoOps, large, &inserted).ok());
  CacheHandle* const standalone = cache->CreateStandalone(
      KeyOf(1001), nullptr, &kNoOps, large, /*allow_uncharged=*/false);
  ASSERT_NE(standalone, nullptr);
  InsertBlindly(cache.get(), KeyOf(1002), large);
  for (uint64_t i = 200; i < 256; ++i) {
    InsertBlindly(cache.get(), KeyOf(i), kEntry);
  }
  EXPECT_EQ(cache->GetOccupancyCount(), 256U);
  EXPECT_EQ(cache->GetUsage(), 256 * kEntry + 2 * large);
  EXPECT_EQ(cache->GetPinnedUsage(), 2 * large);
  cache->Release(inserted);
  cache->Release(standalone);
  EXPECT_EQ(cache->GetUsage(), 256 * kEntry);
  EXPECT_EQ(cache->GetPinnedUsage(), 0U);
}

// Entries far larger than the estimate are few among many empty slots.
TEST(ClockCache, FewLargeEntriesAreEvictedAllTheSame) {
  constexpr size_t kEntry = size_t{1} << 20;
  const auto cache = Make(Options(8 * kEntry, 128));
  for (uint64_t i = 0; i < 100; ++i)
    InsertBlindly(cache.get(), KeyOf(i), kEntry);
  EXPECT_EQ(cache->GetOccupancyCount(), 8U);
  cache->SetCapacity(3 * kEntry);
  EXPECT_EQ(cache->GetUsage(), 3 * kEntry);
  cache->SetCapacity(0);
  EXPECT_EQ(cache->GetUsage(), 0U);
}

// One thread sweeps the tables in turn. There are more tables than it has
// claims.
TEST(ClockCache, EveryPartOfEveryTableIsSwept) {
  constexpr size_t kEntry = 4096;
  HyperClockCacheOptions options = Options(8 * 10500 * kEntry, kEntry);
  options.num_shard_bits = 3;
  const auto cache = Make(options);
  // An entry that is never looked up must be gone after a few capacities of
  // inserts.
  const uint64_t n = options.capacity / kEntry;
  for (uint64_t i = 0; i < n / 2; ++i)
    InsertBlindly(cache.get(), KeyOf(i), kEntry);
  for (uint64_t i = 0; i < 5 * n; ++i) {
    InsertBlindly(cache.get(), KeyOf(1000000000 + i), kEntry);
  }
  size_t left = 0;
  for (uint64_t i = 0; i < n / 2; ++i)
    left += Has(cache.get(), KeyOf(i)) ? 1 : 0;
  EXPECT_LT(left, n / 1000);
}

TEST(ClockCache, WithAllInUseUsageStaysNearTheCapacity) {
  constexpr size_t kEntry = 4096;
  for (const int effort_cap : {1, 5, 30}) {
    HyperClockCacheOptions options = Options(size_t{16} << 20, kEntry);
    options.eviction_effort_cap = effort_cap;
    const auto cache = Make(options);
    std::vector<CacheHandle*> held(options.capacity / kEntry);
    for (size_t i = 0; i < held.size(); ++i) {
      ASSERT_TRUE(
          cache->Insert(KeyOf(i), nullptr, &kNoOps, kEntry, &held[i]).ok());
    }
    const size_t limit = options.capacity +
                         options.capacity / static_cast<size_t>(effort_cap) +
                         kEntry;
    for (size_t i = 0; i < 10000; ++i) {
      InsertBlindly(cache.get(), KeyOf(1000000 + i), kEntry);
      ASSERT_LE(cache->GetUsage(), limit);
    }
    EXPECT_NE(cache->ReportProblems().find("gave up"), std::string::npos);
    for (CacheHandle* handle : held) cache->Release(handle);
  }
}

// The entries have sixteen times the estimated size.
TEST(ClockCache, ATableNearlyEmptyAtTheCapacityTells) {
  constexpr size_t kEntry = 4096;
  const auto cache = Make(Options(size_t{1} << 20, kEntry / 16));
  constexpr size_t kMany = 300;
  for (size_t i = 0; i < kMany; ++i) {
    InsertBlindly(cache.get(), KeyOf(i), kEntry);
  }
  EXPECT_EQ(cache->ReportProblems(),
            "the table is nearly empty though the capacity is used: to save "
            "memory, set estimated_entry_charge to about 4096 (now 256)\n");
}

TEST(ClockCache, AShardThatHoldsMostTells) {
  HyperClockCacheOptions options = Options(size_t{1} << 20, 4096);
  options.num_shard_bits = 2;
  const auto cache = Make(options);
  EXPECT_EQ(cache->ReportProblems(), "");
  InsertBlindly(cache.get(), KeyOf(0), 100);
  EXPECT_EQ(cache->ReportProblems(),
            "one shard holds 100 of 100 bytes: decrease num_shard_bits to "
            "spread the entries more evenly\n");
}

TEST(ClockCache, UnusedEntriesGoFirstAndByTheirPriority) {
  constexpr size_t kEntry = 1024;
  const auto cache = Make(Options(64 * kEntry, kEntry));
  const auto put = [&cache](uint64_t first, CachePriority priority) {
    for (uint64_t i = first; i < first + 16; ++i) {
      ASSERT_TRUE(
          cache->Insert(KeyOf(i), nullptr, &kNoOps, kEntry, nullptr, priority)
              .ok());
    }
  };
  const auto count = [&cache](uint64_t first) {
    int n = 0;
    // ForEachEntry does not count as a use of an entry.
    cache->ForEachEntry([&](const CacheEntryView& entry) {
      for (uint64_t i = first; i < first + 16; ++i) {
        if (entry.key == KeyOf(i)) ++n;
      }
    });
    return n;
  };
  put(0, CachePriority::kHigh);
  put(100, CachePriority::kLow);
  put(200, CachePriority::kBottom);
  put(300, CachePriority::kBottom);
  for (uint64_t i = 300; i < 316; ++i) EXPECT_TRUE(Has(cache.get(), KeyOf(i)));
  // To make room for 16, the cache evicts unused entries of the lowest
  // priority.
  put(400, CachePriority::kLow);
  EXPECT_EQ(count(0), 16);
  EXPECT_EQ(count(100), 16);
  EXPECT_EQ(count(200), 0);
  EXPECT_EQ(count(300), 16);
}

TEST(ClockCache, OptionsThatCannotBe) {
  const auto message = [](const HyperClockCacheOptions& options) {
    const auto made = NewHyperClockCache(options);
    return made.ok() ? std::string() : made.status().ToString();
  };
  EXPECT_NE(message({.num_shard_bits = 17}).find("num_shard_bits is 17"),
            std::string::npos);
  EXPECT_NE(message({.num_shard_bits = -2}).find("num_shard_bits is -2"),
            std::string::npos);
  EXPECT_NE(
      message({.eviction_effort_cap = 0}).find("eviction_effort_cap is 0"),
      std::string::npos);
  EXPECT_NE(message({.capacity = SIZE_MAX}).find("more than 2^32 entries"),
            std::string::npos);
  EXPECT_EQ(message({.capacity = 0}), "");
}

TEST(ClockCache, ShardsFollowFromTheCapacity) {
  // 10 % of one shard of 512 MiB fits. Many small shards would refuse it.
  HyperClockCacheOptions options = Options(size_t{1} << 30, 1 << 20);
  const auto cache = Make(options);
  CacheHandle* handle;
  ASSERT_TRUE(
      cache->Insert(KeyOf(1), nullptr, &kNoOps, size_t{100} << 20, &handle)
          .ok());
  EXPECT_TRUE(Has(cache.get(), KeyOf(1)));
  cache->Release(handle);
  EXPECT_TRUE(Has(cache.get(), KeyOf(1)));
  // Two tables, each of at least 512 groups; see GroupsOfTable.
  EXPECT_EQ(SettingsOf(*cache).index.slot_count() /
                (SettingsOf(*cache).index.groups_of_table() * kSlotsPerGroup),
            2U);
}

TEST(ClockCache, ACacheOfNothingStillHandsOutHandles) {
  const auto cache = Make(Options(0, 4096));
  CacheHandle* handle;
  ASSERT_TRUE(cache->Insert(KeyOf(1), nullptr, &kNoOps, 100, &handle).ok());
  EXPECT_EQ(cache->GetUsage(), 100U);
  EXPECT_FALSE(Has(cache.get(), KeyOf(1)));
  EXPECT_TRUE(cache->Release(handle));
  EXPECT_EQ(cache->GetUsage(), 0U);
}

}  // namespace
}  // namespace ashlar::internal
