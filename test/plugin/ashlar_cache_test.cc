// What a cache of NewAshlarCache promises beyond single operations: limits,
// callbacks, allocators, options, many threads, and who gets its inner cache.

#include "ashlar_cache.h"

#include <gtest/gtest.h>
#include <rocksdb/advanced_cache.h>
#include <rocksdb/cache.h>
#include <rocksdb/env.h>

#include <atomic>
#include <cstdarg>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "foreign_cache.h"
#include "test/plugin/rocksdb_values.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

using ashlar_rocksdb::AshlarCacheOptions;
using ashlar_rocksdb::NewAshlarCache;
using ashlar_rocksdb::UnderlyingCache;
using rocksdb::Cache;

// A cache of one shard that charges nothing for itself.
AshlarCacheOptions Options(size_t capacity, size_t entry_charge = 0) {
  AshlarCacheOptions options;
  options.hyper_clock =
      rocksdb::HyperClockCacheOptions(capacity, entry_charge, 0);
  options.hyper_clock.metadata_charge_policy =
      rocksdb::kDontChargeCacheMetadata;
  options.hyper_clock.hash_seed = 1;
  return options;
}

std::shared_ptr<Cache> Make(const AshlarCacheOptions& options) {
  std::shared_ptr<Cache> cache;
  const rocksdb::Status s = NewAshlarCache(options, &cache);
  EXPECT_TRUE(s.ok()) << s.ToString();
  return cache;
}

