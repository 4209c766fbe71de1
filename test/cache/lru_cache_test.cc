// What is special to the LRU cache: its order of eviction, pools and options.

#include "cache/lru/lru_cache.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "test/cache/cache_fixture.h"

namespace ashlar::testing {
namespace {

constexpr CachePriority kHigh = CachePriority::kHigh;
constexpr CachePriority kLow = CachePriority::kLow;
constexpr CachePriority kBottom = CachePriority::kBottom;

// A cache for ten entries of the same charge.
class LruOrder : public CacheFixture {
 protected:
  void MakeLruCache(double high_pri_pool_ratio, double low_pri_pool_ratio) {
    LruCacheOptions options;
    options.capacity = 10 * kCharge;
    options.num_shard_bits = 0;
    options.high_pri_pool_ratio = high_pri_pool_ratio;
    options.low_pri_pool_ratio = low_pri_pool_ratio;
    options.metadata_charge_policy = CacheMetadataChargePolicy::kDontCharge;
    cache_ = NewLruCache(options).value();
    cache_->SetEvictionCallback([this](const CacheKey& /*key*/,
                                       const CacheHandle& entry, bool /*hit*/) {
      evicted_ += Name(CountedValue::Of(&entry)->key);
      return false;
    });
  }
  static char Name(const CacheKey& key) {
    for (char c = 'a'; c <= 'z'; ++c) {
      if (key == TestKey(static_cast<uint64_t>(c))) return c;
    }
    return '?';
  }
  // Inserts one key per letter, in this order.
  void PutAll(const std::string& names, CachePriority priority) {
    for (const char name : names) {
      Put(static_cast<uint64_t>(name), kCharge, priority);
    }
  }
  void Hit(const std::string& names) {
    for (const char name : names) {
      EXPECT_NE(Find(static_cast<uint64_t>(name)), nullptr) << name;
    }
  }
  // Returns all entries in the order in which the cache evicts them.
  std::string Order() {
    evicted_.clear();
    for (size_t left = 10; left-- > 0;) cache_->SetCapacity(left * kCharge);
    return evicted_;
  }

