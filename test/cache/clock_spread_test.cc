// Spread entries of the hyper clock cache: hot entries whose references are
// counted on many cache lines (cache/clock/spread.h). Only their speed may
// differ from that of other entries.

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

class ClockSpread : public testing::CacheFixture {
 protected:
  ClockSpread() {
    cache_ = testing::MakeClock({.capacity = 100000}, 0).value();
  }

  ClockCache& clock() { return static_cast<ClockCache&>(*cache_); }
  static ClockSlot* SlotOf(CacheHandle* handle) {
    return static_cast<ClockSlot*>(handle);
  }
  static bool IsSpread(CacheHandle* handle) {
    return slot::IsSpread(SlotOf(handle)->word.LoadRelaxed());
  }
  void Spread(CacheHandle* held) {
    EXPECT_TRUE(clock().TableAt(SlotOf(held)).Spread(SlotOf(held)));
    EXPECT_TRUE(IsSpread(held));
  }
  // Returns a handle whose reference is counted in the slot's state word.
  CacheHandle* PutSpread(uint64_t n) {
    CacheHandle* const handle = PutPinned(n);
    Spread(handle);
    return handle;
  }
};

TEST_F(ClockSpread, EveryLookupFindsIt) {
  CacheHandle* const first = PutSpread(1);
  const uint64_t word = SlotOf(first)->word.LoadRelaxed();
  CacheHandle* const by_key = cache_->Lookup(TestKey(1));
  Cache::SlotHint hint = Cache::kNoSlotHint;
  CacheHandle* const for_hint = cache_->Lookup(TestKey(1), &hint);
  CacheHandle* const by_hint = cache_->Lookup(TestKey(1), &hint);
  CacheHandle* by_batch = nullptr;
  cache_->LookupBatch(std::array{TestKey(1)}, &by_batch);
  EXPECT_TRUE(cache_->Ref(first));
  // All of these references, and the later ones, are counted outside the state
  // word.
  for (CacheHandle* const found :
       {by_key, for_hint, by_hint, by_batch, first}) {
    ASSERT_EQ(found, first);
    EXPECT_FALSE(cache_->Release(found));
    EXPECT_EQ(SlotOf(first)->word.LoadRelaxed(), word);
  }
  EXPECT_EQ(cache_->Lookup(TestKey(2), &hint), nullptr);
  cache_->Release(first);
  EXPECT_NE(Find(1), nullptr);
}

TEST_F(ClockSpread, WhoTakesAndWhoGivesMayBeDifferentThreads) {
  CacheHandle* const first = PutSpread(1);
  for (int i = 0; i < 40; ++i) {
    CacheHandle* const found = cache_->Lookup(TestKey(1));
    std::jthread([&] { cache_->Release(found); });
  }
  cache_->Release(first);
  EXPECT_EQ(cache_->GetPinnedUsage(), 0u);
  CacheHandle* const found = cache_->Lookup(TestKey(1));
  EXPECT_EQ(cache_->GetPinnedUsage(), kCharge);
  cache_->Release(found);
}

// As after very many lookups by this thread whose handles others released.
TEST_F(ClockSpread, ALineThatCountsTooManyIsGathered) {
  for (const bool by_ref : {false, true}) {
    CacheHandle* const first = PutSpread(1);
    const auto& settings = clock().settings();
    SpreadSet* const set = &settings.spread_sets->Load()->Of(
        settings.index.IndexOf(SlotOf(first)));
    for (size_t i = 0; i < set->size(); ++i) {
      const bool is_own = &set->line(i) == &set->own_line();
      const bool is_first = i == (&set->line(0) == &set->own_line() ? 1u : 0u);
      const uint64_t moved = slot::kMostRefsOnLine * slot::kLineRef;
      if (is_own) static_cast<void>(set->line(i).FetchAddAcquire(moved));
      if (is_first) static_cast<void>(set->line(i).FetchSubRelease(moved));
    }
    if (by_ref) {
      EXPECT_TRUE(cache_->Ref(first));
    } else {
      EXPECT_EQ(cache_->Lookup(TestKey(1)), first);
    }
    EXPECT_FALSE(IsSpread(first));
    EXPECT_EQ(slot::Refs(SlotOf(first)->word.LoadRelaxed()), 2u);
    cache_->Release(first);
    cache_->Release(first);
    EXPECT_EQ(cache_->GetPinnedUsage(), 0u);
    cache_->Erase(TestKey(1));
  }
}

TEST_F(ClockSpread, PinnedUsageSeesThroughIt) {
  CacheHandle* const held = PutSpread(1);
  EXPECT_EQ(cache_->GetPinnedUsage(), kCharge);
  cache_->Release(held);
  Spread(cache_->Lookup(TestKey(1)));
  cache_->Release(held);
  EXPECT_EQ(cache_->GetPinnedUsage(), 0u);
}

