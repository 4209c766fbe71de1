// Random operations on a cache of any kind with a second tier. After every
// step, each value is either ended once or charged, each charge belongs to a
// value, and each piece of the second tier is counted with the memory that it
// takes.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/cache/tiered_cache.h"
#include "test/cache/cache_makers.h"
#include "test/cache/pieces_of_tier.h"
#include "test/cache/saved_values.h"
#include "test/cache/slow_tier.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

constexpr uint64_t kKeys = 40;

class Tiers {
 public:
  Tiers(const CacheMaker& maker, Random* random) : random_(*random) {
    first_ = maker({.capacity = Capacity()});
    compressed_ =
        NewCompressedSecondaryCache({.capacity = TierCapacity(),
                                     .num_shard_bits = random_.OneIn(2) ? 0 : 1,
                                     .hash_seed = 1})
            .value();
    slow_ = std::make_shared<SlowTier>();
    stacked_ = random_.OneIn(2);
    const bool slow_first = random_.OneIn(2);
    cache_ = Join(first_, slow_first ? Slow() : compressed_);
    if (stacked_) cache_ = Join(cache_, slow_first ? compressed_ : Slow());
  }
  ~Tiers() {
    while (!held_.empty()) Release();
    Check();
    cache_->EraseUnRefEntries();
    EXPECT_EQ(cache_->GetUsage(), 0u);
    EXPECT_EQ(cache_->GetOccupancyCount(), 0u);
    EXPECT_EQ(slow_->results_alive, 0);
    compressed_->SetCapacity(0);
    EXPECT_EQ(compressed_->GetUsage(), 0u);
    cache_.reset();
    first_.reset();
    EXPECT_TRUE(values_.EachEndedOnce());
  }

  void Step() {
    Disturb();
    switch (random_.Below(12)) {
      case 0:
      case 1:
      case 2:
        return Insert(nullptr);
      case 3: {
        CacheHandle* handle = nullptr;
        return Insert(&handle);
      }
      case 4:
        return cache_->Erase(DrawKey());
      case 5:
        return Resize();
      case 6:
        return Batch();
      case 7:
      case 8:
        return Release();
      default:
        return Lookup();
    }
  }

  // Checks that every count has exactly one owner.
  void Check() {
    size_t alive = 0;
    for (const CountedValue& value : values_.all()) {
      ASSERT_LE(value.times_ended, 1);
      if (value.times_ended == 0) alive += value.charge;
    }
    ASSERT_EQ(cache_->GetUsage(), alive);
    const size_t bytes = BytesOfPieces(compressed_.get());
    ASSERT_EQ(compressed_->GetUsage(), bytes);
    ASSERT_LE(bytes, compressed_->GetCapacity());
    const TieredCacheStats stats = cache_->GetStats();
    ASSERT_EQ(stats.evictions, stats.demotions + stats.touches +
                                   stats.not_admitted + stats.failures);
    ASSERT_LE(stats.hits + stats.damaged + stats.refused, stats.lookups);
    ASSERT_LE(stats.promotions, stats.hits);
    ASSERT_EQ(slow_->results_alive, 0);
  }

  uint64_t hits() const { return cache_->GetStats().hits; }

 private:
  std::shared_ptr<SecondaryCache> Slow() { return slow_; }
  std::shared_ptr<TieredCache> Join(std::shared_ptr<Cache> first,
                                    std::shared_ptr<SecondaryCache> second) {
    constexpr TieredAdmissionPolicy kPolicies[] = {
        TieredAdmissionPolicy::kAdmPolicyAllowAll,
        TieredAdmissionPolicy::kAdmPolicyAllowCacheHits,
        TieredAdmissionPolicy::kAdmPolicyPlaceholder};
    return NewTieredCache({.primary = std::move(first),
                           .secondary = std::move(second),
                           .adm_policy = random_.Pick(kPolicies)})
        .value();
  }
  size_t Capacity() { return random_.Below(12) * 1000; }
  size_t TierCapacity() { return random_.Below(20) * 300; }
  CacheKey DrawKey() { return TestKey(random_.Below(kKeys)); }

