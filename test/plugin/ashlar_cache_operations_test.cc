// Random operations on a cache of NewAshlarCache and on one of RocksDB's, which
// must do the same: results, sums, and which values are ended when. Nothing is
// evicted, since the two choose other victims.

#include <gtest/gtest.h>
#include <rocksdb/cache.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ashlar_cache.h"
#include "test/plugin/rocksdb_values.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

using rocksdb::Cache;

constexpr size_t kCapacity = 1 << 20;
constexpr uint64_t kKeys = 40;

rocksdb::HyperClockCacheOptions ClockOptions(size_t entry_charge) {
  rocksdb::HyperClockCacheOptions options(kCapacity, entry_charge, 0);
  options.metadata_charge_policy = rocksdb::kDontChargeCacheMetadata;
  options.min_avg_entry_charge = 100;
  options.hash_seed = 1;
  return options;
}

std::shared_ptr<Cache> MakeTheirs(const std::string& kind) {
  if (kind != "lru") {
    return ClockOptions(kind == "growing" ? 0 : 500).MakeSharedCache();
  }
  rocksdb::LRUCacheOptions options;
  options.capacity = kCapacity;
  options.num_shard_bits = 0;
  options.metadata_charge_policy = rocksdb::kDontChargeCacheMetadata;
  return options.MakeSharedCache();
}

std::shared_ptr<Cache> MakeOurs(const std::string& kind) {
  ashlar_rocksdb::AshlarCacheOptions options;
  options.hyper_clock = ClockOptions(kind == "growing" ? 0 : 500);
  std::shared_ptr<Cache> cache;
  EXPECT_TRUE(ashlar_rocksdb::NewAshlarCache(options, &cache).ok());
  return cache;
}

// One of the two caches, with the same values under the same numbers.
struct Side {
  std::shared_ptr<Cache> cache;
  RocksDbValues values;
  std::vector<Cache::Handle*> handles;
};

class TwoCaches {
 public:
  TwoCaches(const std::string& kind, uint64_t seed)
      : is_lru_(kind == "lru"), random_(seed) {
    sides_[0].cache = MakeTheirs(kind);
    sides_[1].cache = MakeOurs(kind);
  }

  void Step() {
    const uint64_t n = random_.Below(100);
    if (n < 30) return Insert();
    if (n < 60) return Lookup();
    if (n < 80) return Release();
    if (n < 85) return Ref();
    if (n < 92) return Erase();
    if (n < 96) return CreateStandalone();
    if (n < 97) return EraseUnRef();
    if (n < 98) return WrongKeys();
    ShowAll();
  }

