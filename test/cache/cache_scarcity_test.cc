// Caches that run out of memory, and the number of locks that caches take.
//
// This is a program of its own: it decides which allocations fail and counts
// every locked mutex.

#include <gtest/gtest.h>
#include <pthread.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "ashlar/cache/tiered_cache.h"
#include "ashlar/cache/typed_cache.h"
#include "ashlar/table/table_reader.h"
#include "cache/lru/lru_entry.h"
#include "test/cache/cache_fixture.h"
#include "test/cache/saved_values.h"
#include "test/support/faulty_file.h"
#include "test/support/tables.h"

namespace {

enum class Memory { kThere, kNotForEntries, kForEntriesAlone, kNone };
// Only one thread runs here.
Memory memory = Memory::kThere;
int locks = 0;

bool IsThere(bool for_entry) {
  switch (memory) {
    case Memory::kThere:
      return true;
    case Memory::kNotForEntries:
      return !for_entry;
    case Memory::kForEntriesAlone:
      return for_entry;
    case Memory::kNone:
      break;
  }
  return false;
}
void* Allocate(size_t n) {
  const bool for_entry = n == sizeof(ashlar::internal::LruEntry);
  return IsThere(for_entry) ? std::malloc(n == 0 ? 1 : n) : nullptr;
}
// Only entries of the clock cache are allocated with an alignment here.
void* Allocate(size_t n, std::align_val_t alignment) {
  const auto a = static_cast<size_t>(alignment);
  return IsThere(true) ? std::aligned_alloc(a, (n + a - 1) / a * a) : nullptr;
}
void* OrThrow(void* allocated) {
  if (allocated == nullptr) throw std::bad_alloc();
  return allocated;
}
// Never inlined. Otherwise the compiler would see that memory from operator new
// is released by free, and would warn of the mismatch.
[[gnu::noinline]] void GiveBack(void* p) { std::free(p); }

}  // namespace

