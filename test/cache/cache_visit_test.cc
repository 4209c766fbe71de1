// Tests what walks see of an entry: looking at entries changes nothing, and
// CacheEntryView::stay foretells the order in which they are evicted.

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "test/cache/cache_fixture.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

class CacheVisit : public AnyCache {};
INSTANTIATE_TEST_SUITE_P(All, CacheVisit, ::testing::ValuesIn(AllCacheMakers()),
                         [](const auto& tested) {
                           return std::string(tested.param.name);
                         });

TEST_P(CacheVisit, ShowsTheEntryOfTheKey) {
  MakeCache();
  CountedValue* const value = Put(1, 700);
  EXPECT_FALSE(cache_->VisitEntry(TestKey(2), [](const CacheEntryView&) {
    ADD_FAILURE() << "there is no such key";
  }));
  int shown = 0;
  for (const bool hit : {false, true}) {
    EXPECT_TRUE(
        cache_->VisitEntry(TestKey(1), [&](const CacheEntryView& entry) {
          ++shown;
          EXPECT_EQ(entry.key, value->key);
          EXPECT_EQ(entry.value, value);
          EXPECT_EQ(entry.ops, &kCountedOps);
          EXPECT_EQ(entry.charge, 700u);
          EXPECT_EQ(entry.was_hit, hit);
          // Gone for lookups, but alive until the callback returns.
          if (hit) cache_->Erase(entry.key);
          EXPECT_EQ(value->times_ended, 0);
        }));
    Find(1);
  }
  EXPECT_EQ(shown, 2);
  EXPECT_EQ(value->times_ended, 1);
}

TEST_P(CacheVisit, AnExceptionOfTheCallbackLeavesNoReference) {
  MakeCache();
  Put(1);
  const auto fail = [](const CacheEntryView&) { throw std::bad_alloc(); };
  EXPECT_THROW(cache_->VisitEntry(TestKey(1), fail), std::bad_alloc);
  EXPECT_THROW(cache_->ForEachEntry(fail), std::bad_alloc);
  EXPECT_EQ(cache_->GetPinnedUsage(), 0u);
}

