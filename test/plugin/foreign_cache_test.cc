// ForeignCache: an ashlar::Cache over caches of RocksDB. Random operations must
// do what they do on Ashlar's own LRU cache. Limits, allocators, second tiers
// and the life of entries have tests of their own.

#include "foreign_cache.h"

#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/env.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar_cache.h"
#include "cache_terms.h"
#include "foreign_entry.h"
#include "test/cache/counted_values.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

using ashlar_rocksdb::NewForeignCache;

std::shared_ptr<Cache> Over(const std::shared_ptr<rocksdb::Cache>& theirs) {
  auto made = NewForeignCache(theirs);
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return std::move(made).value();
}

struct Maker {
  const char* name;
  std::shared_ptr<rocksdb::Cache> (*make)(size_t capacity, bool strict);
};
const Maker kMakers[] = {
    {"Lru",
     [](size_t capacity, bool strict) {
       rocksdb::LRUCacheOptions options(capacity, 0, strict, 0.5);
       options.metadata_charge_policy = rocksdb::kDontChargeCacheMetadata;
       return options.MakeSharedCache();
     }},
    {"HyperClock",
     [](size_t capacity, bool strict) {
       return rocksdb::HyperClockCacheOptions(capacity, 0, 0, strict, nullptr,
                                              rocksdb::kDontChargeCacheMetadata)
           .MakeSharedCache();
     }},
    {"FixedHyperClock",
     [](size_t capacity, bool strict) {
       return rocksdb::HyperClockCacheOptions(capacity, 1000, 0, strict,
                                              nullptr,
                                              rocksdb::kDontChargeCacheMetadata)
           .MakeSharedCache();
     }},
    {"Ashlar",
     [](size_t capacity, bool strict) {
       ashlar_rocksdb::AshlarCacheOptions options;
       options.hyper_clock = rocksdb::HyperClockCacheOptions(
           capacity, 0, 0, strict, nullptr, rocksdb::kDontChargeCacheMetadata);
       std::shared_ptr<rocksdb::Cache> cache;
       EXPECT_TRUE(NewAshlarCache(options, &cache).ok());
       return cache;
     }},
};

// One of two caches, with the same values under the same numbers.
struct Side {
  std::shared_ptr<Cache> cache;
  CountedValues values;
  std::vector<CacheHandle*> handles;
};

class SameOperations {
 public:
  SameOperations(const Maker& maker, uint64_t seed) : random_(seed) {
    constexpr size_t kCapacity = 1 << 20;  // nothing is evicted
    LruCacheOptions options;
    options.capacity = kCapacity;
    sides_[0].cache = NewLruCache(options).value();
    sides_[1].cache = Over(maker.make(kCapacity, false));
  }

  void Step() {
    const uint64_t n = random_.Below(100);
    if (n < 25) return Insert();
    if (n < 50) return Lookup();
    if (n < 55) return LookupBatch();
    if (n < 80) return Release();
    if (n < 85) return Ref();
    if (n < 92) return Erase();
    if (n < 96) return CreateStandalone();
    if (n < 98) return Show();
    if (n < 99) return Visit();
    for (Side& side : sides_) side.cache->EraseUnRefEntries();
  }
  void Check() {
    const auto& oracle = sides_[0].values.all();
    const auto& foreign = sides_[1].values.all();
    for (size_t i = 0; i < oracle.size(); ++i) {
      ASSERT_EQ(oracle[i].times_ended, foreign[i].times_ended) << "value " << i;
    }
    ASSERT_EQ(sides_[0].cache->GetPinnedUsage() == 0,
              sides_[1].cache->GetPinnedUsage() == 0);
  }
  void Finish() {
    while (!sides_[0].handles.empty()) Release();
    for (Side& side : sides_) {
      EXPECT_EQ(side.cache->GetPinnedUsage(), 0u);
      side.cache.reset();
      EXPECT_TRUE(side.values.EachEndedOnce());
    }
  }

 private:
  static constexpr size_t kMostHeld = 30;

  static CacheKey Key(uint64_t n) { return {.file = n / 7, .block = n}; }
  CacheKey DrawKey() { return Key(random_.Below(40)); }

