// What cache.h promises of every cache, sentence by sentence: insert, lookup
// and release. cache_capacity_test.cc covers limits and counts.

#include <gtest/gtest.h>

#include <vector>

#include "test/cache/cache_fixture.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

class CacheContract : public AnyCache {
  void SetUp() override { MakeCache(); }
};

TEST_P(CacheContract, HandlesShowWhatWasInserted) {
  CacheHandle* const inserted = PutPinned(1, 123);
  EXPECT_EQ(inserted->ops(), &kCountedOps);
  EXPECT_EQ(inserted->charge(), 123u);
  CacheHandle* const found = cache_->Lookup(TestKey(1));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->value(), inserted->value());
  EXPECT_EQ(found->ops(), &kCountedOps);
  EXPECT_EQ(found->charge(), 123u);
  cache_->Release(inserted);
  cache_->Release(found);
}

TEST_P(CacheContract, WhatIsInsertedIsFoundAndNothingElse) {
  std::vector<CountedValue*> values;
  for (uint64_t n = 0; n < 300; ++n) values.push_back(Put(n));
  for (uint64_t n = 0; n < 300; ++n) EXPECT_EQ(Find(n), values[n]) << n;
  for (uint64_t n = 300; n < 600; ++n) EXPECT_EQ(Find(n), nullptr) << n;
  // These keys differ in one word only.
  CacheKey other_file = TestKey(5);
  ++other_file.file;
  EXPECT_EQ(cache_->Lookup(other_file), nullptr);
  EXPECT_EQ(values_.Ended(), 0u);
}

TEST_P(CacheContract, APresentKeyKeepsItsValue) {
  CountedValue* const first = Put(1);
  CacheHandle* const second = PutPinned(1);
  EXPECT_NE(second->value(), first);
  EXPECT_EQ(Find(1), first);
  EXPECT_EQ(cache_->GetUsage(), 2 * kCharge);
  EXPECT_EQ(cache_->GetOccupancyCount(), 1u);
  auto* const own = CountedValue::Of(second);
  EXPECT_TRUE(cache_->Release(second));
  EXPECT_EQ(own->times_ended, 1);
  EXPECT_EQ(Find(1), first);
}

TEST_P(CacheContract, APresentKeyKeepsItsValueWithoutAHandle) {
  CountedValue* const first = Put(1);
  Put(1);
  EXPECT_EQ(Find(1), first);
  EXPECT_EQ(first->times_ended, 0);
  cache_->Erase(TestKey(1));
  EXPECT_EQ(Find(1), nullptr);
  EXPECT_EQ(values_.Ended(), 2u);
}

TEST_P(CacheContract, ToReplaceEraseFirst) {
  CountedValue* const first = Put(1);
  cache_->Erase(TestKey(1));
  EXPECT_EQ(first->times_ended, 1);
  CountedValue* const second = Put(1);
  EXPECT_EQ(Find(1), second);
}

TEST_P(CacheContract, ReferencesKeepAValueAlive) {
  CacheHandle* const handle = PutPinned(1);
  auto* const value = CountedValue::Of(handle);
  CacheHandle* const found = cache_->Lookup(TestKey(1));
  EXPECT_TRUE(cache_->Ref(handle));
  cache_->Erase(TestKey(1));
  EXPECT_EQ(Find(1), nullptr);
  EXPECT_FALSE(cache_->Release(handle));
  EXPECT_FALSE(cache_->Release(found));
  EXPECT_EQ(value->times_ended, 0);
  EXPECT_TRUE(cache_->Release(handle));
  EXPECT_EQ(value->times_ended, 1);
}

TEST_P(CacheContract, AReleasedEntryStays) {
  CacheHandle* const handle = PutPinned(1);
  EXPECT_FALSE(cache_->Release(handle));
  EXPECT_NE(Find(1), nullptr);
}

TEST_P(CacheContract, EraseIfLastRefEndsOnlyTheLast) {
  CacheHandle* const one = PutPinned(1);
  CacheHandle* const two = cache_->Lookup(TestKey(1));
  EXPECT_FALSE(cache_->Release(one, /*erase_if_last_ref=*/true));
  EXPECT_NE(Find(1), nullptr);
  auto* const value = CountedValue::Of(two);
  EXPECT_TRUE(cache_->Release(two, /*erase_if_last_ref=*/true));
  EXPECT_EQ(value->times_ended, 1);
  EXPECT_EQ(Find(1), nullptr);
}

