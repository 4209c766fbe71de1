// ForeignCache over a cache of RocksDB that has a second tier: what is evicted
// is saved, and made again when it is looked up. A tier that damages bytes does
// no harm.

#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/secondary_cache.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugin/rocksdb/cache/ashlar_cache.h"
#include "plugin/rocksdb/cache/foreign_cache.h"
#include "test/cache/saved_values.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

constexpr size_t kCharge = 1000;

CacheKey Key(uint64_t n) { return {.file = n, .block = n << 4}; }

// A second tier of RocksDB that keeps everything, as plain bytes.
class PlainTier final : public rocksdb::SecondaryCache {
 public:
  class Result final : public rocksdb::SecondaryCacheResultHandle {
   public:
    Result(void* object, size_t charge) : object_(object), charge_(charge) {}
    bool IsReady() override { return true; }
    void Wait() override {}
    void* Value() override { return object_; }
    size_t Size() override { return charge_; }

   private:
    void* const object_;
    const size_t charge_;
  };

  bool damages = false;
  rocksdb::CompressionType type = rocksdb::kNoCompression;
  int waits = 0;

  const char* Name() const override { return "PlainTier"; }
  rocksdb::Status Insert(const rocksdb::Slice& key, void* object,
                         const rocksdb::Cache::CacheItemHelper* helper,
                         bool /*force*/) override {
    std::string saved(helper->size_cb(object), '\0');
    // In pieces, as RocksDB allows.
    constexpr size_t kPiece = 37;
    for (size_t at = 0; at < saved.size(); at += kPiece) {
      const size_t n = std::min(kPiece, saved.size() - at);
      EXPECT_TRUE(helper->saveto_cb(object, at, n, saved.data() + at).ok());
    }
    EXPECT_FALSE(helper->saveto_cb(object, 1, saved.size(), nullptr).ok());
    std::string whole(saved.size(), '\0');
    EXPECT_TRUE(helper->saveto_cb(object, 0, whole.size(), whole.data()).ok());
    EXPECT_EQ(saved, whole);
    saved_[key.ToString()] = saved;
    return rocksdb::Status::OK();
  }
  rocksdb::Status InsertSaved(const rocksdb::Slice&, const rocksdb::Slice&,
                              rocksdb::CompressionType,
                              rocksdb::CacheTier) override {
    return rocksdb::Status::OK();
  }
  std::unique_ptr<rocksdb::SecondaryCacheResultHandle> Lookup(
      const rocksdb::Slice& key, const rocksdb::Cache::CacheItemHelper* helper,
      rocksdb::Cache::CreateContext* context, bool /*wait*/, bool /*erase*/,
      rocksdb::Statistics*, bool& kept) override {
    kept = true;
    const auto found = saved_.find(key.ToString());
    if (found == saved_.end()) return nullptr;
    std::string bytes = found->second;
    if (damages) {
      bytes[random_.Below(bytes.size())] ^=
          static_cast<char>(1 << random_.Below(8));
    }
    void* object = nullptr;
    size_t charge = 0;
    if (!helper
             ->create_cb(bytes, type, rocksdb::CacheTier::kVolatileTier,
                         context, nullptr, &object, &charge)
             .ok()) {
      return nullptr;
    }
    return std::make_unique<Result>(object, charge);
  }
  bool SupportForceErase() const override { return false; }
  void Erase(const rocksdb::Slice& key) override {
    saved_.erase(key.ToString());
  }
  void WaitAll(
      std::vector<rocksdb::SecondaryCacheResultHandle*> handles) override {
    if (!handles.empty()) ++waits;
  }
  rocksdb::Status GetCapacity(size_t& capacity) override {
    capacity = 1 << 20;
    return rocksdb::Status::OK();
  }

 private:
  std::map<std::string, std::string> saved_;
  Random random_{1};
};