  template <typename Act>
  void OnBoth(Act act) {
    const auto oracle = act(sides_[0]);
    const auto foreign = act(sides_[1]);
    EXPECT_EQ(oracle, foreign);
  }
  // Returns what a handle says of its entry.
  static std::string Describe(const Side& side, const CacheHandle* handle) {
    if (handle == nullptr) return "none";
    const CountedValue& value = *CountedValue::Of(handle);
    EXPECT_EQ(value.times_ended, 0);
    EXPECT_EQ(handle->ops(), &kCountedOps);
    EXPECT_EQ(side.cache->KeyOf(*handle), value.key);
    return std::to_string(value.id) + " " + std::to_string(handle->charge());
  }

  void Insert() {
    const CacheKey key = DrawKey();
    const size_t charge = random_.Between(100, 1000);
    const bool with_handle =
        sides_[0].handles.size() < kMostHeld && random_.OneIn(2);
    constexpr CachePriority kPriorities[] = {
        CachePriority::kHigh, CachePriority::kLow, CachePriority::kBottom};
    const CachePriority priority = random_.Pick(kPriorities);
    // The caches differ in what they do with a key that is present.
    for (Side& side : sides_) side.cache->Erase(key);
    OnBoth([&](Side& side) {
      CacheHandle* handle = nullptr;
      EXPECT_TRUE(side.cache
                      ->Insert(key, side.values.Make(key, charge), &kCountedOps,
                               charge, with_handle ? &handle : nullptr,
                               priority)
                      .ok());
      if (handle != nullptr) side.handles.push_back(handle);
      return Describe(side, handle);
    });
  }
  void Lookup() {
    const CacheKey key = DrawKey();
    const bool keep = sides_[0].handles.size() < kMostHeld && random_.OneIn(2);
    OnBoth([&](Side& side) {
      CacheHandle* const found = side.cache->Lookup(key);
      std::string text = Describe(side, found);
      if (found == nullptr) return text;
      if (keep) {
        side.handles.push_back(found);
      } else {
        text += side.cache->Release(found) ? " gone" : " stays";
      }
      return text;
    });
  }
  void LookupBatch() {
    std::vector<CacheKey> keys(random_.Below(40));
    for (CacheKey& key : keys) key = DrawKey();
    OnBoth([&](Side& side) {
      std::vector<CacheHandle*> found(keys.size());
      std::vector<Cache::SlotHint> hints(keys.size(), Cache::kNoSlotHint);
      side.cache->LookupBatch(keys, found.data(), hints.data());
      std::string text;
      for (CacheHandle* const handle : found) {
        text += Describe(side, handle) + ",";
        if (handle != nullptr) side.cache->Release(handle);
      }
      return text;
    });
  }
  void Release() {
    if (sides_[0].handles.empty()) return;
    const auto i =
        static_cast<ptrdiff_t>(random_.Below(sides_[0].handles.size()));
    const bool erase = random_.OneIn(4);
    OnBoth([&](Side& side) {
      CacheHandle* const handle = side.handles[static_cast<size_t>(i)];
      side.handles.erase(side.handles.begin() + i);
      return side.cache->Release(handle, erase);
    });
  }
  void Ref() {
    const size_t held = sides_[0].handles.size();
    if (held == 0 || held >= kMostHeld) return;
    const size_t i = random_.Below(held);
    OnBoth([&](Side& side) {
      side.handles.push_back(side.handles[i]);
      return side.cache->Ref(side.handles[i]);
    });
  }
  void Erase() {
    const CacheKey key = DrawKey();
    for (Side& side : sides_) side.cache->Erase(key);
  }
  void CreateStandalone() {
    if (sides_[0].handles.size() >= kMostHeld) return;
    const CacheKey key = DrawKey();
    OnBoth([&](Side& side) {
      side.handles.push_back(side.cache->CreateStandalone(
          key, side.values.Make(key, 200), &kCountedOps, 200, false));
      return Describe(side, side.handles.back());
    });
  }
  void Show() {
    OnBoth([](Side& side) {
      std::set<std::pair<uint64_t, size_t>> shown;
      side.cache->ForEachEntry([&](const CacheEntryView& entry) {
        const CountedValue& value = *CountedValue::Of(entry.value);
        EXPECT_EQ(entry.key, value.key);
        EXPECT_EQ(entry.ops, &kCountedOps);
        EXPECT_TRUE(shown.emplace(value.id, entry.charge).second);
        // The callback may use the cache.
        CacheHandle* const found = side.cache->Lookup(entry.key);
        EXPECT_NE(found, nullptr);
        if (found != nullptr) side.cache->Release(found);
      });
      return shown;
    });
  }
  void Visit() {
    const CacheKey key = DrawKey();
    OnBoth([&](Side& side) {
      uint64_t shown = 0;
      const bool found =
          side.cache->VisitEntry(key, [&](const CacheEntryView& entry) {
            shown = CountedValue::Of(entry.value)->id;
          });
      return std::pair(found, shown);
    });
  }