TEST(AshlarCache, AStrictLimitHolds) {
  RocksDbValues values;
  AshlarCacheOptions options = Options(10'000, 1000);
  options.hyper_clock.strict_capacity_limit = true;
  const std::shared_ptr<Cache> cache = Make(options);
  EXPECT_TRUE(cache->HasStrictCapacityLimit());
  std::vector<Cache::Handle*> held;
  for (uint64_t key = 0; key < 10; ++key) {
    Cache::Handle* handle = nullptr;
    ASSERT_TRUE(cache
                    ->Insert(RocksDbKey(key), values.Make(key), &kPlainValue,
                             1000, &handle)
                    .ok());
    held.push_back(handle);
  }
  RocksDbValue* const refused = values.Make(10);
  Cache::Handle* handle = held[0];
  const rocksdb::Status s =
      cache->Insert(RocksDbKey(10), refused, &kPlainValue, 1000, &handle);
  EXPECT_TRUE(s.IsMemoryLimit()) << s.ToString();
  EXPECT_EQ(handle, nullptr);
  EXPECT_EQ(refused->times_ended, 0);
  // Without a handle, it is as if it were evicted at once.
  EXPECT_TRUE(cache->Insert(RocksDbKey(10), refused, &kPlainValue, 1000).ok());
  EXPECT_EQ(refused->times_ended, 1);
  EXPECT_EQ(cache->GetUsage(), 10'000u);

  RocksDbValue* const apart = values.Make(11);
  EXPECT_EQ(
      cache->CreateStandalone(RocksDbKey(11), apart, &kPlainValue, 1000, false),
      nullptr);
  EXPECT_EQ(apart->times_ended, 0);
  handle =
      cache->CreateStandalone(RocksDbKey(11), apart, &kPlainValue, 1000, true);
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ(cache->GetCharge(handle), 0u);
  EXPECT_EQ(cache->GetUsage(), 10'000u);
  EXPECT_TRUE(cache->Release(handle));

  for (Cache::Handle* const each : held) cache->Release(each);
  cache->SetStrictCapacityLimit(false);
  EXPECT_FALSE(cache->HasStrictCapacityLimit());
  cache->SetCapacity(5000);
  EXPECT_EQ(cache->GetCapacity(), 5000u);
  EXPECT_LE(cache->GetUsage(), 5000u);
  cache->EraseUnRefEntries();
  EXPECT_TRUE(values.EachEndedOnce());
}

// As RocksDB's hyper clock cache, which keeps the first one.
TEST(AshlarCache, InsertDoesNotReplaceAValue) {
  RocksDbValues values;
  const std::shared_ptr<Cache> cache = Make(Options(10'000));
  RocksDbValue* const first = values.Make(1);
  ASSERT_TRUE(cache->Insert(RocksDbKey(1), first, &kPlainValue, 100).ok());
  RocksDbValue* const second = values.Make(1);
  ASSERT_TRUE(cache->Insert(RocksDbKey(1), second, &kPlainValue, 100).ok());
  EXPECT_EQ(second->times_ended, 1);
  Cache::Handle* apart = nullptr;
  RocksDbValue* const third = values.Make(1);
  ASSERT_TRUE(
      cache->Insert(RocksDbKey(1), third, &kPlainValue, 100, &apart).ok());
  EXPECT_EQ(cache->Value(apart), third);
  Cache::Handle* const found = cache->BasicLookup(RocksDbKey(1), nullptr);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(cache->Value(found), first);
  EXPECT_FALSE(cache->Release(found));
  EXPECT_TRUE(cache->Release(apart));
  cache->Erase(RocksDbKey(1));
  EXPECT_TRUE(values.EachEndedOnce());
}

// RocksDB's reservations are entries without an object.
TEST(AshlarCache, KeepsNullObjects) {
  const std::shared_ptr<Cache> cache = Make(Options(10'000));
  Cache::Handle* handle = nullptr;
  ASSERT_TRUE(cache
                  ->Insert(RocksDbKey(1), nullptr,
                           &rocksdb::kNoopCacheItemHelper, 4000, &handle)
                  .ok());
  EXPECT_EQ(cache->Value(handle), nullptr);
  EXPECT_EQ(cache->GetPinnedUsage(), 4000u);
  EXPECT_EQ(cache->GetCacheItemHelper(handle), &rocksdb::kNoopCacheItemHelper);
  EXPECT_TRUE(cache->Release(handle, true));
  EXPECT_EQ(cache->GetUsage(), 0u);
}

TEST(AshlarCache, EvictionCallbacksGetEntriesOfRocksDb) {
  RocksDbValues values;
  const std::shared_ptr<Cache> cache = Make(Options(10'000, 1000));
  const std::shared_ptr<ashlar::Cache> inner = UnderlyingCache(cache.get());
  int taken = 0;
  int hits = 0;
  cache->SetEvictionCallback(
      [&](const rocksdb::Slice& key, Cache::Handle* handle, bool was_hit) {
        RocksDbValue* const value = RocksDbValue::Of(cache->Value(handle));
        EXPECT_EQ(key.ToString(), RocksDbKey(value->key));
        EXPECT_EQ(cache->GetCacheItemHelper(handle), &kPlainValue);
        EXPECT_EQ(cache->GetCharge(handle), 1000u);
        if (was_hit) ++hits;
        if (value->id % 2 == 0) return false;
        ++taken;
        EndValue(value, nullptr);
        return true;
      });
  // An entry of Ashlar is none of RocksDB's business.
  static int ours_ended = 0;
  static constexpr CacheItemOps kOps = {
      .destroy = [](void*, MemoryAllocator*) { ++ours_ended; }};
  for (uint64_t key = 0; key < 100; ++key) {
    ASSERT_TRUE(
        cache->Insert(RocksDbKey(key), values.Make(key), &kPlainValue, 1000)
            .ok());
    Cache::Handle* const found = cache->Lookup(RocksDbKey(key));
    if (found != nullptr) cache->Release(found);
    ASSERT_TRUE(inner->Insert({key, 7}, &ours_ended, &kOps, 500).ok());
  }
  EXPECT_GT(taken, 20);
  EXPECT_GT(hits, 20);
  EXPECT_GT(ours_ended, 50);
  // The cache may be used without it again, as a second tier of RocksDB's does
  // at its end.
  cache->SetEvictionCallback({});
  cache->SetCapacity(0);
  EXPECT_TRUE(values.EachEndedOnce());
}

class CountingAllocator final : public rocksdb::MemoryAllocator {
 public:
  const char* Name() const override { return "CountingAllocator"; }
  void* Allocate(size_t size) override {
    ++allocated;
    return std::malloc(size);
  }
  void Deallocate(void* memory) override {
    ++freed;
    std::free(memory);
  }
  size_t UsableSize(void* /*memory*/, size_t size) const override {
    return size + 8;
  }
  std::atomic<int> allocated = 0;
  std::atomic<int> freed = 0;
};

TEST(AshlarCache, AllocatorsAreThoseOfTheOptions) {
  RocksDbValues values;
  const auto allocator = std::make_shared<CountingAllocator>();
  AshlarCacheOptions options = Options(10'000);
  options.hyper_clock.memory_allocator = allocator;
  std::shared_ptr<Cache> cache = Make(options);
  EXPECT_EQ(cache->memory_allocator(), allocator.get());
  MemoryAllocator* const ours =
      UnderlyingCache(cache.get())->memory_allocator();
  ASSERT_NE(ours, nullptr);
  EXPECT_STREQ(ours->Name(), "CountingAllocator");
  void* const memory = ours->Allocate(100);
  EXPECT_EQ(ours->UsableSize(memory, 100), 108u);
  ours->Deallocate(memory);
  EXPECT_EQ(allocator->allocated, 1);
  EXPECT_EQ(allocator->freed, 1);
  RocksDbValue* const value = values.Make(1);
  ASSERT_TRUE(cache->Insert(RocksDbKey(1), value, &kPlainValue, 1).ok());
  cache.reset();
  EXPECT_EQ(value->ended_with, allocator.get());

  cache = Make(Options(10'000));
  EXPECT_EQ(UnderlyingCache(cache.get())->memory_allocator(), nullptr);
  RocksDbValue* const other = values.Make(1);
  ASSERT_TRUE(cache->Insert(RocksDbKey(1), other, &kPlainValue, 1).ok());
  cache->Erase(RocksDbKey(1));
  EXPECT_EQ(other->times_ended, 1);
  EXPECT_EQ(other->ended_with, nullptr);
}

TEST(AshlarCache, OptionsAreChecked) {
  std::shared_ptr<Cache> cache = Make(Options(1000));
  AshlarCacheOptions options = Options(1000);
  options.hyper_clock.num_shard_bits = 17;
  EXPECT_TRUE(NewAshlarCache(options, &cache).IsInvalidArgument());
  EXPECT_EQ(cache, nullptr);
  options = Options(size_t{1} << 50, 1);
  EXPECT_TRUE(NewAshlarCache(options, &cache).IsInvalidArgument());
  // RocksDB takes these two for 1.
  options = Options(1000);
  options.hyper_clock.eviction_effort_cap = 0;
  options.hyper_clock.min_avg_entry_charge = 0;
  EXPECT_TRUE(NewAshlarCache(options, &cache).ok());
}

TEST(AshlarCache, SaysWhatItIs) {
  AshlarCacheOptions options = Options(1 << 20, 1000);
  options.hyper_clock.num_shard_bits = 3;
  options.hyper_clock.hash_seed = 42;
  std::shared_ptr<Cache> cache = Make(options);
  EXPECT_STREQ(cache->Name(), "AshlarCache");
  EXPECT_EQ(cache->GetHashSeed(), 42u);
  EXPECT_NE(cache->NewId(), cache->NewId());
  EXPECT_GT(cache->GetTableAddressCount(), 1000u);
  size_t tier = 1;
  EXPECT_TRUE(cache->GetSecondaryCacheCapacity(tier).ok());
  EXPECT_EQ(tier, 0u);
  const std::string text = cache->GetPrintableOptions();
  for (const char* const part :
       {"capacity : 1048576\n", "num_shard_bits : 3\n",
        "strict_capacity_limit : 0\n", "ashlar_cache : HyperClockCache\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  cache->SetCapacity(2 << 20);
  EXPECT_NE(cache->GetPrintableOptions().find("capacity : 2097152\n"),
            std::string::npos);
  options.hyper_clock.estimated_entry_charge = 0;
  cache = Make(options);
  EXPECT_NE(cache->GetPrintableOptions().find("AutoHyperClockCache"),
            std::string::npos);
}

class LogText final : public rocksdb::Logger {
 public:
  using Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    char line[500];
    std::vsnprintf(line, sizeof(line), format, arguments);
    text += line;
  }
  std::string text;
};

TEST(AshlarCache, ReportsProblems) {
  // Entries turn out much smaller than was expected.
  const std::shared_ptr<Cache> cache = Make(Options(1 << 20, 100'000));
  const auto log = std::make_shared<LogText>();
  cache->ReportProblems(log);
  EXPECT_EQ(log->text, "");
  for (uint64_t key = 0; key < 1000; ++key) {
    ASSERT_TRUE(cache
                    ->Insert(RocksDbKey(key), nullptr,
                             &rocksdb::kNoopCacheItemHelper, 10)
                    .ok());
  }
  cache->ReportProblems(log);
  EXPECT_NE(log->text.find("estimated_entry_charge"), std::string::npos)
      << log->text;
}

class WrappingCache final : public rocksdb::CacheWrapper {
 public:
  using CacheWrapper::CacheWrapper;
  const char* Name() const override { return target_->Name(); }
};

TEST(AshlarCache, OnlyTheCacheItselfHasAnUnderlyingOne) {
  EXPECT_EQ(UnderlyingCache(nullptr), nullptr);
  std::shared_ptr<Cache> cache = Make(Options(1000));
  EXPECT_NE(UnderlyingCache(cache.get()), nullptr);
  // It has the name of what it wraps.
  WrappingCache wrapping(cache);
  EXPECT_STREQ(wrapping.Name(), "AshlarCache");
  EXPECT_EQ(UnderlyingCache(&wrapping), nullptr);
  EXPECT_EQ(UnderlyingCache(rocksdb::NewLRUCache(1000).get()), nullptr);
  AshlarCacheOptions options = Options(1000);
  options.hyper_clock.secondary_cache =
      rocksdb::NewCompressedSecondaryCache(1000);
  EXPECT_EQ(UnderlyingCache(Make(options).get()), nullptr);
}

TEST(AshlarCache, TheUnderlyingCacheKeepsItAlive) {
  RocksDbValues values;
  std::shared_ptr<Cache> cache = Make(Options(10'000));
  RocksDbValue* const value = values.Make(1);
  ASSERT_TRUE(cache->Insert(RocksDbKey(1), value, &kPlainValue, 100).ok());
  std::shared_ptr<ashlar::Cache> inner = UnderlyingCache(cache.get());
  cache.reset();
  EXPECT_EQ(value->times_ended, 0);
  EXPECT_EQ(inner->GetUsage(), 100u);
  inner->SetCapacity(0);  // evicts through the face
  EXPECT_EQ(value->times_ended, 1);
  inner.reset();
}

// All threads look up, insert, reference and erase the same few keys, in a
// cache that has room for half of them.
TEST(AshlarCache, ServesManyThreads) {
  constexpr uint64_t kKeys = 100;
  constexpr int kThreads = 4;
  for (const size_t entry_charge : {0, 1000}) {
    RocksDbValues values;
    std::shared_ptr<Cache> cache = Make(Options(50'000, entry_charge));
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        Random random(static_cast<uint64_t>(t) + 1);
        for (int i = 0; i < 20'000; ++i) {
          const uint64_t key = random.Below(kKeys);
          if (random.OneIn(50)) cache->Erase(RocksDbKey(key));
          Cache::Handle* handle = cache->BasicLookup(RocksDbKey(key), nullptr);
          if (handle == nullptr) {
            ASSERT_TRUE(cache
                            ->Insert(RocksDbKey(key), values.Make(key),
                                     &kPlainValue, 1000, &handle)
                            .ok());
          }
          const RocksDbValue& value = *RocksDbValue::Of(cache->Value(handle));
          ASSERT_EQ(value.key, key);
          ASSERT_EQ(value.times_ended, 0);
          if (random.OneIn(10)) {
            ASSERT_TRUE(cache->Ref(handle));
            cache->Release(handle);
          }
          ASSERT_EQ(value.times_ended, 0);
          cache->Release(handle, random.OneIn(20));
          if (!random.OneIn(2000)) continue;
          cache->ApplyToAllEntries(
              [](const rocksdb::Slice& its_key, void* object, size_t charge,
                 const RocksDbItemHelper* helper) {
                EXPECT_EQ(its_key.ToString(),
                          RocksDbKey(RocksDbValue::Of(object)->key));
                EXPECT_EQ(charge, 1000u);
                EXPECT_EQ(helper, &kPlainValue);
              },
              {});
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(cache->GetPinnedUsage(), 0u);
    cache.reset();
    EXPECT_TRUE(values.EachEndedOnce());
  }
}

}  // namespace
}  // namespace ashlar::testing