class ForeignCacheTiers : public ::testing::TestWithParam<bool> {
 protected:
  void MakeCache(std::shared_ptr<rocksdb::SecondaryCache> tier) {
    std::shared_ptr<rocksdb::Cache> theirs;
    if (GetParam()) {
      ashlar_rocksdb::AshlarCacheOptions options;
      options.hyper_clock = rocksdb::HyperClockCacheOptions(10'000, 0, 0);
      options.hyper_clock.secondary_cache = std::move(tier);
      ASSERT_TRUE(NewAshlarCache(options, &theirs).ok());
    } else {
      rocksdb::LRUCacheOptions options;
      options.capacity = 10'000;
      options.num_shard_bits = 0;
      options.secondary_cache = std::move(tier);
      theirs = options.MakeSharedCache();
    }
    cache_ = ashlar_rocksdb::NewForeignCache(theirs).value();
  }
  void TearDown() override {
    cache_.reset();
    EXPECT_TRUE(values_.EachEndedOnce());
  }

  void Put(uint64_t n, const CacheItemOps* ops = &kSavedOps) {
    ASSERT_TRUE(cache_
                    ->Insert(Key(n), values_.Make(Key(n), kCharge), ops,
                             kCharge, nullptr, CachePriority::kLow)
                    .ok());
  }
  // Evicts all that was in the first tier before.
  void Flood() {
    for (int i = 0; i < 50; ++i) Put(1000 + flooded_++, &kCountedOps);
  }
  // Returns whether the second tier has the key. Checks what it returns.
  bool TierHas(uint64_t n) {
    CacheHandle* const handle =
        cache_->LookupSecondary(Key(n), &kSavedOps, &context_);
    if (handle == nullptr) return false;
    Check(n, handle);
    return true;
  }
  void Check(uint64_t n, CacheHandle* handle) {
    EXPECT_EQ(CountedValue::Of(handle)->key, Key(n));
    EXPECT_EQ(CountedValue::Of(handle)->times_ended, 0);
    EXPECT_EQ(handle->ops(), &kSavedOps);
    EXPECT_EQ(handle->charge(), kCharge);
    cache_->Release(handle);
  }

  CountedValues values_;
  CreateCounted context_ = {.values = &values_, .charge = kCharge};
  std::shared_ptr<Cache> cache_;
  uint64_t flooded_ = 0;
};

TEST_P(ForeignCacheTiers, MakeValuesAgain) {
  MakeCache(std::make_shared<PlainTier>());
  Put(1);
  Put(2, &kCountedOps);
  Flood();
  EXPECT_EQ(cache_->Lookup(Key(1)), nullptr);
  EXPECT_EQ(cache_->LookupSecondary(Key(1), &kCountedOps, &context_), nullptr);
  EXPECT_TRUE(TierHas(1));
  EXPECT_EQ(context_.times_called, 1);
  EXPECT_FALSE(TierHas(2));
  EXPECT_FALSE(TierHas(3));
  // It is in the first tier again.
  CacheHandle* const found = cache_->Lookup(Key(1));
  ASSERT_NE(found, nullptr);
  Check(1, found);
  EXPECT_EQ(context_.times_called, 1);
}

TEST_P(ForeignCacheTiers, LookManyKeysUpAtOnce) {
  const auto tier = std::make_shared<PlainTier>();
  MakeCache(tier);
  for (uint64_t n = 0; n < 70; n += 2) Put(n);
  Flood();
  std::vector<CacheKey> keys;
  for (uint64_t n = 0; n < 70; ++n) keys.push_back(Key(n));
  std::vector<CacheHandle*> handles(keys.size());
  // What the caller has already found stays.
  CacheHandle* const own = cache_->CreateStandalone(
      Key(2), values_.Make(Key(2), kCharge), &kSavedOps, kCharge, true);
  handles[2] = own;
  cache_->LookupSecondaryBatch(keys, &kSavedOps, &context_, handles.data());
  EXPECT_EQ(handles[2], own);
  for (uint64_t n = 0; n < 70; ++n) {
    ASSERT_EQ(handles[n] != nullptr, n % 2 == 0) << n;
    if (handles[n] != nullptr) Check(n, handles[n]);
  }
  EXPECT_EQ(context_.times_called, 34);
  EXPECT_EQ(tier->waits, 3);  // 32 keys at a time
}

TEST_P(ForeignCacheTiers, RefuseDamagedBytes) {
  const auto tier = std::make_shared<PlainTier>();
  MakeCache(tier);
  Put(1);
  Flood();
  tier->damages = true;
  for (int i = 0; i < 300; ++i) ASSERT_FALSE(TierHas(1));
  tier->damages = false;
  tier->type = rocksdb::kLZ4Compression;
  EXPECT_FALSE(TierHas(1));
  tier->type = rocksdb::kNoCompression;
  EXPECT_EQ(context_.times_called, 0);
  context_.answer = CreateCounted::Answer::kRefuse;
  EXPECT_FALSE(TierHas(1));
  context_.answer = CreateCounted::Answer::kNotNow;
  EXPECT_FALSE(TierHas(1));
  context_.answer = CreateCounted::Answer::kMake;
  EXPECT_TRUE(TierHas(1));
}

TEST_P(ForeignCacheTiers, WorkWithRocksDbsCompressedTier) {
  rocksdb::CompressedSecondaryCacheOptions options;
  options.capacity = 1 << 20;
  options.num_shard_bits = 0;
  MakeCache(options.MakeSharedSecondaryCache());
  Random random(1);
  int misses = 0;
  for (int i = 0; i < 3000; ++i) {
    const uint64_t n = random.Below(40);
    CacheHandle* const found = cache_->Lookup(Key(n));
    if (found != nullptr) {
      Check(n, found);
    } else if (!TierHas(n)) {
      ++misses;
      Put(n);
    }
  }
  EXPECT_GT(context_.times_called, 1000);
  EXPECT_LT(misses, 500);
}

TEST_P(ForeignCacheTiers, AreNotAskedIfThereAreNone) {
  MakeCache(nullptr);
  Put(1);
  CacheHandle* const found = cache_->Lookup(Key(1));
  ASSERT_NE(found, nullptr);
  Check(1, found);
  // It would find the entry of the first tier if it looked there again.
  EXPECT_EQ(cache_->LookupSecondary(Key(1), &kSavedOps, &context_), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Over, ForeignCacheTiers, ::testing::Bool(),
                         [](const auto& over) {
                           return std::string(over.param ? "Ashlar" : "Lru");
                         });

}  // namespace
}  // namespace ashlar::testing