void* operator new(size_t n) { return OrThrow(Allocate(n)); }
void* operator new(size_t n, const std::nothrow_t&) noexcept {
  return Allocate(n);
}
void* operator new(size_t n, std::align_val_t a) {
  return OrThrow(Allocate(n, a));
}
void* operator new(size_t n, std::align_val_t a,
                   const std::nothrow_t&) noexcept {
  return Allocate(n, a);
}
void operator delete(void* p) noexcept { GiveBack(p); }
void operator delete(void* p, size_t) noexcept { GiveBack(p); }
void operator delete(void* p, std::align_val_t) noexcept { GiveBack(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept {
  GiveBack(p);
}

extern "C" {
int RealLock(pthread_mutex_t* mutex) asm("__real_pthread_mutex_lock");
int CountedLock(pthread_mutex_t* mutex) asm("__wrap_pthread_mutex_lock");
int CountedLock(pthread_mutex_t* mutex) {
  ++locks;
  return RealLock(mutex);
}
}

namespace ashlar::testing {
namespace {

// Allocations fail as long as this object lives.
class Shortage {
 public:
  explicit Shortage(Memory what = Memory::kNotForEntries) { memory = what; }
  Shortage(const Shortage&) = delete;
  Shortage& operator=(const Shortage&) = delete;
  ~Shortage() { memory = Memory::kThere; }
};

using CacheScarcity = AnyCache;

TEST_P(CacheScarcity, WithoutMemoryForAHandleTheValueIsStillTheCallers) {
  MakeCache({.capacity = 100 * kCharge});
  Put(1);
  const size_t usage = cache_->GetUsage();
  // One insert of a present key, and one of an entry larger than the cache.
  for (const auto& [n, charge] : {std::pair(1, kCharge), {2, 1000 * kCharge}}) {
    CountedValue* const value = Make(static_cast<uint64_t>(n), charge);
    auto* handle = reinterpret_cast<CacheHandle*>(value);  // reset by Insert
    Status status;
    {
      const Shortage shortage;
      status = cache_->Insert(value->key, value, &kCountedOps, charge, &handle);
    }
    EXPECT_TRUE(status.IsMemoryLimit());
    EXPECT_EQ(handle, nullptr);
    EXPECT_EQ(value->times_ended, 0);
    EndCounted(value, nullptr);
  }
  EXPECT_EQ(cache_->GetUsage(), usage);
  EXPECT_NE(Find(1), nullptr);
}

TEST_P(CacheScarcity, WithoutMemoryThereAreNoStandaloneHandles) {
  for (const bool strict : {false, true}) {
    MakeCache({.capacity = 100 * kCharge, .strict = strict});
    for (const size_t charge : {kCharge, 1000 * kCharge}) {
      CountedValue* const value = Make(1, charge);
      CacheHandle* handle = nullptr;
      {
        const Shortage shortage;
        handle =
            cache_->CreateStandalone(value->key, value, &kCountedOps, charge,
                                     /*allow_uncharged=*/true);
      }
      EXPECT_EQ(handle, nullptr);
      EXPECT_EQ(value->times_ended, 0);
      EndCounted(value, nullptr);
    }
    EXPECT_EQ(cache_->GetUsage(), 0u);
    TearDown();
  }
}

// The entry is either in the cache or was ended: without a handle the cache
// owns the value.
TEST_P(CacheScarcity, AnInsertWithoutAHandleNeedsNoMemoryToSucceed) {
  for (const Memory what : {Memory::kNotForEntries, Memory::kForEntriesAlone}) {
    MakeCache();
    for (uint64_t n = 0; n < 100; ++n) {
      CountedValue* const value = Make(n);
      Status status;
      {
        const Shortage shortage(what);
        status = cache_->Insert(value->key, value, &kCountedOps, kCharge);
      }
      EXPECT_TRUE(status.ok());
      const bool is_there = value->times_ended == 0;
      EXPECT_EQ(Find(n), is_there ? value : nullptr);
      EXPECT_TRUE(is_there || what == Memory::kNotForEntries);
    }
    TearDown();
  }
}

TEST_P(CacheScarcity, ATypedHandleIsThenEmptyAndTheValueGone) {
  MakeCache({.capacity = 0});
  struct Text {
    explicit Text(int* its_alive) : alive(its_alive) { ++*alive; }
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;
    ~Text() { --*alive; }
    int* alive;
  };
  int alive = 0;
  TypedCache<Text> texts(cache_);
  auto text = std::make_unique<Text>(&alive);
  bool holds = true;
  {
    const Shortage shortage;
    holds = static_cast<bool>(texts.InsertAndHold(TestKey(1), std::move(text)));
  }
  EXPECT_FALSE(holds);
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(cache_->GetUsage(), 0u);
}

// The LRU cache locks only the mutexes of its shards.
TEST_P(CacheScarcity, ABatchTakesEachShardsLockOnce) {
  MakeCache();
  std::vector<CacheKey> keys;
  for (uint64_t n = 0; n < 100; ++n) {
    if (n % 3 != 0) Put(n);
    keys.push_back(TestKey(n));
  }
  std::vector<CacheHandle*> handles(keys.size());
  const int before = locks;
  cache_->LookupBatch(keys, handles.data());
  EXPECT_LE(locks - before, 4);
  for (uint64_t n = 0; n < 100; ++n) {
    ASSERT_EQ(handles[n] != nullptr, n % 3 != 0);
    if (handles[n] == nullptr) continue;
    EXPECT_EQ(CountedValue::Of(handles[n])->key, keys[n]);
    cache_->Release(handles[n]);
  }
}

// Entries that are evicted meanwhile are lost or stored uncompressed. All
// counts stay right.
TEST_P(CacheScarcity, ASecondTierWithoutMemoryFailsAloneAndOtherwiseWorks) {
  const std::shared_ptr<Cache> first = GetParam()({.capacity = 4 * kCharge});
  CompressedSecondaryCacheOptions options;
  options.capacity = 1000 * kCharge;
  options.num_shard_bits = 0;
  options.hash_seed = 1;
  const auto second = NewCompressedSecondaryCache(options).value();
  const auto cache =
      NewTieredCache({.primary = first,
                      .secondary = second,
                      .adm_policy = TieredAdmissionPolicy::kAdmPolicyAllowAll})
          .value();
  CreateCounted create = {.values = &values_};
  const auto evict_all = [&] {
    cache->SetCapacity(0);
    cache->SetCapacity(4 * kCharge);
    EXPECT_EQ(cache->GetUsage(), 0u);
    EXPECT_EQ(cache->GetOccupancyCount(), 0u);
  };
  const auto put_and_evict = [&](uint64_t n, std::optional<Memory> what) {
    CountedValue* const value = Make(n);
    ASSERT_TRUE(cache->Insert(value->key, value, &kSavedOps, kCharge).ok());
    const Shortage shortage(what.value_or(Memory::kThere));
    evict_all();
  };
  // No memory for a codec, as none exists yet; then none for a place in the
  // table.
  put_and_evict(1, Memory::kNone);
  put_and_evict(2, Memory::kForEntriesAlone);
  put_and_evict(3, {});
  const auto find = [&](uint64_t n) {
    return cache->LookupSecondary(TestKey(n), &kSavedOps, &create);
  };
  const auto failures = [&] {
    return second->GetStats().failures + cache->GetStats().failures;
  };
  const uint64_t before = failures();
  CacheHandle* found = nullptr;
  {
    const Shortage shortage(Memory::kNone);
    found = find(3);
  }
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(failures(), before + 1);
  found = find(3);
  ASSERT_NE(found, nullptr);
  cache->Release(found);
  EXPECT_EQ(find(1), nullptr);
  const SecondaryCacheStats stats = second->GetStats();
  second->SetCapacity(0);
  EXPECT_EQ(second->GetUsage(), 0u);
  EXPECT_GE(stats.entries, 1u);
}

INSTANTIATE_TEST_SUITE_P(Each, CacheScarcity,
                         ::testing::ValuesIn(AllCacheMakers()), CacheMakerName);

TEST(LockCount, SeesTheLocksOfTheLibrary) {
  const auto cache = MakeLru({}, 0).value();
  const int before = locks;
  EXPECT_EQ(cache->Lookup(TestKey(1)), nullptr);
  EXPECT_EQ(locks - before, 1);
}

TEST(ReadingScarcity, ABlockThatTheCacheCannotHoldIsReadAllTheSame) {
  // Every entry would be standalone, and there is no memory for standalone
  // entries.
  const auto cache = MakeClock({.capacity = 0}, 0).value();
  ReaderOptions options;
  options.block_cache = cache;
  FaultPlan plan;
  const auto reader = TableReader::Open(
      NewFaultyFile("test.sst", BuildTable({}, SomeEntries(3000)), &plan),
      options);
  Require(reader.status());
  GetResult result;
  Status status;
  {
    const Shortage shortage;
    status = (*reader)->Get("key00007", &result);
  }
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(result.value.ToString(), "value7");
  EXPECT_EQ(cache->GetUsage(), 0u);
}

}  // namespace
}  // namespace ashlar::testing
