// Second tiers behind a cache of NewAshlarCache, of Ashlar's kind and of
// RocksDB's: what is evicted is saved, and made again when it is looked up.

#include <gtest/gtest.h>
#include <rocksdb/advanced_cache.h>
#include <rocksdb/cache.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/statistics.h>

#include <memory>
#include <string>

#include "ashlar/cache/secondary_cache.h"
#include "ashlar_cache.h"
#include "test/plugin/rocksdb_values.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

using ashlar_rocksdb::AshlarCacheOptions;
using rocksdb::Cache;

constexpr size_t kPlaces = 10;

class AshlarCacheTiers : public ::testing::Test {
 protected:
  // The first tier has room for kPlaces values.
  void MakeCache(AshlarCacheOptions options = {}) {
    options.hyper_clock = rocksdb::HyperClockCacheOptions(
        kPlaces * kSavedValueBytes, kSavedValueBytes, 0);
    options.hyper_clock.metadata_charge_policy =
        rocksdb::kDontChargeCacheMetadata;
    options.hyper_clock.secondary_cache = theirs_;
    options.second_tier = ours_;
    ASSERT_TRUE(NewAshlarCache(options, &cache_).ok());
  }
  void MakeOurTier() {
    CompressedSecondaryCacheOptions options;
    options.capacity = 1 << 20;
    options.num_shard_bits = 0;
    ours_ = NewCompressedSecondaryCache(options).value();
  }

  void TearDown() override {
    cache_.reset();
    EXPECT_TRUE(values_.EachEndedOnce());
  }

  // Inserts the value of a key and uses it, so that it is worth saving.
  RocksDbValue* Put(uint64_t key, const RocksDbItemHelper& helper) {
    RocksDbValue* const value = values_.Make(key);
    EXPECT_TRUE(
        cache_->Insert(RocksDbKey(key), value, &helper, kSavedValueBytes).ok());
    Cache::Handle* const handle = cache_->BasicLookup(RocksDbKey(key), nullptr);
    if (handle != nullptr) cache_->Release(handle);
    return value;
  }
  // Evicts all that was in the first tier before.
  void Flood() {
    for (uint64_t i = 0; i < 5 * kPlaces; ++i) {
      Put(1000 + flooded_++, kUnsavedDataValue);
    }
  }
  // Returns whether a lookup finds the key. Checks what it finds.
  bool Finds(uint64_t key, const RocksDbItemHelper* helper) {
    Cache::Handle* const handle =
        cache_->Lookup(RocksDbKey(key), helper, &values_, Cache::Priority::LOW,
                       statistics_.get());
    if (handle == nullptr) return false;
    const RocksDbValue& value = *RocksDbValue::Of(cache_->Value(handle));
    EXPECT_EQ(value.key, key);
    EXPECT_EQ(value.times_ended, 0);
    EXPECT_EQ(cache_->GetCharge(handle), kSavedValueBytes);
    cache_->Release(handle);
    return true;
  }

  RocksDbValues values_;
  std::shared_ptr<ashlar::SecondaryCache> ours_;
  std::shared_ptr<rocksdb::SecondaryCache> theirs_;
  std::shared_ptr<rocksdb::Statistics> statistics_ =
      rocksdb::CreateDBStatistics();
  std::shared_ptr<Cache> cache_;
  uint64_t flooded_ = 0;
};

TEST_F(AshlarCacheTiers, OursMakesValuesAgain) {
  MakeOurTier();
  MakeCache();
  Put(1, kDataValue);
  Flood();
  EXPECT_FALSE(Finds(1, nullptr));
  EXPECT_FALSE(Finds(1, &kUnsavedDataValue));
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::get_perf_context()->Reset();
  EXPECT_TRUE(Finds(1, &kDataValue));
  EXPECT_EQ(values_.created, 1);
  EXPECT_EQ(rocksdb::get_perf_context()->secondary_cache_hit_count, 1u);
  EXPECT_EQ(statistics_->getTickerCount(rocksdb::SECONDARY_CACHE_HITS), 1u);
  EXPECT_EQ(statistics_->getTickerCount(rocksdb::SECONDARY_CACHE_DATA_HITS),
            1u);
  EXPECT_EQ(statistics_->getTickerCount(rocksdb::SECONDARY_CACHE_INDEX_HITS),
            0u);
  EXPECT_FALSE(Finds(2, &kDataValue));
  EXPECT_EQ(statistics_->getTickerCount(rocksdb::SECONDARY_CACHE_HITS), 1u);
  cache_->Erase(RocksDbKey(1));
  EXPECT_FALSE(Finds(1, &kDataValue));
}

TEST_F(AshlarCacheTiers, OursServesLookupsOfRocksDbsBatches) {
  MakeOurTier();
  MakeCache();
  Put(1, kDataValue);
  Flood();
  const std::string key = RocksDbKey(1);
  Cache::AsyncLookupHandle lookup(key, &kDataValue, &values_);
  cache_->StartAsyncLookup(lookup);
  Cache::Handle* const handle = cache_->Wait(lookup);
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ(RocksDbValue::Of(cache_->Value(handle))->key, 1u);
  cache_->Release(handle);
}

TEST_F(AshlarCacheTiers, OursForgetsWhatCannotBeSavedOrMade) {
  MakeOurTier();
  MakeCache();
  Put(1, kDataValue)->save_fails = true;
  Put(2, kDataValue);
  Put(3, kPlainValue);
  Flood();
  EXPECT_FALSE(Finds(1, &kDataValue));
  EXPECT_EQ(values_.created, 0);
  EXPECT_FALSE(Finds(3, &kDataValue));
  values_.create_fails = true;
  EXPECT_FALSE(Finds(2, &kDataValue));
  // The tier has erased the bytes that were refused.
  values_.create_fails = false;
  EXPECT_FALSE(Finds(2, &kDataValue));
}

TEST_F(AshlarCacheTiers, OursIsShown) {
  MakeOurTier();
  MakeCache();
  size_t capacity = 0;
  EXPECT_TRUE(cache_->GetSecondaryCacheCapacity(capacity).ok());
  EXPECT_EQ(capacity, size_t{1} << 20);
  EXPECT_NE(cache_->GetPrintableOptions().find("ashlar_second_tier"),
            std::string::npos);
  EXPECT_NE(ashlar_rocksdb::UnderlyingCache(cache_.get()), nullptr);
}

TEST_F(AshlarCacheTiers, RocksDbsGetsWhatIsEvicted) {
  rocksdb::CompressedSecondaryCacheOptions options;
  options.capacity = 1 << 20;
  options.num_shard_bits = 0;
  theirs_ = options.MakeSharedSecondaryCache();
  MakeCache();
  EXPECT_STREQ(cache_->Name(), "AshlarCache");
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const uint64_t key = random.Below(4 * kPlaces);
    if (!Finds(key, &kDataValue)) Put(key, kDataValue);
  }
  // Three quarters of the reads find nothing in the first tier.
  EXPECT_GT(values_.created, 1500);
  EXPECT_LT(values_.all().size() - static_cast<size_t>(values_.created), 500u);
}

}  // namespace
}  // namespace ashlar::testing
