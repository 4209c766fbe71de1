// A cache and its second tier: which entries move between them and when, what
// happens when the tier fails, and that every byte is counted once.

#include "ashlar/cache/tiered_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "ashlar/cache/memory_reservation.h"
#include "test/cache/cache_makers.h"
#include "test/cache/saved_values.h"
#include "test/cache/slow_tier.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

constexpr size_t kCharge = 1000;

class AnyTieredCache : public ::testing::TestWithParam<CacheMaker> {
 protected:
  void Join(size_t entries = 4, TieredAdmissionPolicy policy =
                                    TieredAdmissionPolicy::kAdmPolicyAllowAll) {
    first_ = GetParam()({.capacity = entries * kCharge});
    tier_ = std::make_shared<SlowTier>();
    cache_ = NewTieredCache(
                 {.primary = first_, .secondary = tier_, .adm_policy = policy})
                 .value();
  }
  void TearDown() override {
    EXPECT_EQ(tier_->results_alive, 0);
    EXPECT_EQ(first_->GetPinnedUsage(), 0u);
    cache_->EraseUnRefEntries();
    EXPECT_EQ(cache_->GetUsage(), 0u);
    cache_.reset();
    first_.reset();
    EXPECT_TRUE(values_.EachEndedOnce());
  }

  void Put(uint64_t n) {
    CountedValue* const value = values_.Make(TestKey(n), kCharge);
    ASSERT_TRUE(cache_->Insert(value->key, value, &kSavedOps, kCharge).ok());
  }
  // Evicts all entries, and so saves those that the tier admits.
  void EvictAll() {
    const size_t capacity = cache_->GetCapacity();
    cache_->SetCapacity(0);
    cache_->SetCapacity(capacity);
    EXPECT_EQ(cache_->GetUsage(), 0u);
  }
  bool IsInFirst(uint64_t n) {
    CacheHandle* const handle = cache_->Lookup(TestKey(n));
    if (handle != nullptr) cache_->Release(handle);
    return handle != nullptr;
  }
  bool IsInSecond(uint64_t n) {
    CacheHandle* const handle =
        cache_->LookupSecondary(TestKey(n), &kSavedOps, &create_);
    if (handle == nullptr) return false;
    EXPECT_EQ(CountedValue::Of(handle)->key, TestKey(n));
    EXPECT_EQ(CountedValue::Of(handle)->times_ended, 0);
    cache_->Release(handle);
    return true;
  }

  CountedValues values_;
  CreateCounted create_ = {.values = &values_};
  std::shared_ptr<Cache> first_;
  std::shared_ptr<SlowTier> tier_;
  std::shared_ptr<TieredCache> cache_;
};

TEST_P(AnyTieredCache, WhatIsEvictedComesBackFirstAloneThenForAll) {
  Join();
  Put(1);
  EXPECT_TRUE(IsInFirst(1));
  EXPECT_FALSE(IsInSecond(1));
  EvictAll();
  EXPECT_FALSE(IsInFirst(1));
  EXPECT_TRUE(IsInSecond(1));
  // That handle was standalone.
  EXPECT_FALSE(IsInFirst(1));
  EXPECT_TRUE(IsInSecond(1));
  EXPECT_TRUE(IsInFirst(1));
  EXPECT_EQ(cache_->GetStats().promotions, 1u);
  EXPECT_EQ(cache_->GetStats().hits, 2u);
  EXPECT_EQ(cache_->GetStats().lookups, 3u);
}

TEST_P(AnyTieredCache, WhatIsThereIsNotSavedAgain) {
  Join();
  Put(1);
  EvictAll();
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(IsInSecond(1));
  ASSERT_TRUE(IsInFirst(1));
  EvictAll();
  EXPECT_EQ(cache_->GetStats().demotions, 1u);
  EXPECT_EQ(cache_->GetStats().touches, 1u);
  EXPECT_TRUE(IsInSecond(1));
}