TEST_P(CacheContract, AnErasedKeyMayComeAgainWhileTheOldValueIsHeld) {
  CacheHandle* const old = PutPinned(1);
  cache_->Erase(TestKey(1));
  CountedValue* const fresh = Put(1);
  EXPECT_EQ(Find(1), fresh);
  auto* const value = CountedValue::Of(old);
  EXPECT_EQ(value->times_ended, 0);
  EXPECT_TRUE(cache_->Release(old));
  EXPECT_EQ(value->times_ended, 1);
  EXPECT_EQ(Find(1), fresh);
}

TEST_P(CacheContract, ErasingWhatIsNotThereDoesNothing) {
  Put(1);
  cache_->Erase(TestKey(2));
  EXPECT_NE(Find(1), nullptr);
}

TEST_P(CacheContract, EraseUnRefEntriesLeavesWhatIsReferredTo) {
  CacheHandle* const held = PutPinned(0);
  for (uint64_t n = 1; n < 100; ++n) Put(n);
  cache_->EraseUnRefEntries();
  EXPECT_EQ(values_.Ended(), 99u);
  EXPECT_EQ(Find(0), held->value());
  EXPECT_EQ(cache_->GetOccupancyCount(), 1u);
  cache_->Release(held);
}

TEST_P(CacheContract, StandaloneIsNotFound) {
  CacheHandle* const handle = Standalone(1);
  ASSERT_NE(handle, nullptr);
  auto* const value = CountedValue::Of(handle);
  EXPECT_EQ(handle->charge(), kCharge);
  EXPECT_EQ(Find(1), nullptr);
  // It does not hide another entry either.
  CountedValue* const other = Put(1);
  EXPECT_EQ(Find(1), other);
  cache_->Erase(TestKey(1));
  EXPECT_EQ(other->times_ended, 1);

  EXPECT_TRUE(cache_->Ref(handle));
  EXPECT_FALSE(cache_->Release(handle));
  EXPECT_EQ(value->times_ended, 0);
  EXPECT_TRUE(cache_->Release(handle));
  EXPECT_EQ(value->times_ended, 1);
}

TEST_P(CacheContract, ValuesMayBeNull) {
  static constexpr CacheItemOps kNothing = {CacheEntryRole::kWriteBuffer};
  CacheHandle* handle = nullptr;
  ASSERT_TRUE(
      cache_->Insert(TestKey(1), nullptr, &kNothing, kCharge, &handle).ok());
  CacheHandle* const found = cache_->Lookup(TestKey(1));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->value(), nullptr);
  EXPECT_FALSE(cache_->Release(found));
  EXPECT_TRUE(cache_->Release(handle, /*erase_if_last_ref=*/true));
}

TEST_P(CacheContract, AnySlotHintIsRight) {
  Random random(1);
  std::vector<CountedValue*> values;
  for (uint64_t n = 0; n < 200; ++n) values.push_back(Put(n));
  std::vector<Cache::SlotHint> hints = {Cache::kNoSlotHint, 0, 1,
                                        UINT32_MAX - 1, 1u << 31};
  for (int i = 0; i < 50; ++i) {
    hints.push_back(static_cast<Cache::SlotHint>(random.Next()));
    hints.push_back(static_cast<Cache::SlotHint>(random.Below(1000)));
  }
  for (const Cache::SlotHint given : hints) {
    for (uint64_t n = 0; n < 400; n += 7) {
      Cache::SlotHint hint = given;
      // Look up twice: with the given hint, then with the hint that the lookup
      // stored.
      for (int time = 0; time < 2; ++time) {
        CacheHandle* const handle = cache_->Lookup(TestKey(n), &hint);
        ASSERT_EQ(handle != nullptr, n < 200) << n << " by " << given;
        if (handle == nullptr) continue;
        EXPECT_EQ(handle->value(), values[n]);
        cache_->Release(handle);
      }
    }
  }
}