  void Check() {
    const auto& theirs = sides_[0].values.all();
    const auto& ours = sides_[1].values.all();
    for (size_t i = 0; i < theirs.size(); ++i) {
      ASSERT_EQ(theirs[i].times_ended, ours[i].times_ended) << "value " << i;
    }
    const Cache& stock = *sides_[0].cache;
    const Cache& mine = *sides_[1].cache;
    ASSERT_EQ(stock.GetUsage(), mine.GetUsage());
    ASSERT_EQ(stock.GetPinnedUsage(), mine.GetPinnedUsage());
    if (!is_lru_) {
      ASSERT_EQ(stock.GetOccupancyCount(), mine.GetOccupancyCount());
    }
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

  // Calls `act` with each side, and checks that the results are equal.
  template <typename Act>
  auto OnBoth(Act act) {
    const auto theirs = act(sides_[0]);
    const auto ours = act(sides_[1]);
    EXPECT_EQ(theirs, ours);
    return ours;
  }

  // What can be asked of a handle.
  static std::string Describe(const Side& side, Cache::Handle* handle) {
    if (handle == nullptr) return "none";
    const RocksDbValue& value = *RocksDbValue::Of(side.cache->Value(handle));
    EXPECT_EQ(value.times_ended, 0);
    std::string text = std::to_string(value.id) + " charge " +
                       std::to_string(side.cache->GetCharge(handle)) + "=" +
                       std::to_string(side.cache->GetUsage(handle));
    const bool is_index =
        side.cache->GetCacheItemHelper(handle) == &kIndexValue;
    EXPECT_TRUE(is_index ||
                side.cache->GetCacheItemHelper(handle) == &kPlainValue);
    text += is_index ? " index" : " plain";
    side.cache->ApplyToHandle(
        side.cache.get(), handle,
        [&](const rocksdb::Slice& key, void* object, size_t charge,
            const RocksDbItemHelper* helper) {
          EXPECT_EQ(object, &value);
          EXPECT_EQ(helper, side.cache->GetCacheItemHelper(handle));
          text += " " + key.ToString(true) + " " + std::to_string(charge);
        });
    return text;
  }

  void Insert() {
    const uint64_t key = random_.Below(kKeys);
    const size_t charge = random_.Between(100, 1000);
    const bool with_handle =
        sides_[0].handles.size() < kMostHeld && random_.OneIn(2);
    const RocksDbItemHelper& helper =
        random_.OneIn(2) ? kPlainValue : kIndexValue;
    constexpr Cache::Priority kPriorities[] = {
        Cache::Priority::HIGH, Cache::Priority::LOW, Cache::Priority::BOTTOM};
    const Cache::Priority priority = random_.Pick(kPriorities);
    // If a key is present, RocksDB's LRU cache replaces the value, and its hyper
    // clock cache sometimes keeps both.
    for (Side& side : sides_) side.cache->Erase(RocksDbKey(key));
    OnBoth([&](Side& side) {
      Cache::Handle* handle = nullptr;
      RocksDbValue* const value = side.values.Make(key);
      const rocksdb::Status s =
          side.cache->Insert(RocksDbKey(key), value, &helper, charge,
                             with_handle ? &handle : nullptr, priority);
      if (handle != nullptr) side.handles.push_back(handle);
      return s.ToString() + " " + Describe(side, handle);
    });
  }

  void Lookup() {
    const uint64_t key = random_.Below(kKeys);
    const bool keep = sides_[0].handles.size() < kMostHeld && random_.OneIn(2);
    OnBoth([&](Side& side) {
      Cache::Handle* const found =
          side.cache->BasicLookup(RocksDbKey(key), nullptr);
      std::string text = Describe(side, found);
      if (found == nullptr) return text;
      if (keep) {
        side.handles.push_back(found);
        return text;
      }
      return text + (side.cache->Release(found, false) ? " gone" : " stays");
    });
  }

  void Release() {
    if (sides_[0].handles.empty()) return;
    const auto i =
        static_cast<ptrdiff_t>(random_.Below(sides_[0].handles.size()));
    const bool erase = random_.OneIn(4);
    const bool useful = random_.OneIn(2);
    OnBoth([&](Side& side) {
      Cache::Handle* const handle = side.handles[static_cast<size_t>(i)];
      side.handles.erase(side.handles.begin() + i);
      return useful ? side.cache->Release(handle, erase)
                    : side.cache->Release(handle, false, erase);
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
    const uint64_t key = random_.Below(kKeys);
    for (Side& side : sides_) side.cache->Erase(RocksDbKey(key));
  }

  void CreateStandalone() {
    if (sides_[0].handles.size() >= kMostHeld) return;
    const uint64_t key = random_.Below(kKeys);
    const bool allow_uncharged = random_.OneIn(2);
    OnBoth([&](Side& side) {
      Cache::Handle* const handle =
          side.cache->CreateStandalone(RocksDbKey(key), side.values.Make(key),
                                       &kPlainValue, 300, allow_uncharged);
      side.handles.push_back(handle);
      return Describe(side, handle);
    });
  }

  void EraseUnRef() {
    for (Side& side : sides_) side.cache->EraseUnRefEntries();
  }

  // Keys of other sizes are refused; RocksDB's LRU cache takes them.
  void WrongKeys() {
    if (is_lru_) return;
    for (const size_t size : {0, 8, 15, 17, 32}) {
      const std::string key(size, 'k');
      OnBoth([&](Side& side) {
        RocksDbValue* const value = side.values.Make(0);
        const rocksdb::Status s =
            side.cache->Insert(key, value, &kPlainValue, 1);
        EXPECT_EQ(value->times_ended, 0);
        EXPECT_EQ(
            side.cache->CreateStandalone(key, value, &kPlainValue, 1, true),
            nullptr);
        EXPECT_EQ(side.cache->BasicLookup(key, nullptr), nullptr);
        side.cache->Erase(key);
        EndValue(value, nullptr);
        return s.code();
      });
    }
  }

  void ShowAll() {
    OnBoth([](Side& side) {
      std::map<uint64_t, std::string> shown;
      side.cache->ApplyToAllEntries(
          [&](const rocksdb::Slice& key, void* object, size_t charge,
              const RocksDbItemHelper* helper) {
            const RocksDbValue& value = *RocksDbValue::Of(object);
            EXPECT_EQ(key.ToString(), RocksDbKey(value.key));
            shown[value.id] = std::to_string(charge) +
                              (helper == &kIndexValue ? " index" : " plain");
          },
          {});
      return shown;
    });
  }

  const bool is_lru_;
  Random random_;
  Side sides_[2];
};

class AshlarCacheOperations : public ::testing::TestWithParam<std::string> {};

TEST_P(AshlarCacheOperations, AreThoseOfRocksDbsCache) {
  ForEachSeed(1, 20, [](uint64_t seed) {
    TwoCaches caches(GetParam(), seed);
    for (int step = 0; step < 1000; ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      ASSERT_NO_FATAL_FAILURE(caches.Step());
      ASSERT_NO_FATAL_FAILURE(caches.Check());
      if (::testing::Test::HasFailure()) return;
    }
    caches.Finish();
  });
}

INSTANTIATE_TEST_SUITE_P(Kinds, AshlarCacheOperations,
                         ::testing::Values("growing", "fixed", "lru"),
                         [](const auto& kind) { return kind.param; });

}  // namespace
}  // namespace ashlar::testing