TEST_F(ClockSpread, WhatIsErasedIsNotFoundAndEndsWithItsLastReference) {
  CacheHandle* const first = PutSpread(1);
  CacheHandle* const second = cache_->Lookup(TestKey(1));
  CountedValue* const value = CountedValue::Of(first);
  cache_->Erase(TestKey(1));
  EXPECT_FALSE(IsSpread(first));
  EXPECT_EQ(Find(1), nullptr);
  EXPECT_FALSE(cache_->Release(second));
  EXPECT_EQ(value->times_ended, 0);
  EXPECT_TRUE(cache_->Release(first));
  EXPECT_EQ(value->times_ended, 1);
  EXPECT_EQ(cache_->GetUsage(), 0u);
}

TEST_F(ClockSpread, TheLastReleaseMayErase) {
  CacheHandle* const first = PutSpread(1);
  CacheHandle* const second = cache_->Lookup(TestKey(1));
  EXPECT_FALSE(cache_->Release(second, /*erase_if_last_ref=*/true));
  Spread(first);
  EXPECT_TRUE(cache_->Release(first, /*erase_if_last_ref=*/true));
  EXPECT_EQ(cache_->GetUsage(), 0u);
}

TEST_F(ClockSpread, UnusedEntriesCanBeErasedAndEvicted) {
  CacheHandle* const held = PutSpread(1);
  cache_->Release(held);
  EXPECT_TRUE(IsSpread(held));
  cache_->EraseUnRefEntries();
  EXPECT_EQ(cache_->GetUsage(), 0u);

  CacheHandle* const again = PutSpread(1);
  cache_->Release(again);
  for (uint64_t n = 1000; n < 2000; ++n) Put(n);
  EXPECT_EQ(Find(1), nullptr);

  cache_->Release(PutSpread(2));
  cache_->SetCapacity(0);
  EXPECT_EQ(cache_->GetUsage(), 0u);
}

// The destructor checks that nothing is left.
TEST_F(ClockSpread, TheCacheMayEndWithIt) {
  cache_->Release(PutSpread(1));
  cache_.reset();
  EXPECT_TRUE(values_.EachEndedOnce());
}

TEST_F(ClockSpread, TheSetOfAnotherSlotIsLeftAlone) {
  std::vector<CacheHandle*> held;
  std::vector<CacheHandle*> spread;
  for (uint64_t n = 0; n < 90; ++n) held.push_back(PutPinned(n));
  for (CacheHandle* const handle : held) {
    if (clock().TableAt(SlotOf(handle)).Spread(SlotOf(handle))) {
      spread.push_back(handle);
    }
  }
  EXPECT_GE(spread.size(), 20u);
  EXPECT_LE(spread.size(), 32u);
  for (uint64_t n = 0; n < 90; ++n) EXPECT_EQ(Find(n), held[n]->value());
  for (CacheHandle* const handle : held) cache_->Release(handle);
  for (uint64_t n = 0; n < 90; ++n) cache_->Erase(TestKey(n));
  EXPECT_EQ(cache_->GetUsage(), 0u);
}

// Threads do all of this at once. At the end, the test checks each count and
// every value.
TEST_F(ClockSpread, UnderManyThreads) {
  constexpr int kSteps = internal::kUnderThreadSanitizer ? 4000 : 20000;
  constexpr uint64_t kKeys = 4;
  constexpr uint64_t kThreads = 8;
  std::vector<CountedValue*> fresh;
  for (uint64_t i = 0; i < kThreads * kSteps; ++i)
    fresh.push_back(Make(i % kKeys));
  std::atomic<uint64_t> spread = 0;
  std::vector<std::jthread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(t);
      std::array<Cache::SlotHint, kKeys> hints;
      hints.fill(Cache::kNoSlotHint);
      for (int i = 0; i < kSteps; ++i) {
        CountedValue* const value =
            fresh[t * kSteps + static_cast<uint64_t>(i)];
        const uint64_t drawn = random();
        CacheHandle* const found = cache_->Lookup(
            value->key, drawn % 2 == 0 ? &hints[t % kKeys] : nullptr);
        if (found == nullptr || drawn % 512 == 1) {
          EXPECT_TRUE(
              cache_->Insert(value->key, value, &testing::kCountedOps, kCharge)
                  .ok());
        } else {
          testing::EndCounted(value, nullptr);
        }
        if (drawn % 64 == 2) cache_->Erase(value->key);
        if (drawn % 1024 == 3) cache_->EraseUnRefEntries();
        if (found == nullptr) continue;
        EXPECT_EQ(CountedValue::Of(found)->key, value->key);
        EXPECT_EQ(CountedValue::Of(found)->times_ended, 0);
        if (drawn % 16 == 4 &&
            clock().TableAt(SlotOf(found)).Spread(SlotOf(found))) {
          ++spread;
        }
        cache_->Release(found, drawn % 256 == 5);
      }
    });
  }
  threads.clear();
  EXPECT_GT(spread, 100u);
}

}  // namespace
}  // namespace ashlar::internal