TEST_P(CacheContract, OldSlotHintsAreRight) {
  std::vector<Cache::SlotHint> hints(100, Cache::kNoSlotHint);
  for (uint64_t n = 0; n < 100; ++n) {
    Put(n);
    cache_->Release(cache_->Lookup(TestKey(n), &hints[n]));
  }
  // Other keys take the slots, so the hints lead to other entries.
  for (uint64_t n = 0; n < 100; ++n) cache_->Erase(TestKey(n));
  for (uint64_t n = 1000; n < 1150; ++n) Put(n);
  for (uint64_t n = 0; n < 100; n += 2) Put(n);
  for (uint64_t n = 0; n < 100; ++n) {
    CacheHandle* const handle = cache_->Lookup(TestKey(n), &hints[n]);
    ASSERT_EQ(handle != nullptr, n % 2 == 0) << n;
    if (handle == nullptr) continue;
    EXPECT_EQ(CountedValue::Of(handle)->key, TestKey(n));
    cache_->Release(handle);
  }
}

// The hint leads to an entry that was erased but is still held.
TEST_P(CacheContract, ASlotHintDoesNotFindWhatIsErased) {
  CacheHandle* const held = PutPinned(1);
  Cache::SlotHint hint = Cache::kNoSlotHint;
  cache_->Release(cache_->Lookup(TestKey(1), &hint));
  cache_->Erase(TestKey(1));
  EXPECT_EQ(cache_->Lookup(TestKey(1), &hint), nullptr);
  cache_->Release(held);
}

TEST_P(CacheContract, ABatchFindsWhatSingleLookupsFind) {
  Random random(2);
  for (uint64_t n = 0; n < 500; ++n) Put(n);
  for (const size_t count : {0, 1, 2, 31, 32, 33, 64, 1000}) {
    for (const bool with_hints : {false, true}) {
      std::vector<CacheKey> keys(count);
      std::vector<Cache::SlotHint> hints(count);
      for (size_t i = 0; i < count; ++i) {
        keys[i] = TestKey(random.Below(1000));  // half are in the cache
        if (i > 0 && random.OneIn(4)) keys[i] = keys[random.Below(i)];
        hints[i] = random.OneIn(2) ? Cache::kNoSlotHint
                                   : static_cast<uint32_t>(random.Below(2000));
      }
      // One more handle, to see that LookupBatch does not touch it.
      std::vector<CacheHandle*> handles(count + 1);
      auto* const guard = reinterpret_cast<CacheHandle*>(&handles);
      handles[count] = guard;
      cache_->LookupBatch(keys, handles.data(),
                          with_hints ? hints.data() : nullptr);
      EXPECT_EQ(handles[count], guard);
      for (size_t i = 0; i < count; ++i) {
        CacheHandle* const single = cache_->Lookup(keys[i]);
        ASSERT_EQ(handles[i] == nullptr, single == nullptr) << i;
        if (single == nullptr) continue;
        EXPECT_EQ(handles[i]->value(), single->value());
        EXPECT_EQ(CountedValue::Of(single)->key, keys[i]);
        cache_->Release(single);
      }
      // Each handle is a reference of its own.
      cache_->EraseUnRefEntries();
      for (size_t i = 0; i < count; ++i) {
        if (handles[i] == nullptr) continue;
        EXPECT_EQ(CountedValue::Of(handles[i])->times_ended, 0);
        cache_->Release(handles[i]);
      }
      EXPECT_EQ(cache_->GetPinnedUsage(), 0u);
      for (uint64_t n = 0; n < 500; ++n) {
        if (Find(n) == nullptr) Put(n);
      }
    }
  }
}

TEST_P(CacheContract, WhatIsLeftIsEndedWithTheCache) {
  for (uint64_t n = 0; n < 100; ++n) Put(n);
  EXPECT_EQ(values_.Ended(), 0u);
  cache_.reset();
  EXPECT_TRUE(values_.EachEndedOnce());
}

INSTANTIATE_TEST_SUITE_P(Each, CacheContract,
                         ::testing::ValuesIn(AllCacheMakers()), CacheMakerName);

}  // namespace
}  // namespace ashlar::testing