TEST_P(AnyTieredCache, PoliciesSayWhatIsSaved) {
  struct Case {
    TieredAdmissionPolicy policy;
    bool first_time;
    bool when_hit;
  };
  for (const Case& c :
       {Case{TieredAdmissionPolicy::kAdmPolicyAllowAll, true, true},
        Case{TieredAdmissionPolicy::kAdmPolicyAllowCacheHits, false, true},
        Case{TieredAdmissionPolicy::kAdmPolicyPlaceholder, false, false}}) {
    Join(4, c.policy);
    Put(1);
    EvictAll();
    EXPECT_EQ(tier_->entries() != 0, c.first_time);
    Put(1);
    EvictAll();
    EXPECT_EQ(tier_->entries(), 1u);
    Put(2);
    EXPECT_TRUE(IsInFirst(2));
    EvictAll();
    EXPECT_EQ(tier_->entries() == 2, c.when_hit);
  }
}

TEST_P(AnyTieredCache, ValuesThatCannotBeSavedAreNot) {
  Join();
  CountedValue* const value = values_.Make(TestKey(1), kCharge);
  ASSERT_TRUE(cache_->Insert(value->key, value, &kCountedOps, kCharge).ok());
  EvictAll();
  EXPECT_EQ(tier_->entries(), 0u);
  EXPECT_EQ(cache_->LookupSecondary(TestKey(1), &kCountedOps, nullptr),
            nullptr);
  EXPECT_EQ(cache_->GetStats().lookups, 0u);
}

TEST_P(AnyTieredCache, EraseTakesFromBoth) {
  Join();
  Put(1);
  EvictAll();
  Put(1);
  cache_->Erase(TestKey(1));
  EXPECT_FALSE(IsInFirst(1));
  EXPECT_FALSE(IsInSecond(1));
}

TEST_P(AnyTieredCache, ATierWithoutCapacityIsNotAsked) {
  Join();
  Put(1);
  EvictAll();
  tier_->SetCapacity(0);
  Put(2);
  EvictAll();
  EXPECT_FALSE(IsInSecond(1));
  EXPECT_TRUE(tier_->TakeLog().empty());
  EXPECT_EQ(cache_->GetStats().evictions, 1u);
}

// An exception must not leave half an entry in the first tier.
TEST_P(AnyTieredCache, ATierThatThrowsHasFailedAndNoMore) {
  Join();
  tier_->insert_throws = true;
  for (uint64_t n = 0; n < 12; ++n) Put(n);
  EvictAll();
  EXPECT_EQ(cache_->GetStats().failures, 12u);
  EXPECT_EQ(cache_->GetOccupancyCount(), 0u);
  tier_->insert_throws = false;
  Put(1);
  EvictAll();
  EXPECT_TRUE(IsInSecond(1));
}

// Reservations erase their entries where an exception would end the program.
TEST_P(AnyTieredCache, AnEraseThatThrowsHasFailedAndNoMore) {
  Join();
  Put(1);
  tier_->erase_throws = true;
  EXPECT_NO_THROW(cache_->Erase(TestKey(1)));
  EXPECT_EQ(cache_->GetStats().failures, 1u);
  EXPECT_EQ(cache_->GetUsage(), 0u);
  {
    MemoryReservation reservation(cache_);
    ASSERT_TRUE(reservation.UpdateTo(1).ok());
    EXPECT_NE(cache_->GetUsage(), 0u);
  }
  EXPECT_EQ(cache_->GetUsage(), 0u);
}

TEST_P(AnyTieredCache, OneEraseThatThrowsDoesNotSpoilTheBatch) {
  Join();
  for (uint64_t n = 0; n < 2; ++n) Put(n);
  EvictAll();
  create_.answer = CreateCounted::Answer::kRefuse;
  tier_->erase_throws = true;
  std::array<CacheHandle*, 2> handles{};
  cache_->LookupSecondaryBatch(std::array{TestKey(0), TestKey(1)}, &kSavedOps,
                               &create_, handles.data());
  EXPECT_EQ(cache_->GetStats().refused, 2u);
  EXPECT_EQ(cache_->GetStats().failures, 2u);
}

TEST_P(AnyTieredCache, ATierThatCannotSayItsCapacityIsNotAsked) {
  Join(16);
  for (uint64_t n = 0; n < 4; ++n) Put(n);
  tier_->capacity_throws = true;
  cache_->SetCapacity(0);
  EXPECT_EQ(cache_->GetUsage(), 0u);
  EXPECT_EQ(cache_->GetOccupancyCount(), 0u);
  EXPECT_EQ(cache_->GetStats().failures, 4u);
  EXPECT_FALSE(IsInSecond(1));
  EXPECT_EQ(tier_->entries(), 0u);
  EXPECT_TRUE(NewTieredCache({.primary = GetParam()({.capacity = kCharge}),
                              .secondary = tier_})
                  .ok());
}