  // Changes how results arrive and what fails.
  void Disturb() {
    constexpr Arrival kArrivals[] = {Arrival::kAtOnce, Arrival::kOnWait,
                                     Arrival::kLater};
    slow_->arrival = random_.Pick(kArrivals);
    slow_->insert_fails = random_.OneIn(8);
    slow_->lookup_fails = random_.OneIn(8);
    slow_->is_full = random_.OneIn(8);
    slow_->damages = random_.OneIn(16);
    slow_->wait_all_lazily = random_.OneIn(4);
    constexpr CreateCounted::Answer kAnswers[] = {
        CreateCounted::Answer::kRefuse, CreateCounted::Answer::kNotNow};
    create_.answer = random_.OneIn(8) ? random_.Pick(kAnswers)
                                      : CreateCounted::Answer::kMake;
    create_.charge = 500 + random_.Below(1000);
  }
  void Insert(CacheHandle** handle) {
    CountedValue* const value =
        values_.Make(DrawKey(), 500 + random_.Below(1000));
    ASSERT_TRUE(
        cache_->Insert(value->key, value, &kSavedOps, value->charge, handle)
            .ok());
    if (handle != nullptr) held_.push_back(*handle);
  }
  void Resize() {
    if (random_.OneIn(2)) return cache_->SetCapacity(Capacity());
    if (random_.OneIn(2)) return compressed_->SetCapacity(TierCapacity());
    slow_->SetCapacity(random_.Below(3) * 1000);
  }
  void Take(CacheHandle* handle, const CacheKey& key) {
    if (handle == nullptr) return;
    ASSERT_EQ(CountedValue::Of(handle)->key, key);
    ASSERT_EQ(CountedValue::Of(handle)->times_ended, 0);
    held_.push_back(handle);
    if (random_.OneIn(2)) Release();
  }
  void Lookup() {
    const CacheKey key = DrawKey();
    CacheHandle* handle = cache_->Lookup(key);
    if (handle == nullptr) {
      handle = cache_->LookupSecondary(key, &kSavedOps, &create_);
    }
    Take(handle, key);
  }
  void Batch() {
    std::vector<CacheKey> keys(random_.Below(50));
    for (CacheKey& key : keys) key = DrawKey();
    std::vector<CacheHandle*> handles(keys.size());
    cache_->LookupBatch(keys, handles.data());
    cache_->LookupSecondaryBatch(keys, &kSavedOps, &create_, handles.data());
    for (size_t i = 0; i < keys.size(); ++i) Take(handles[i], keys[i]);
  }
  void Release() {
    if (held_.empty()) return;
    CacheHandle*& chosen = held_[random_.Below(held_.size())];
    CacheHandle* const handle = chosen;
    chosen = held_.back();
    held_.pop_back();
    cache_->Release(handle, random_.OneIn(4));
  }

  Random& random_;
  CountedValues values_;
  CreateCounted create_ = {.values = &values_};
  std::shared_ptr<Cache> first_;
  std::shared_ptr<SecondaryCache> compressed_;
  std::shared_ptr<SlowTier> slow_;
  std::shared_ptr<TieredCache> cache_;
  bool stacked_ = false;
  std::vector<CacheHandle*> held_;
};

class TieredProperty : public ::testing::TestWithParam<CacheMaker> {};

TEST_P(TieredProperty, EveryByteIsCountedOnce) {
  uint64_t hits = 0;
  ForEachSeed(1, 20, [&](uint64_t seed) {
    Random random(seed);
    Tiers tiers(GetParam(), &random);
    for (int step = 0; step < 300; ++step) {
      tiers.Step();
      tiers.Check();
      if (::testing::Test::HasFailure()) return;
    }
    hits += tiers.hits();
  });
  EXPECT_GT(hits, 100u);
}

INSTANTIATE_TEST_SUITE_P(Each, TieredProperty,
                         ::testing::ValuesIn(AllCacheMakers()), CacheMakerName);

}  // namespace
}  // namespace ashlar::testing