  Random random_;
  Side sides_[2];
};

class ForeignCaches : public ::testing::TestWithParam<Maker> {};

TEST_P(ForeignCaches, DoWhatOurLruCacheDoes) {
  ForEachSeed(1, 20, [](uint64_t seed) {
    SameOperations operations(GetParam(), seed);
    for (int step = 0; step < 1000; ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      ASSERT_NO_FATAL_FAILURE(operations.Step());
      ASSERT_NO_FATAL_FAILURE(operations.Check());
      if (::testing::Test::HasFailure()) return;
    }
    operations.Finish();
  });
}

TEST_P(ForeignCaches, HoldAStrictLimit) {
  CountedValues values;
  constexpr size_t kCharge = 1000 - ashlar_rocksdb::kForeignEntryBytes;
  const std::shared_ptr<rocksdb::Cache> theirs = GetParam().make(5000, true);
  std::shared_ptr<Cache> cache = Over(theirs);
  EXPECT_TRUE(cache->HasStrictCapacityLimit());
  EXPECT_EQ(cache->GetCapacity(), 5000u);
  std::vector<CacheHandle*> held;
  for (uint64_t n = 0; n < 5; ++n) {
    CacheHandle* handle = nullptr;
    const CacheKey key = {n, n};
    ASSERT_TRUE(cache
                    ->Insert(key, values.Make(key, kCharge), &kCountedOps,
                             kCharge, &handle)
                    .ok());
    held.push_back(handle);
  }
  EXPECT_EQ(cache->GetUsage(), 5000u);
  EXPECT_EQ(cache->GetPinnedUsage(), 5000u);
  EXPECT_EQ(theirs->GetUsage(), 5000u);
  const CacheKey key = {6, 6};
  CountedValue* const value = values.Make(key, kCharge);
  CacheHandle* handle = held[0];
  EXPECT_TRUE(cache->Insert(key, value, &kCountedOps, kCharge, &handle)
                  .IsMemoryLimit());
  EXPECT_EQ(handle, nullptr);
  EXPECT_EQ(cache->CreateStandalone(key, value, &kCountedOps, kCharge, false),
            nullptr);
  EXPECT_EQ(value->times_ended, 0);
  EXPECT_TRUE(cache->Insert(key, value, &kCountedOps, kCharge).ok());
  EXPECT_EQ(value->times_ended, 1);
  handle = cache->CreateStandalone(key, values.Make(key, kCharge), &kCountedOps,
                                   kCharge, true);
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ(handle->charge(), kCharge);
  EXPECT_EQ(cache->GetUsage(), 5000u);
  EXPECT_TRUE(cache->Release(handle));
  for (CacheHandle* const each : held) cache->Release(each);
  cache->SetStrictCapacityLimit(false);
  EXPECT_FALSE(theirs->HasStrictCapacityLimit());
  cache->SetCapacity(1 << 20);
  EXPECT_EQ(theirs->GetCapacity(), size_t{1} << 20);
  cache->EraseUnRefEntries();
  EXPECT_TRUE(values.EachEndedOnce());
}