TEST_P(AnyTieredCache, ATierThatThrowsIsReportedAllTheSame) {
  Join();
  tier_->report_throws = true;
  EXPECT_NE(cache_->Report().find("evictions 0"), std::string::npos);
  EXPECT_NE(cache_->ReportProblems(), "");
  EXPECT_EQ(cache_->GetStats().failures, 4u);
}

TEST_P(AnyTieredCache, ABatchIsBegunBeforeItIsWaitedFor) {
  for (const Arrival arrival :
       {Arrival::kAtOnce, Arrival::kOnWait, Arrival::kLater}) {
    Join(16);
    for (uint64_t n = 0; n < 12; ++n) Put(n);
    EvictAll();
    tier_->arrival = arrival;
    // Of the 13 keys, key 3 is in the first tier and key 12 is in neither.
    Put(3);
    std::vector<CacheKey> keys;
    for (uint64_t n = 0; n < 13; ++n) keys.push_back(TestKey(n));
    std::vector<CacheHandle*> handles(keys.size());
    cache_->LookupBatch(keys, handles.data());
    ASSERT_NE(handles[3], nullptr);
    CacheHandle* const third = handles[3];
    cache_->LookupSecondaryBatch(keys, &kSavedOps, &create_, handles.data());
    EXPECT_EQ(handles[3], third);
    EXPECT_EQ(handles[12], nullptr);
    for (uint64_t n = 0; n < 12; ++n) {
      ASSERT_NE(handles[n], nullptr);
      EXPECT_EQ(CountedValue::Of(handles[n])->key, TestKey(n));
      cache_->Release(handles[n]);
    }
    const std::vector<std::string> log = tier_->TakeLog();
    ASSERT_GE(log.size(), 12u);
    EXPECT_TRUE(std::all_of(log.begin(), log.begin() + 12,
                            [](const auto& e) { return e == "lookup"; }));
    const auto together = std::count(log.begin(), log.end(), "wait all");
    if (arrival == Arrival::kAtOnce) {
      EXPECT_EQ(log.size(), 12u);
    }
    EXPECT_LE(together, 1);
    EXPECT_GE(together, arrival == Arrival::kOnWait ? 1 : 0);
    cache_->EraseUnRefEntries();
  }
}

TEST_P(AnyTieredCache, EveryArrivalIsTaken) {
  for (const Arrival arrival :
       {Arrival::kAtOnce, Arrival::kOnWait, Arrival::kLater}) {
    for (const bool lazily : {false, true}) {
      Join(40);
      for (uint64_t n = 0; n < 40; ++n) Put(n);
      EvictAll();
      tier_->arrival = arrival;
      tier_->wait_all_lazily = lazily;
      std::vector<CacheKey> keys;
      for (uint64_t n = 0; n < 40; ++n) keys.push_back(TestKey(n));
      std::vector<CacheHandle*> handles(keys.size());
      cache_->LookupSecondaryBatch(keys, &kSavedOps, &create_, handles.data());
      for (CacheHandle* const handle : handles) {
        ASSERT_NE(handle, nullptr);
        cache_->Release(handle);
      }
      EXPECT_TRUE(IsInSecond(7));
      EXPECT_EQ(tier_->results_alive, 0);
      cache_->EraseUnRefEntries();
    }
  }
}

TEST_P(AnyTieredCache, NothingFailsForWantOfTheTier) {
  Join();
  tier_->insert_fails = true;
  Put(1);
  EvictAll();
  EXPECT_FALSE(IsInSecond(1));
  EXPECT_EQ(cache_->GetStats().failures, 1u);
  EXPECT_NE(cache_->ReportProblems(), "");

  tier_->insert_fails = false;
  tier_->is_full = true;
  Put(1);
  EvictAll();
  EXPECT_FALSE(IsInSecond(1));

  tier_->is_full = false;
  Put(1);
  EvictAll();
  tier_->lookup_fails = true;
  for (const Arrival arrival :
       {Arrival::kAtOnce, Arrival::kOnWait, Arrival::kLater}) {
    tier_->arrival = arrival;
    EXPECT_FALSE(IsInSecond(1));
  }
  tier_->lookup_fails = false;
  EXPECT_TRUE(IsInSecond(1));
}

