// The fixture for tests of any Cache: one cache, its values, and short calls.
#ifndef ASHLAR_TEST_CACHE_CACHE_FIXTURE_H_
#define ASHLAR_TEST_CACHE_CACHE_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>

#include "test/cache/cache_makers.h"
#include "test/cache/counted_values.h"

namespace ashlar::testing {

class CacheFixture : public ::testing::Test {
 protected:
  static constexpr size_t kCharge = 1000;

  // Checks that nothing is pinned, that every count goes back to zero, and that
  // every value was ended once after the cache is destroyed.
  void TearDown() override {
    if (cache_ == nullptr) return;
    EXPECT_EQ(cache_->GetPinnedUsage(), 0u);
    cache_->EraseUnRefEntries();
    EXPECT_EQ(cache_->GetUsage(), 0u);
    EXPECT_EQ(cache_->GetOccupancyCount(), 0u);
    cache_.reset();
    EXPECT_TRUE(values_.EachEndedOnce());
  }

  CountedValue* Make(uint64_t n, size_t charge = kCharge) {
    return values_.Make(TestKey(n), charge);
  }
  // Inserts without a handle.
  CountedValue* Put(uint64_t n, size_t charge = kCharge,
                    CachePriority priority = CachePriority::kLow) {
    CountedValue* const value = Make(n, charge);
    EXPECT_TRUE(
        cache_
            ->Insert(value->key, value, &kCountedOps, charge, nullptr, priority)
            .ok());
    return value;
  }
  CacheHandle* PutPinned(uint64_t n, size_t charge = kCharge) {
    CountedValue* const value = Make(n, charge);
    CacheHandle* handle = nullptr;
    EXPECT_TRUE(
        cache_->Insert(value->key, value, &kCountedOps, charge, &handle).ok());
    EXPECT_EQ(handle->value(), value);
    return handle;
  }
  CacheHandle* Standalone(uint64_t n, bool allow_uncharged = false) {
    CountedValue* const value = Make(n);
    return cache_->CreateStandalone(value->key, value, &kCountedOps, kCharge,
                                    allow_uncharged);
  }
  // Returns the value, or null.
  CountedValue* Find(uint64_t n) {
    CacheHandle* const handle = cache_->Lookup(TestKey(n));
    if (handle == nullptr) return nullptr;
    CountedValue* const value = CountedValue::Of(handle);
    EXPECT_EQ(value->key, TestKey(n));
    EXPECT_EQ(value->times_ended, 0);
    cache_->Release(handle);
    return value;
  }

  CountedValues values_;
  std::shared_ptr<Cache> cache_;
};

// A test that runs on each of AllCacheMakers.
class AnyCache : public CacheFixture,
                 public ::testing::WithParamInterface<CacheMaker> {
 protected:
  void MakeCache(const CacheConfig& config = {}) {
    cache_ = GetParam()(config);
  }
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_CACHE_CACHE_FIXTURE_H_