TEST_P(ForeignCaches, ServeManyThreads) {
  constexpr uint64_t kKeys = 100;
  CountedValues values;
  std::mutex making;
  std::shared_ptr<Cache> cache = Over(GetParam().make(50'000, false));
  std::vector<std::thread> threads;
  for (uint64_t t = 1; t <= 4; ++t) {
    threads.emplace_back([&, t] {
      Random random(t);
      for (int i = 0; i < 10'000; ++i) {
        const uint64_t n = random.Below(kKeys);
        const CacheKey key = {n, n};
        if (random.OneIn(50)) cache->Erase(key);
        CacheHandle* handle = cache->Lookup(key);
        if (handle == nullptr) {
          CountedValue* value = nullptr;
          {
            const std::scoped_lock lock(making);
            value = values.Make(key, 1000);
          }
          ASSERT_TRUE(
              cache->Insert(key, value, &kCountedOps, 1000, &handle).ok());
        }
        const CountedValue& value = *CountedValue::Of(handle);
        ASSERT_EQ(value.key, key);
        ASSERT_EQ(value.times_ended, 0);
        if (random.OneIn(10)) {
          ASSERT_TRUE(cache->Ref(handle));
          cache->Release(handle);
        }
        cache->Release(handle, random.OneIn(20));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cache->GetPinnedUsage(), 0u);
  cache.reset();
  EXPECT_TRUE(values.EachEndedOnce());
}

// The entries are the user's cache's, not the ForeignCache's.
TEST_P(ForeignCaches, EntriesOutliveThem) {
  CountedValues values;
  std::shared_ptr<rocksdb::Cache> theirs = GetParam().make(50'000, false);
  const CacheKey key = {1, 2};
  CountedValue* const value = values.Make(key, 500);
  ASSERT_TRUE(
      Over(theirs)->Insert(key, value, &kCountedOps, 500, nullptr).ok());
  EXPECT_EQ(value->times_ended, 0);
  const std::shared_ptr<Cache> second = Over(theirs);
  CacheHandle* const found = second->Lookup(key);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->value(), value);
  EXPECT_FALSE(second->Release(found));
  theirs->EraseUnRefEntries();
  EXPECT_EQ(value->times_ended, 1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ForeignCaches, ::testing::ValuesIn(kMakers),
                         [](const auto& kind) {
                           return std::string(kind.param.name);
                         });

class NamedAllocator final : public rocksdb::MemoryAllocator {
 public:
  const char* Name() const override { return "NamedAllocator"; }
  void* Allocate(size_t size) override { return ::operator new(size); }
  void Deallocate(void* memory) override { ::operator delete(memory); }
};

TEST(ForeignCache, AllocatorsAreThoseOfTheUsersCache) {
  static std::string ended_with;
  static constexpr CacheItemOps kOps = {
      .destroy = [](void* value, MemoryAllocator* allocator) {
        ended_with = allocator == nullptr ? "none" : allocator->Name();
        if (allocator != nullptr) allocator->Deallocate(value);
      }};
  rocksdb::LRUCacheOptions options;
  options.capacity = 1000;
  options.memory_allocator = std::make_shared<NamedAllocator>();
  std::shared_ptr<rocksdb::Cache> theirs = options.MakeSharedCache();
  MemoryAllocator* const ours = Over(theirs)->memory_allocator();
  ASSERT_NE(ours, nullptr);
  // Blocks keep a pointer to it, so it outlives the ForeignCache.
  EXPECT_EQ(Over(theirs)->memory_allocator(), ours);
  ASSERT_TRUE(Over(theirs)->Insert({1, 1}, ours->Allocate(50), &kOps, 50).ok());
  theirs.reset();
  EXPECT_EQ(ended_with, "NamedAllocator");

  const std::shared_ptr<Cache> plain = Over(rocksdb::NewLRUCache(1000));
  EXPECT_EQ(plain->memory_allocator(), nullptr);
  int value = 0;
  ASSERT_TRUE(plain->Insert({1, 1}, &value, &kOps, 50).ok());
  plain->Erase({1, 1});
  EXPECT_EQ(ended_with, "none");
}

class ComplainingCache final : public rocksdb::CacheWrapper {
 public:
  using CacheWrapper::CacheWrapper;
  const char* Name() const override { return "ComplainingCache"; }
  void ReportProblems(
      const std::shared_ptr<rocksdb::Logger>& log) const override {
    rocksdb::Warn(log, "%s is %d", "something", 42);
  }
};

TEST(ForeignCache, ShowsWhatTheUsersCacheSays) {
  const auto theirs =
      std::make_shared<ComplainingCache>(rocksdb::NewLRUCache(1000));
  const std::shared_ptr<Cache> cache = Over(theirs);
  EXPECT_STREQ(cache->Name(), "ComplainingCache");
  EXPECT_NE(cache->ReportProblems().find("something is 42"), std::string::npos);
  EXPECT_EQ(cache->GetOccupancyCount(), theirs->GetOccupancyCount());
  EXPECT_EQ(cache->GetTableAddressCount(), theirs->GetTableAddressCount());
}

// Each lookup returns another handle.
class HandingCache final : public rocksdb::CacheWrapper {
 public:
  using CacheWrapper::CacheWrapper;
  const char* Name() const override { return "HandingCache"; }
  Handle* Lookup(const rocksdb::Slice& key, const CacheItemHelper* helper,
                 CreateContext* context, Priority priority,
                 rocksdb::Statistics* stats) override {
    Handle* const found =
        target_->Lookup(key, helper, context, priority, stats);
    return found == nullptr ? nullptr : Wrap(found);
  }
  bool Release(Handle* handle, bool erase_if_last_ref) override {
    for (auto& wrapped : wrapped_) {
      if (wrapped.get() != handle) continue;
      handle = wrapped->target;
      wrapped = nullptr;
      break;
    }
    return target_->Release(handle, erase_if_last_ref);
  }

 private:
  struct Wrapped : Handle {
    Handle* target;
  };
  Handle* Wrap(Handle* target) {
    auto& wrapped = wrapped_.emplace_back(std::make_unique<Wrapped>());
    wrapped->target = target;
    return wrapped.get();
  }
  std::vector<std::unique_ptr<Wrapped>> wrapped_;
};

TEST(ForeignCache, NeedsACacheWithOneHandlePerEntry) {
  EXPECT_TRUE(NewForeignCache(nullptr).status().IsInvalidArgument());
  const auto theirs =
      std::make_shared<HandingCache>(rocksdb::NewLRUCache(1000));
  const auto refused = NewForeignCache(theirs);
  EXPECT_TRUE(refused.status().IsNotSupported());
  EXPECT_NE(refused.status().ToString().find("HandingCache"),
            std::string::npos);
  EXPECT_EQ(theirs->GetPinnedUsage(), 0u);
}

// "DataBlock" for "data-block".
std::string Plain(std::string name) {
  name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
  for (char& c : name) c = static_cast<char>(std::tolower(c));
  return name;
}

TEST(CacheTerms, RolesHaveTheNamesOfRocksDb) {
  for (size_t i = 0; i < kCacheEntryRoles; ++i) {
    const auto ours = static_cast<CacheEntryRole>(i);
    const rocksdb::CacheEntryRole theirs = ashlar_rocksdb::ToRocksDb(ours);
    if (ours == CacheEntryRole::kReadAhead ||
        ours == CacheEntryRole::kIterator) {
      EXPECT_EQ(theirs, rocksdb::CacheEntryRole::kMisc);
      continue;
    }
    EXPECT_EQ(Plain(rocksdb::GetCacheEntryRoleName(theirs)),
              Plain(std::string(CacheEntryRoleName(ours))));
    EXPECT_EQ(ashlar_rocksdb::ToAshlar(theirs), ours);
  }
  EXPECT_EQ(
      ashlar_rocksdb::ToAshlar(rocksdb::CacheEntryRole::kDeprecatedFilterBlock),
      CacheEntryRole::kMisc);
}

TEST(CacheTerms, PrioritiesHaveTheNamesOfRocksDb) {
  using Theirs = rocksdb::Cache::Priority;
  for (const auto& [ours, theirs] :
       {std::pair(CachePriority::kHigh, Theirs::HIGH),
        std::pair(CachePriority::kLow, Theirs::LOW),
        std::pair(CachePriority::kBottom, Theirs::BOTTOM)}) {
    EXPECT_EQ(ashlar_rocksdb::ToRocksDb(ours), theirs);
    EXPECT_EQ(ashlar_rocksdb::ToAshlar(theirs), ours);
  }
}

}  // namespace
}  // namespace ashlar::testing