  std::string evicted_;
};

TEST_F(LruOrder, WithoutPoolsTheLeastRecentlyUsedGoesFirst) {
  MakeLruCache(0, 0);
  PutAll("abcde", kLow);
  PutAll("fgh", kHigh);
  PutAll("ij", kBottom);
  Hit("cgi");
  EXPECT_EQ(evicted_, "");
  PutAll("kl", kLow);
  EXPECT_EQ(evicted_, "ab");
  EXPECT_EQ(Order(), "defhjcgikl");
}

// An entry counts as used when its handle is released, not when it was
// obtained.
TEST_F(LruOrder, AnEntryIsAsRecentAsItsRelease) {
  MakeLruCache(0, 0);
  CacheHandle* const a = PutPinned('a');
  PutAll("bcd", kLow);
  CacheHandle* const b = cache_->Lookup(TestKey('b'));
  PutAll("e", kLow);
  cache_->Release(b);
  cache_->Release(a);
  PutAll("f", kLow);
  EXPECT_EQ(Order(), "cdebaf");
}

TEST_F(LruOrder, HighPriorityGoesLast) {
  MakeLruCache(0.5, 0);
  PutAll("abcde", kHigh);
  PutAll("fghij", kLow);
  PutAll("klm", kLow);
  EXPECT_EQ(evicted_, "fgh");
  EXPECT_EQ(Order(), "ijklmabcde");
}

TEST_F(LruOrder, WhatWasHitIsOfHighPriority) {
  MakeLruCache(0.3, 0);
  PutAll("abcd", kLow);
  PutAll("ef", kBottom);
  Hit("be");
  PutAll("gh", kLow);
  EXPECT_EQ(Order(), "acdfghbe");
}

TEST_F(LruOrder, EachPoolHasItsPlace) {
  MakeLruCache(0.3, 0.3);
  PutAll("abc", kHigh);
  PutAll("def", kLow);
  PutAll("ghi", kBottom);
  EXPECT_EQ(Order(), "ghidefabc");
}

// The oldest entries of a full pool become the newest of the pool below.
TEST_F(LruOrder, PoolsOverflowDownwards) {
  MakeLruCache(0.2, 0.3);
  PutAll("pq", kBottom);
  PutAll("def", kLow);
  PutAll("abcg", kHigh);
  // High: c g. Low: f a b. Bottom: p q d e.
  EXPECT_EQ(Order(), "pqdefabcg");
}

TEST_F(LruOrder, PoolsFollowTheCapacity) {
  MakeLruCache(0.4, 0);
  PutAll("abcd", kHigh);
  PutAll("efgh", kLow);
  // Two of high priority stay there; the other two become the newest of the
  // rest.
  cache_->SetCapacity(5 * kCharge);
  EXPECT_EQ(evicted_, "efg");
  PutAll("i", kLow);
  EXPECT_EQ(evicted_, "efgh");
  EXPECT_EQ(Order(), "abicd");
}

// A walk does not count as a use.
TEST_F(LruOrder, ForEachEntryLeavesTheOrder) {
  MakeLruCache(0.3, 0.3);
  PutAll("abc", kHigh);
  PutAll("def", kLow);
  PutAll("ghi", kBottom);
  size_t shown = 0;
  cache_->ForEachEntry([&shown](const CacheEntryView&) { ++shown; });
  EXPECT_EQ(shown, 9u);
  EXPECT_EQ(Order(), "ghidefabc");
}

// An entry cannot be evicted while a walk shows it. Afterwards the capacity
// holds again.
TEST_F(LruOrder, NothingIsEvictedWhileItIsShown) {
  MakeLruCache(0, 0);
  PutAll("abcd", kLow);
  bool first = true;
  cache_->ForEachEntry([&](const CacheEntryView& /*entry*/) {
    if (first) cache_->SetCapacity(0);
    first = false;
    EXPECT_EQ(evicted_, "");
    EXPECT_EQ(cache_->GetOccupancyCount(), 4u);
  });
  EXPECT_EQ(evicted_, "abcd");
  EXPECT_EQ(cache_->GetUsage(), 0u);
}

TEST_F(LruOrder, WhatIsShownMakesNoRoom) {
  MakeLruCache(0, 0);
  cache_->SetCapacity(2 * kCharge);
  cache_->SetStrictCapacityLimit(true);
  PutAll("ab", kLow);
  cache_->ForEachEntry([this](const CacheEntryView& /*entry*/) {
    CountedValue* const value = Make('c');
    EXPECT_EQ(cache_->CreateStandalone(value->key, value, &kCountedOps, kCharge,
                                       /*allow_uncharged=*/false),
              nullptr);
    EndCounted(value, nullptr);
    EXPECT_EQ(Put('d')->times_ended, 1);
    EXPECT_EQ(cache_->GetUsage(), 2 * kCharge);
  });
  EXPECT_EQ(Put('e')->times_ended, 0);
}

// If an entry is erased in any way while a walk shows it, the walk ends its
// value.
TEST_F(LruOrder, WhatIsErasedWhileItIsShownIsEndedAfterwards) {
  MakeLruCache(0, 0);
  PutAll("ab", kLow);
  CacheHandle* const c = PutPinned('c');
  CacheHandle* const d = PutPinned('d');
  CacheHandle* const e = PutPinned('e');
  size_t shown = 0;
  cache_->ForEachEntry([&](const CacheEntryView& entry) {
    if (shown++ == 0) {
      cache_->Erase(TestKey('a'));
      EXPECT_FALSE(cache_->Release(c, /*erase_if_last_ref=*/true));
      cache_->Erase(TestKey('d'));
      EXPECT_FALSE(cache_->Release(d));
      EXPECT_FALSE(cache_->Release(e));
      cache_->EraseUnRefEntries();
      for (const char name : {'a', 'b', 'c', 'd', 'e'}) {
        EXPECT_EQ(Find(static_cast<uint64_t>(name)), nullptr);
      }
    }
    EXPECT_EQ(CountedValue::Of(entry.value)->times_ended, 0);
  });
  EXPECT_EQ(shown, 5u);
  EXPECT_EQ(cache_->GetOccupancyCount(), 0u);
  EXPECT_TRUE(values_.EachEndedOnce());
  EXPECT_EQ(evicted_, "");
}

// An insert that cannot succeed anyway evicts nothing.
TEST_F(LruOrder, WhatHasNoRoomAnywayEvictsNothing) {
  MakeLruCache(0, 0);
  PutAll("abcd", kLow);
  CacheHandle* const held = PutPinned('e', 5 * kCharge);
  EXPECT_EQ(Put('f', 6 * kCharge)->times_ended, 1);
  EXPECT_EQ(evicted_, "f");
  cache_->SetStrictCapacityLimit(true);
  CountedValue* const value = Make('g', 6 * kCharge);
  CacheHandle* handle = nullptr;
  EXPECT_TRUE(
      cache_->Insert(value->key, value, &kCountedOps, value->charge, &handle)
          .IsMemoryLimit());
  EXPECT_EQ(evicted_, "f");
  EndCounted(value, nullptr);
  // An entry that just fits does evict others.
  cache_->Release(PutPinned('h', 5 * kCharge));
  EXPECT_EQ(evicted_, "fabcd");
  cache_->Release(held);
}

// The surplus is evicted as soon as it is released, and the eviction callback
// sees it.
TEST_F(LruOrder, WhatHasNoRoomGoesWithItsLastReference) {
  MakeLruCache(0, 0);
  std::vector<CacheHandle*> held;
  for (char name = 'a'; name <= 'm'; ++name) {
    held.push_back(PutPinned(static_cast<uint64_t>(name)));
  }
  for (size_t i = 0; i < held.size(); ++i) {
    EXPECT_EQ(cache_->Release(held[i]), i < 3) << i;
  }
  EXPECT_EQ(evicted_, "abc");
  EXPECT_EQ(cache_->GetUsage(), 10 * kCharge);
}

TEST_F(LruOrder, ReferencesAreLimited) {
  MakeLruCache(0, 0);
  CacheHandle* const handle = PutPinned('a');
  auto* const entry = static_cast<internal::LruEntry*>(handle);
  entry->refs = internal::kMaxLruRefs - 1;
  EXPECT_TRUE(cache_->Ref(handle));
  EXPECT_FALSE(cache_->Ref(handle));
  EXPECT_EQ(cache_->Lookup(TestKey('a')), nullptr);
  EXPECT_FALSE(cache_->Release(handle));
  EXPECT_TRUE(cache_->Ref(handle));
  entry->refs = 1;
  cache_->Release(handle);
}

TEST_F(LruOrder, MoreInUseThanCapacityIsReported) {
  MakeLruCache(0, 0);
  CacheHandle* const handle = PutPinned('a', 11 * kCharge);
  EXPECT_NE(cache_->ReportProblems().find("11000"), std::string::npos);
  EXPECT_NE(cache_->ReportProblems().find("capacity"), std::string::npos);
  cache_->Release(handle);
  EXPECT_EQ(cache_->ReportProblems(), "");
}

// Hash chains stay short.
TEST_F(LruOrder, TheTableGrowsWithItsEntries) {
  MakeLruCache(0, 0);
  cache_->SetCapacity(5000 * kCharge);
  for (uint64_t n = 0; n < 5000; ++n) Put(n);
  EXPECT_GE(cache_->GetTableAddressCount(), 5000u);
  EXPECT_LE(cache_->GetTableAddressCount(), 16384u);
}

size_t ShardsOf(size_t capacity, int num_shard_bits) {
  LruCacheOptions options;
  options.capacity = capacity;
  options.num_shard_bits = num_shard_bits;
  const std::shared_ptr<Cache> cache = NewLruCache(options).value();
  // The table of a shard begins with 16 buckets.
  return cache->GetTableAddressCount() / 16;
}

TEST(LruOptions, ShardsFollowFromTheCapacity) {
  EXPECT_EQ(ShardsOf(0, -1), 1u);
  EXPECT_EQ(ShardsOf(size_t{512} << 10, -1), 1u);
  EXPECT_EQ(ShardsOf(size_t{1} << 20, -1), 2u);
  EXPECT_EQ(ShardsOf(size_t{3} << 20, -1), 4u);
  EXPECT_EQ(ShardsOf(size_t{32} << 20, -1), 64u);
  EXPECT_EQ(ShardsOf(size_t{1} << 40, -1), 64u);
  EXPECT_EQ(ShardsOf(1000, 0), 1u);
  EXPECT_EQ(ShardsOf(1000, 7), 128u);
}

// The capacities of the shards add up to the whole, to the byte.
TEST(LruOptions, ShardsShareTheCapacityExactly) {
  static constexpr CacheItemOps kNothing = {};
  LruCacheOptions options;
  options.capacity = 1003;
  options.num_shard_bits = 3;
  options.strict_capacity_limit = true;
  options.metadata_charge_policy = CacheMetadataChargePolicy::kDontCharge;
  const std::shared_ptr<Cache> cache = NewLruCache(options).value();
  std::vector<CacheHandle*> held;
  for (uint64_t n = 0; n < 20000; ++n) {
    CacheHandle* const handle = cache->CreateStandalone(
        TestKey(n), nullptr, &kNothing, 1, /*allow_uncharged=*/false);
    if (handle != nullptr) held.push_back(handle);
  }
  EXPECT_EQ(cache->GetUsage(), 1003u);
  EXPECT_TRUE(cache->Insert(TestKey(1), nullptr, &kNothing, 1).ok());
  EXPECT_EQ(cache->GetUsage(), 1003u);
  for (CacheHandle* const handle : held) cache->Release(handle);
}

TEST(LruOptions, AreValidated) {
  const auto error = [](auto set) {
    LruCacheOptions options;
    set(options);
    const auto cache = NewLruCache(options);
    if (cache.ok()) return std::string("ok");
    EXPECT_TRUE(cache.status().IsInvalidArgument());
    return std::string(cache.status().message().substr(
        0, cache.status().message().find(" is ")));
  };
  using Options = LruCacheOptions;
  EXPECT_EQ(error([](Options&) {}), "ok");
  EXPECT_EQ(error([](Options& o) { o.num_shard_bits = -2; }), "num_shard_bits");
  EXPECT_EQ(error([](Options& o) { o.num_shard_bits = 17; }), "num_shard_bits");
  EXPECT_EQ(error([](Options& o) { o.num_shard_bits = 16; }), "ok");
  for (const double bad : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(error([bad](Options& o) { o.high_pri_pool_ratio = bad; }),
              "high_pri_pool_ratio");
    EXPECT_EQ(error([bad](Options& o) { o.low_pri_pool_ratio = bad; }),
              "low_pri_pool_ratio");
  }
  EXPECT_EQ(error([](Options& o) { o.low_pri_pool_ratio = 0.6; }),
            "high_pri_pool_ratio and low_pri_pool_ratio are more than 1 "
            "together");
  EXPECT_EQ(error([](Options& o) { o.low_pri_pool_ratio = 0.5; }), "ok");
}

}  // namespace
}  // namespace ashlar::testing
