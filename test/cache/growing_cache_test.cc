// The hyper clock cache that sizes itself: what it promises while its table
// grows, and afterwards.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "cache/clock/clock_cache.h"
#include "test/cache/cache_fixture.h"

namespace ashlar::internal {
namespace {

using testing::CountedValue;
using testing::TestKey;

constexpr CacheItemOps kNoOps{};

class GrowingCache : public testing::CacheFixture {
 protected:
  void MakeCache(size_t capacity, size_t least_charge = 1) {
    TearDown();
    cache_ = testing::MakeAutoClock(
                 {.capacity = capacity, .entry_charge = least_charge}, 0)
                 .value();
  }
  const ClockSettingsOf<GrowingIndex>& settings() const {
    return static_cast<const GrowingClockCache&>(*cache_).settings();
  }
  GrowingPart& part() const { return settings().index.PartAt(0); }
  void InsertBlindly(const CacheKey& key, size_t charge = 1) {
    ASSERT_TRUE(cache_->Insert(key, nullptr, &kNoOps, charge).ok());
  }
  bool Has(const CacheKey& key) {
    CacheHandle* const found = cache_->Lookup(key);
    if (found != nullptr) cache_->Release(found);
    return found != nullptr;
  }
};

TEST_F(GrowingCache, IsWhatNoEstimateGives) {
  MakeCache(1 << 20);
  EXPECT_STREQ(cache_->Name(), "AutoHyperClockCache");
  EXPECT_EQ(cache_->GetOccupancyCount(), 0u);
}

// Each entry is found from its insert on. The table is never much larger than
// its entries need, and no entry is far from its home group.
TEST_F(GrowingCache, GrowsWithWhatComes) {
  constexpr uint64_t kMost = 300'000;
  MakeCache(size_t{1} << 30);
  size_t sum_of_bytes = 0;
  size_t times = 0;
  for (uint64_t n = 0; n < kMost; ++n) {
    InsertBlindly(TestKey(n));
    ASSERT_TRUE(Has(TestKey(n)));
    if (n % 1000 == 999) {
      for (uint64_t i = n % 97; i <= n; i += 997) ASSERT_TRUE(Has(TestKey(i)));
    }
    ASSERT_GE(cache_->GetTableAddressCount() + 1, cache_->GetOccupancyCount());
    if (n >= kMost / 2 && n % 100 == 0) {
      sum_of_bytes += cache_->GetTableBytes() / (n + 1);
      ++times;
    }
  }
  EXPECT_EQ(cache_->GetOccupancyCount(), kMost);
  EXPECT_LE(sum_of_bytes / times, 80u);
  for (uint64_t n = 0; n < kMost; ++n) ASSERT_TRUE(Has(TestKey(n)));
  size_t passed = 0;
  for (uint32_t s = 0; s < part().Segments(); ++s) {
    for (uint32_t g = 0; g < GrowingPart::kGroups; ++g) {
      passed += part().Passed(uint64_t{s} * GrowingPart::kGroups + g);
      ASSERT_FALSE(part().IsFilling(uint64_t{s} * GrowingPart::kGroups + g));
    }
  }
  EXPECT_LT(passed, kMost / 4);
  EXPECT_EQ(cache_->ReportProblems(), "");
}

TEST_F(GrowingCache, HandlesAndHintsStayWhileItGrows) {
  constexpr uint64_t kHeld = 2000;
  MakeCache(size_t{1} << 30);
  std::vector<CacheHandle*> held;
  std::vector<Cache::SlotHint> hints(kHeld, Cache::kNoSlotHint);
  for (uint64_t n = 0; n < kHeld; ++n) {
    held.push_back(PutPinned(n));
    cache_->Release(cache_->Lookup(TestKey(n), &hints[n]));
  }
  const uint32_t before = part().Segments();
  for (uint64_t n = kHeld; n < 40 * kHeld; ++n) InsertBlindly(TestKey(n));
  EXPECT_GT(part().Segments(), 20 * before);
  for (uint64_t n = 0; n < kHeld; ++n) {
    Cache::SlotHint hint = hints[n];
    CacheHandle* const by_hint = cache_->Lookup(TestKey(n), &hint);
    EXPECT_EQ(by_hint, held[n]);
    EXPECT_EQ(hint, hints[n]);
    CacheHandle* const by_key = cache_->Lookup(TestKey(n));
    EXPECT_EQ(by_key, held[n]);
    for (CacheHandle* const each : {by_hint, by_key, held[n]}) {
      EXPECT_EQ(CountedValue::Of(each)->key, TestKey(n));
      cache_->Release(each);
    }
  }
}

// The destructor checks that no word, count or entry is left.
TEST_F(GrowingCache, MayEndAtAnySize) {
  for (uint64_t entries = 1; entries < 3000; entries += 1 + entries / 7) {
    MakeCache(1 << 24);
    CacheHandle* held = PutPinned(0);
    for (uint64_t n = 1; n < entries; ++n) Put(n);
    cache_->Erase(TestKey(0));
    cache_->Release(held);
    cache_.reset();
    EXPECT_TRUE(values_.EachEndedOnce());
  }
}

TEST_F(GrowingCache, ForEachEntryShowsAllWhileItGrows) {
  constexpr uint64_t kThere = 500;
  MakeCache(size_t{1} << 30);
  for (uint64_t n = 0; n < kThere; ++n) InsertBlindly(TestKey(n));
  const uint32_t before = part().Segments();
  std::set<CacheKey> shown;
  uint64_t next = kThere;
  cache_->ForEachEntry([&](const CacheEntryView& entry) {
    EXPECT_TRUE(shown.insert(entry.key).second);
    for (int i = 0; i < 20; ++i) InsertBlindly(TestKey(next++));
  });
  EXPECT_GT(part().Segments(), 4 * before);
  for (uint64_t n = 0; n < kThere; ++n) EXPECT_TRUE(shown.contains(TestKey(n)));
}

TEST_F(GrowingCache, WhatIsErasedIsGoneInEverySegment) {
  MakeCache(size_t{1} << 30);
  for (uint64_t n = 0; n < 20000; ++n) {
    InsertBlindly(TestKey(n));
    if (n % 3 == 0) cache_->Erase(TestKey(n / 2));
  }
  for (uint64_t n = 0; n < 20000; ++n) {
    const bool erased = n < 10000 && (2 * n % 3 == 0 || (2 * n + 1) % 3 == 0);
    ASSERT_EQ(Has(TestKey(n)), !erased) << n;
  }
}

TEST_F(GrowingCache, CapacityFromOneEntryToManyAndBack) {
  constexpr size_t kMany = 20000;
  MakeCache(kMany * kCharge);
  uint64_t next = 0;
  for (int round = 0; round < 3; ++round) {
    cache_->SetCapacity(kCharge);
    for (int i = 0; i < 100; ++i) {
      Put(next);
      EXPECT_NE(Find(next++), nullptr);
      EXPECT_EQ(cache_->GetOccupancyCount(), 1u);
    }
    cache_->SetCapacity(kMany * kCharge);
    for (size_t i = 0; i < 2 * kMany; ++i) Put(next++);
    EXPECT_GE(cache_->GetUsage(), kMany * kCharge * 95 / 100);
    EXPECT_LE(cache_->GetUsage(), kMany * kCharge);
    EXPECT_EQ(cache_->GetUsage(), cache_->GetOccupancyCount() * kCharge);
  }
  cache_->SetCapacity(0);
  EXPECT_EQ(cache_->GetUsage(), 0u);
  // Slots are reused: few more than the largest number of slots in use at once.
  EXPECT_LE(part().end_of_slots(), kMany + 10);
}

TEST_F(GrowingCache, MakesRoomForNoMoreThanItWasMadeFor) {
  MakeCache(1 << 20, 256);
  const size_t most = (1 << 20) / 256;
  std::vector<CacheHandle*> held;
  for (uint64_t n = 0; n < 3 * most; ++n) {
    InsertBlindly(TestKey(n), 16);
    ASSERT_LE(cache_->GetOccupancyCount(), most);
  }
  EXPECT_GE(cache_->GetOccupancyCount(), most * 9 / 10);
  EXPECT_NE(cache_->ReportProblems().find("min_avg_entry_charge to about 16 "
                                          "(now 256)"),
            std::string::npos);
  // Now the table is full of entries in use, so new entries are standalone.
  for (uint64_t n = 0; n < 2 * most; ++n) {
    CacheHandle* handle = nullptr;
    ASSERT_TRUE(
        cache_->Insert(TestKey(9 * most + n), nullptr, &kNoOps, 16, &handle)
            .ok());
    ASSERT_NE(handle, nullptr);
    held.push_back(handle);
  }
  EXPECT_EQ(cache_->GetPinnedUsage(), 2 * most * 16);
  for (CacheHandle* const handle : held) cache_->Release(handle);
  EXPECT_EQ(cache_->GetPinnedUsage(), 0u);
}

TEST_F(GrowingCache, ALargerCapacityThanItWasMadeForMayNotBeReached) {
  MakeCache(1 << 20, 256);
  cache_->SetCapacity(64 << 20);
  for (uint64_t n = 0; n < 20'000; ++n) InsertBlindly(TestKey(n), 512);
  EXPECT_NE(cache_->ReportProblems().find("was made for a smaller capacity"),
            std::string::npos);
}

TEST_F(GrowingCache, AnyCapacityWillDo) {
  MakeCache(SIZE_MAX, 1);
  for (uint64_t n = 0; n < 100; ++n) InsertBlindly(TestKey(n));
  EXPECT_EQ(cache_->GetOccupancyCount(), 100u);
}

// Lookups first try a short way to the home group, which finds most entries at
// a glance. Entries in another group, or with the tag of another entry, take
// longer.
TEST(GrowingPart, TheShortWayLeadsToTheHomeGroup) {
  GrowingPart part;
  for (uint32_t segments = 1; segments < 70; ++segments) {
    part.SetSegments(segments);
    ASSERT_EQ(part.Segments(), segments);
    for (uint64_t n = 0; n < 1000; ++n) {
      const uint64_t hash = MultiplyFold(n + 1, 0x9e3779b97f4a7c15);
      const uint32_t segment = growing::SegmentNow(&part, hash);
      ASSERT_EQ(part.HomeGroup(hash),
                growing::Walk<GrowingPart>(segment, hash).group());
    }
  }
}

TEST_F(GrowingCache, MostEntriesAreFoundAtAGlance) {
  MakeCache(size_t{1} << 30);
  uint64_t entries = 0;
  for (const uint64_t most : {1000, 2000, 3000, 5000, 50'000}) {
    while (entries < most) InsertBlindly(TestKey(entries++));
    uint64_t at_a_glance = 0;
    for (uint64_t n = 0; n < entries; ++n) {
      const LikelySlot likely =
          settings().index.Likely(KeyHash(TestKey(n), settings().seed));
      ASSERT_FALSE(likely.is_unusual);
      const bool found =
          likely.slot != nullptr && likely.slot->HasKey(TestKey(n));
      at_a_glance += found ? 1 : 0;
    }
    EXPECT_GE(at_a_glance, entries * 95 / 100) << entries;
  }
}

// The hashes of these keys lead to the same segment, whatever the number of
// segments. An entry that finds no free word there is treated as erased at
// once.
TEST_F(GrowingCache, KeysOfOneSegmentFillItAndNoMore) {
  MakeCache(size_t{1} << 30);
  constexpr size_t kRoom = GrowingPart::kWordsOfSegment;
  std::vector<CacheKey> crowd;
  for (uint64_t n = 0; crowd.size() < kRoom + 50; ++n) {
    const uint64_t hash = KeyHash(TestKey(n), settings().seed);
    if (GrowingPart::SegmentBits(hash) % 64 == 63) crowd.push_back(TestKey(n));
  }
  std::vector<CacheHandle*> held;
  for (const CacheKey& key : crowd) {
    CacheHandle* handle = nullptr;
    ASSERT_TRUE(cache_->Insert(key, nullptr, &kNoOps, 1, &handle).ok());
    held.push_back(handle);
  }
  size_t found = 0;
  for (const CacheKey& key : crowd) found += Has(key) ? 1 : 0;
  EXPECT_EQ(found, kRoom);
  EXPECT_EQ(cache_->GetUsage(), crowd.size());
  for (CacheHandle* const handle : held) cache_->Release(handle);
  EXPECT_EQ(cache_->GetOccupancyCount(), kRoom);
  // Without a handle, an entry that finds no word is freed at once.
  cache_->Erase(crowd[0]);
  EXPECT_FALSE(Has(crowd[0]));
  InsertBlindly(crowd[0]);
  EXPECT_TRUE(Has(crowd[0]));
  InsertBlindly(crowd[kRoom]);
  EXPECT_EQ(cache_->GetOccupancyCount(), kRoom);
  EXPECT_EQ(cache_->GetUsage(), kRoom);
}

// A slot that was never used is all zeros, and so is this key.
TEST_F(GrowingCache, AHintToASlotThatNeverWasInUse) {
  MakeCache(1 << 20);
  for (Cache::SlotHint hint : {0u, 1u, 100u, 1u << 30}) {
    EXPECT_EQ(cache_->Lookup(CacheKey{}, &hint), nullptr);
    cache_->PrefetchSlot(hint);
  }
  EXPECT_EQ(settings().index.slots()[1].word.LoadRelaxed(), slot::kEmptyWord);
}

TEST_F(GrowingCache, SpreadEntriesAreFoundWhileItGrows) {
  MakeCache(size_t{1} << 30);
  CacheHandle* const held = PutPinned(1);
  auto* const slot = static_cast<ClockSlot*>(held);
  auto& clock = static_cast<GrowingClockCache&>(*cache_);
  ASSERT_TRUE(clock.TableAt(slot).Spread(slot));
  const uint64_t word = slot->word.LoadRelaxed();
  for (uint64_t n = 2; n < 20000; ++n) {
    InsertBlindly(TestKey(n));
    if (n % 100 != 0) continue;
    CacheHandle* const found = cache_->Lookup(TestKey(1));
    ASSERT_EQ(found, held);
    cache_->Release(found);
    ASSERT_EQ(slot->word.LoadRelaxed(), word);
  }
  cache_->Erase(TestKey(1));
  EXPECT_FALSE(Has(TestKey(1)));
  EXPECT_TRUE(cache_->Release(held));
}

}  // namespace
}  // namespace ashlar::internal