TEST_P(AnyTieredCache, OtherBytesAreNoValue) {
  Join();
  Put(1);
  EvictAll();
  tier_->damages = true;
  EXPECT_FALSE(IsInSecond(1));
  EXPECT_EQ(create_.times_called, 0);
  EXPECT_EQ(cache_->GetStats().damaged, 1u);
  EXPECT_EQ(tier_->entries(), 0u);
  EXPECT_NE(cache_->ReportProblems(), "");
}

TEST_P(AnyTieredCache, ValuesMayBeRefused) {
  Join();
  Put(1);
  EvictAll();
  create_.answer = CreateCounted::Answer::kNotNow;
  EXPECT_FALSE(IsInSecond(1));
  create_.answer = CreateCounted::Answer::kMake;
  EXPECT_TRUE(IsInSecond(1));
  create_.answer = CreateCounted::Answer::kRefuse;
  EXPECT_FALSE(IsInSecond(1));
  EXPECT_EQ(tier_->entries(), 0u);
  EXPECT_EQ(cache_->GetStats().refused, 2u);
  EXPECT_EQ(cache_->GetUsage(), 0u);
}

TEST_P(AnyTieredCache, AFullStrictCacheStillGivesWhatTheTierHas) {
  Join();
  Put(1);
  EvictAll();
  cache_->SetStrictCapacityLimit(true);
  cache_->SetCapacity(0);
  EXPECT_TRUE(IsInSecond(1));
  EXPECT_TRUE(IsInSecond(1));
  EXPECT_EQ(cache_->GetUsage(), 0u);
}

TEST_P(AnyTieredCache, TiersStack) {
  Join();
  const auto outer = std::make_shared<SlowTier>();
  cache_ =
      NewTieredCache({.primary = cache_,
                      .secondary = outer,
                      .adm_policy = TieredAdmissionPolicy::kAdmPolicyAllowAll})
          .value();
  Put(1);
  EvictAll();
  EXPECT_EQ(tier_->entries(), 1u);
  EXPECT_EQ(outer->entries(), 1u);
  EXPECT_TRUE(IsInSecond(1));
  EXPECT_TRUE(outer->TakeLog().empty());
  tier_->Erase(TestKey(1));
  EXPECT_TRUE(IsInSecond(1));
  EXPECT_FALSE(outer->TakeLog().empty());
  cache_->Erase(TestKey(1));
  EXPECT_FALSE(IsInSecond(1));
}

TEST_P(AnyTieredCache, AnEvictionCallbackIsAskedToo) {
  Join();
  int taken = 0;
  cache_->SetEvictionCallback(
      [&taken](const CacheKey& key, const CacheHandle& entry, bool) {
        EXPECT_EQ(CountedValue::Of(&entry)->key, key);
        EndCounted(entry.value(), nullptr);
        ++taken;
        return true;
      });
  Put(1);
  EvictAll();
  EXPECT_EQ(taken, 1);
  EXPECT_TRUE(IsInSecond(1));
}