// Of two caches with the same load, one is looked at all the time. Both evict
// the same entries.
TEST_P(CacheVisit, IsNoUse) {
  std::vector<CountedValues> values(2);
  std::vector<std::shared_ptr<Cache>> caches;
  caches.reserve(2);
  for (int i = 0; i < 2; ++i) {
    caches.push_back(GetParam()({.capacity = 30'000}));
  }
  Random random(1);
  for (int step = 0; step < 3000; ++step) {
    const uint64_t n = random.Below(80);
    for (size_t i = 0; i < 2; ++i) {
      CacheHandle* const handle = caches[i]->Lookup(TestKey(n));
      if (handle != nullptr) {
        caches[i]->Release(handle);
        continue;
      }
      CountedValue* const value = values[i].Make(TestKey(n), kCharge);
      ASSERT_TRUE(
          caches[i]->Insert(value->key, value, &kCountedOps, kCharge).ok());
    }
    for (uint64_t k = 0; k < 80; k += 9) {
      caches[1]->VisitEntry(TestKey(k), [](const CacheEntryView&) {});
    }
  }
  ASSERT_EQ(values[0].all().size(), values[1].all().size());
  for (size_t i = 0; i < values[0].all().size(); ++i) {
    ASSERT_EQ(values[0].all()[i].times_ended, values[1].all()[i].times_ended);
  }
}

// Caches of one shard without admission. For others the order is an estimate.
class ExactCacheVisit : public CacheVisit {
 public:
  static std::vector<ParamType> Makers() {
    std::vector<ParamType> makers;
    for (const ParamType& maker : AllCacheMakers()) {
      const bool admits = std::string_view(maker.name).find("Admission") !=
                          std::string_view::npos;
      if (maker.num_shard_bits == 0 && !admits) makers.push_back(maker);
    }
    return makers;
  }
};

INSTANTIATE_TEST_SUITE_P(All, ExactCacheVisit,
                         ::testing::ValuesIn(ExactCacheVisit::Makers()),
                         [](const auto& tested) {
                           return std::string(tested.param.name);
                         });

TEST_P(ExactCacheVisit, StayForetellsTheOrderOfEviction) {
  ForEachSeed(1, 20, [&](uint64_t seed) {
    Random random(seed);
    constexpr uint64_t kEntries = 50;
    cache_ = nullptr;
    MakeCache({.capacity = kEntries * kCharge});
    CountedValues values;
    for (uint64_t step = 0; step < 300; ++step) {
      const uint64_t n = random.Below(2 * kEntries);
      CacheHandle* const handle = cache_->Lookup(TestKey(n));
      if (handle != nullptr) {
        cache_->Release(handle);
        continue;
      }
      CountedValue* const value = values.Make(TestKey(n), kCharge);
      const auto priority = static_cast<CachePriority>(random.Below(3));
      ASSERT_TRUE(cache_
                      ->Insert(value->key, value, &kCountedOps, kCharge,
                               nullptr, priority)
                      .ok());
    }
    std::vector<std::pair<uint64_t, CountedValue*>> order;
    cache_->ForEachEntry([&](const CacheEntryView& entry) {
      order.emplace_back(entry.stay, CountedValue::Of(entry.value));
    });
    ASSERT_GE(order.size(), kEntries - 1);
    std::ranges::sort(order);
    for (size_t i = 0; i < order.size(); ++i) {
      ASSERT_TRUE(i == 0 || order[i].first != order[i - 1].first);
      EXPECT_EQ(order[i].second->times_ended, 0) << i;
      cache_->SetCapacity((order.size() - i - 1) * kCharge);
      EXPECT_EQ(order[i].second->times_ended, 1) << i;
    }
    cache_ = nullptr;
  });
}

TEST_P(CacheVisit, WhatIsInUseStaysLongest) {
  MakeCache();
  CacheHandle* const held = PutPinned(1);
  for (uint64_t n = 2; n < 20; ++n) Put(n);
  for (uint64_t n = 2; n < 10; ++n) Find(n);
  uint64_t stay = 0;
  uint64_t most = 0;
  cache_->ForEachEntry([&](const CacheEntryView& entry) {
    if (entry.key == TestKey(1)) stay = entry.stay;
    most = std::max(most, entry.stay);
  });
  if (std::string_view(GetParam().name).starts_with("Lru")) {
    EXPECT_EQ(stay, most);
  }
  EXPECT_GT(stay, 0u);
  cache_->Release(held);
}

// A cache of an application need not know how to look without using.
class PlainCache final : public Cache {
 public:
  explicit PlainCache(std::shared_ptr<Cache> cache)
      : Cache(nullptr), cache_(std::move(cache)) {}
  const char* Name() const override { return "Plain"; }
  Status Insert(const CacheKey& key, void* value, const CacheItemOps* ops,
                size_t charge, CacheHandle** handle,
                CachePriority priority) override {
    return cache_->Insert(key, value, ops, charge, handle, priority);
  }
  CacheHandle* CreateStandalone(const CacheKey& key, void* value,
                                const CacheItemOps* ops, size_t charge,
                                bool allow_uncharged) override {
    return cache_->CreateStandalone(key, value, ops, charge, allow_uncharged);
  }
  CacheHandle* Lookup(const CacheKey& key, SlotHint* hint) override {
    return cache_->Lookup(key, hint);
  }
  void LookupBatch(std::span<const CacheKey> keys, CacheHandle** handles,
                   SlotHint* hints) override {
    cache_->LookupBatch(keys, handles, hints);
  }
  bool Ref(CacheHandle* handle) override { return cache_->Ref(handle); }
  bool Release(CacheHandle* handle, bool erase_if_last_ref) override {
    return cache_->Release(handle, erase_if_last_ref);
  }
  CacheKey KeyOf(const CacheHandle& handle) const override {
    return cache_->KeyOf(handle);
  }
  void Erase(const CacheKey& key) override { cache_->Erase(key); }
  void EraseUnRefEntries() override { cache_->EraseUnRefEntries(); }
  void SetCapacity(size_t capacity) override { cache_->SetCapacity(capacity); }
  size_t GetCapacity() const override { return cache_->GetCapacity(); }
  void SetStrictCapacityLimit(bool strict) override {
    cache_->SetStrictCapacityLimit(strict);
  }
  bool HasStrictCapacityLimit() const override { return false; }
  size_t GetUsage() const override { return cache_->GetUsage(); }
  size_t GetPinnedUsage() const override { return cache_->GetPinnedUsage(); }
  size_t GetOccupancyCount() const override {
    return cache_->GetOccupancyCount();
  }
  size_t GetTableAddressCount() const override { return 0; }
  size_t GetTableBytes() const override { return 0; }
  void ForEachEntry(
      const std::function<void(const CacheEntryView&)>& callback) override {
    cache_->ForEachEntry(callback);
  }
  std::string ReportProblems() const override { return {}; }

 private:
  const std::shared_ptr<Cache> cache_;
};

TEST(CacheVisitDefault, LooksTheKeyUp) {
  CountedValues values;
  PlainCache cache(MakeLru({}, 0).value());
  CountedValue* const value = values.Make(TestKey(1), 700);
  ASSERT_TRUE(cache
                  .Insert(value->key, value, &kCountedOps, 700, nullptr,
                          CachePriority::kLow)
                  .ok());
  int shown = 0;
  EXPECT_TRUE(cache.VisitEntry(TestKey(1), [&](const CacheEntryView& entry) {
    ++shown;
    EXPECT_EQ(entry.key, TestKey(1));
    EXPECT_EQ(entry.value, value);
    EXPECT_EQ(entry.charge, 700u);
  }));
  EXPECT_FALSE(cache.VisitEntry(TestKey(2), [](const CacheEntryView&) {}));
  const auto fail = [](const CacheEntryView&) { throw std::bad_alloc(); };
  EXPECT_THROW(cache.VisitEntry(TestKey(1), fail), std::bad_alloc);
  EXPECT_EQ(cache.GetPinnedUsage(), 0u);
  EXPECT_EQ(shown, 1);
}

TEST(CacheKey, TemporaryKeysAreKnown) {
  Random random(1);
  int mistaken = 0;
  for (int i = 0; i < 100'000; ++i) {
    const CacheKey file = CacheKey::Temporary(random.Next(), random.Next());
    const uint64_t offset = random.Below(uint64_t{1} << 40);
    ASSERT_TRUE(file.IsTemporary());
    ASSERT_TRUE(file.AtOffset(offset).IsTemporary());
    ASSERT_TRUE(file.AtOffset(offset).IsOfFile(file));
    const CacheKey other{random.Next(), random.Next()};
    mistaken += other.IsTemporary() ? 1 : 0;
    ASSERT_FALSE(other.IsOfFile(file));
    ASSERT_FALSE(CacheKey(file.file, ~file.block).IsOfFile(file));
  }
  EXPECT_LE(mistaken, 2);
}

}  // namespace
}  // namespace ashlar::testing