TEST_P(AnyTieredCache, TheReportHasTheFigures) {
  Join();
  Put(1);
  EvictAll();
  EXPECT_TRUE(IsInSecond(1));
  Put(2);
  const std::string report = cache_->Report();
  for (const char* const part :
       {"first tier, ", "second tier, SlowTier", "lookups 1, hits 1 (100.0 %)",
        "evictions 1, demotions 1", "by role", "< 10 s",
        "DataBlock            1"}) {
    EXPECT_NE(report.find(part), std::string::npos) << report;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, AnyTieredCache,
                         ::testing::ValuesIn(AllCacheMakers()), CacheMakerName);

// Returns the promoted keys out of 200 in the second tier. The cache can
// remember 64 keys, and each key is looked up twice.
std::vector<uint64_t> PromotedKeys(uint64_t hash_seed) {
  constexpr uint64_t kKeys = 200;
  CountedValues values;
  const CreateCounted create = {.values = &values};
  const auto tier = std::make_shared<SlowTier>();
  const auto cache =
      NewTieredCache({.primary = NewLruCache({.capacity = kKeys * kCharge,
                                              .num_shard_bits = 0})
                                     .value(),
                      .secondary = tier,
                      .adm_policy = TieredAdmissionPolicy::kAdmPolicyAllowAll,
                      .estimated_entry_charge = 10 * kCharge,
                      .hash_seed = hash_seed})
          .value();
  for (uint64_t n = 0; n < kKeys; ++n) {
    CountedValue* const value = values.Make(TestKey(n), kCharge);
    EXPECT_TRUE(cache->Insert(value->key, value, &kSavedOps, kCharge).ok());
  }
  cache->SetCapacity(0);
  cache->SetCapacity(2 * kKeys * kCharge);
  std::vector<uint64_t> promoted;
  for (uint64_t n = 0; n < 2 * kKeys; ++n) {
    const uint64_t before = cache->GetStats().promotions;
    CacheHandle* const handle =
        cache->LookupSecondary(TestKey(n % kKeys), &kSavedOps, &create);
    EXPECT_NE(handle, nullptr);
    cache->Release(handle);
    if (cache->GetStats().promotions != before) promoted.push_back(n);
  }
  cache->EraseUnRefEntries();
  return promoted;
}

TEST(TieredCache, TheHashSeedDecidesWhichKeysAreForgotten) {
  const std::vector<uint64_t> first = PromotedKeys(1);
  EXPECT_FALSE(first.empty());
  EXPECT_LT(first.size(), 200u);
  EXPECT_EQ(PromotedKeys(1), first);
  EXPECT_NE(PromotedKeys(2), first);
  // With seed 0, each cache draws a random seed.
  EXPECT_NE(PromotedKeys(0), PromotedKeys(0));
}

TEST(TieredCache, NeedsBothTiers) {
  EXPECT_TRUE(NewTieredCache({}).status().IsInvalidArgument());
}

TEST(TieredCache, NeedsAnEstimateOfItsEntries) {
  const Status refused =
      NewTieredCache({.primary = NewLruCache({.capacity = kCharge}).value(),
                      .secondary = std::make_shared<SlowTier>(),
                      .estimated_entry_charge = 0})
          .status();
  EXPECT_TRUE(refused.IsInvalidArgument());
  EXPECT_EQ(refused.message(),
            "estimated_entry_charge is 0, expected 1 or more");
}

// Keeps nothing, and has these counts.
class CountedTier final : public SecondaryCache {
 public:
  explicit CountedTier(const SecondaryCacheStats& stats) : stats_(stats) {}
  const char* Name() const override { return "CountedTier"; }
  Status Insert(const CacheKey& /*key*/, const Slice& /*saved*/) override {
    return {};
  }
  std::unique_ptr<SecondaryCacheResultHandle> Lookup(
      const CacheKey& /*key*/) override {
    return nullptr;
  }
  void Erase(const CacheKey& /*key*/) override {}
  void SetCapacity(size_t /*capacity*/) override {}
  size_t GetCapacity() const override { return 0; }
  size_t GetUsage() const override { return 0; }
  SecondaryCacheStats GetStats() const override { return stats_; }

 private:
  const SecondaryCacheStats stats_;
};

TEST(TieredCache, ManyValuesThatHardlyBecomeSmallerAreAProblem) {
  const auto problems = [](uint64_t inserts, uint64_t stored) {
    const auto tier = std::make_shared<CountedTier>(SecondaryCacheStats{
        .inserts = inserts, .bytes_in = 1000, .bytes_stored = stored});
    return NewTieredCache(
               {.primary = NewLruCache({.capacity = kCharge}).value(),
                .secondary = tier})
        .value()
        ->ReportProblems();
  };
  EXPECT_EQ(problems(10001, 901),
            "TieredCache: values hardly become smaller: choose another "
            "compression_type, or give all memory to the first tier");
  EXPECT_EQ(problems(10001, 900), "");
  EXPECT_EQ(problems(10000, 901), "");
}

}  // namespace
}  // namespace ashlar::testing
