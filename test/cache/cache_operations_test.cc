// Random operations on any cache, compared with a model of plain maps. After
// each operation, lookups find the right values, the sums are exact and the
// limits hold.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "test/cache/cache_makers.h"
#include "test/cache/counted_values.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

constexpr uint64_t kKeys = 60;
constexpr size_t kCapacity = 30000;
constexpr size_t kLeastCharge = 500;
constexpr size_t kMostCharge = 1500;
constexpr size_t kMostHeld = 50;

// What the model knows about a value in the cache.
struct Known {
  CountedValue* value = nullptr;
  size_t held = 0;  // the test's references
  bool charged = true;
  bool standalone = false;  // no lookup finds it, now or earlier
  // True after a lookup found it or had to find it, until it is erased.
  bool findable = false;
};

class Model {
 public:
  // `exact_` is true for the LRU cache: limits hold after each step, and only a
  // present key makes an entry standalone.
  Model(const CacheMaker& maker, bool strict, bool resize, uint64_t seed)
      : exact_(std::string_view(maker.name).starts_with("Lru")),
        one_shard_(maker.num_shard_bits == 0),
        resize_(resize),
        random_(seed),
        cache_(maker({.capacity = kCapacity,
                      .strict = strict,
                      .entry_charge = kLeastCharge})) {
    cache_->SetEvictionCallback(
        [](const CacheKey& key, const CacheHandle& entry, bool) {
          CountedValue* const value = CountedValue::Of(&entry);
          EXPECT_EQ(value->key, key);
          if (value->id % 3 != 0) return false;
          EndCounted(value, nullptr);  // the callback took the value
          return true;
        });
  }

  void Step() {
    const uint64_t n = random_.Below(100);
    if (n < 30) return Insert(random_.OneIn(2));
    if (n < 50) return Lookup();
    if (n < 55) return LookupBatch();
    if (n < 80) return Release();
    if (n < 84) return Ref();
    if (n < 90) return Erase();
    if (n < 94) return CreateStandalone();
    if (n < 96) return ForEachEntry();
    if (n < 97) return cache_->EraseUnRefEntries();
    if (!resize_) return;
    if (n < 99) return cache_->SetCapacity(random_.Below(kCapacity * 3 / 2));
    cache_->SetStrictCapacityLimit(random_.OneIn(2));
  }

  void Check() {
    std::erase_if(known_, [](const Known& known) {
      if (known.value->times_ended == 0) return false;
      EXPECT_EQ(known.held, 0u);
      return true;
    });
    size_t usage = 0;
    size_t pinned = 0;
    size_t occupancy = 0;
    for (const Known& known : known_) {
      const size_t charge = known.charged ? known.value->charge : 0;
      usage += charge;
      if (known.held > 0) pinned += charge;
      if (!known.standalone) ++occupancy;
    }
    ASSERT_EQ(cache_->GetUsage(), usage);
    ASSERT_EQ(cache_->GetPinnedUsage(), pinned);
    if (exact_) {
      ASSERT_EQ(cache_->GetOccupancyCount(), occupancy);
      // One shard may be above its part of the capacity while others are below.
      ASSERT_LE(usage, one_shard_ ? std::max(cache_->GetCapacity(), pinned)
                                  : cache_->GetCapacity() + pinned);
    } else {
      ASSERT_LE(cache_->GetOccupancyCount(), known_.size());
    }
    if (!resize_ && cache_->HasStrictCapacityLimit()) {
      ASSERT_LE(usage, cache_->GetCapacity());
    }
  }

  void Finish() {
    while (!handles_.empty()) Release();
    cache_->SetCapacity(cache_->GetCapacity());
    EXPECT_LE(cache_->GetUsage(), cache_->GetCapacity());
    cache_->EraseUnRefEntries();
    EXPECT_EQ(cache_->GetUsage(), 0u);
    EXPECT_EQ(cache_->GetOccupancyCount(), 0u);
    cache_.reset();
    EXPECT_TRUE(values_.EachEndedOnce());
  }

 private:
  CacheKey DrawKey() { return TestKey(random_.Below(kKeys)); }
  CountedValue* Draw() {
    return values_.Make(DrawKey(), random_.Between(kLeastCharge, kMostCharge));
  }
  Known* KnownOf(const CountedValue* value) {
    for (Known& known : known_) {
      if (known.value == value) return &known;
    }
    return nullptr;
  }
  // Returns the value that a lookup must find, or null.
  Known* Findable(const CacheKey& key) {
    for (Known& known : known_) {
      if (known.value->key == key && known.value->times_ended == 0 &&
          known.findable && !IsErased(known)) {
        return &known;
      }
    }
    return nullptr;
  }
  bool IsErased(const Known& known) const {
    const auto erased = erased_before_.find(known.value->key);
    return erased != erased_before_.end() && known.value->id < erased->second;
  }

  void Insert(bool with_handle) {
    constexpr CachePriority kPriorities[] = {
        CachePriority::kHigh, CachePriority::kLow, CachePriority::kBottom};
    CountedValue* const value = Draw();
    const Known* const before = Findable(value->key);
    const bool present = before != nullptr;
    CacheHandle* handle = nullptr;
    const bool wants_handle = with_handle && handles_.size() < kMostHeld;
    const Status status = cache_->Insert(
        value->key, value, &kCountedOps, value->charge,
        wants_handle ? &handle : nullptr, random_.Pick(kPriorities));
    if (!status.ok()) {
      ASSERT_TRUE(status.IsMemoryLimit());
      ASSERT_TRUE(cache_->HasStrictCapacityLimit() && wants_handle);
      ASSERT_EQ(handle, nullptr);
      ASSERT_EQ(value->times_ended, 0);
      EndCounted(value, nullptr);  // the caller still owns it
      return;
    }
    ASSERT_EQ(handle != nullptr, wants_handle);
    if (value->times_ended > 0) {
      ASSERT_FALSE(wants_handle);
      return;
    }
    // The present entry may itself have been evicted, before or after the
    // insert saw it.
    const bool evicted = present && before->value->times_ended > 0;
    ASSERT_TRUE(wants_handle || !present || (evicted && !exact_));
    known_.push_back({.value = value,
                      .standalone = present && (!evicted || exact_),
                      .findable = !wants_handle || (!present && exact_)});
    if (wants_handle) Hold(handle);
  }

  void Hold(CacheHandle* handle) {
    Known* const known = KnownOf(CountedValue::Of(handle));
    ASSERT_NE(known, nullptr);
    ASSERT_EQ(handle->charge(), known->value->charge);
    ASSERT_EQ(cache_->KeyOf(*handle), known->value->key);
    ++known->held;
    handles_.push_back(handle);
  }

  // Checks that `handle` is the right result of a lookup of the key.
  void CheckFound(const CacheKey& key, const CacheHandle* handle) {
    const Known* const findable = Findable(key);
    if (handle == nullptr) {
      ASSERT_EQ(findable, nullptr);
    } else {
      Known* const known = KnownOf(CountedValue::Of(handle));
      if (known == nullptr) FAIL() << "found what is not in the cache";
      ASSERT_EQ(known->value->key, key);
      ASSERT_TRUE(!known->standalone && !IsErased(*known));
      ASSERT_TRUE(findable == nullptr || findable == known);
      known->findable = true;
    }
    // No lookup may find any other value of this key later.
    for (Known& known : known_) {
      if (known.value->key == key && !known.findable) known.standalone = true;
    }
  }

  void Lookup() {
    const CacheKey key = DrawKey();
    auto hint = static_cast<Cache::SlotHint>(random_.Below(200));
    CacheHandle* const handle =
        cache_->Lookup(key, random_.OneIn(2) ? &hint : nullptr);
    CheckFound(key, handle);
    if (handle == nullptr) return;
    Hold(handle);
    if (random_.OneIn(2) || handles_.size() > kMostHeld) {
      ReleaseAt(handles_.size() - 1, false);
    }
  }

  void LookupBatch() {
    std::vector<CacheKey> keys(random_.Below(70));
    for (CacheKey& key : keys) key = DrawKey();
    std::vector<CacheHandle*> found(keys.size());
    cache_->LookupBatch(keys, found.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      CheckFound(keys[i], found[i]);
      if (found[i] != nullptr) Hold(found[i]);
    }
    for (const CacheHandle* const handle : found) {
      if (handle != nullptr) ReleaseAt(handles_.size() - 1, false);
    }
  }

  void Release() {
    if (handles_.empty()) return;
    ReleaseAt(random_.Below(handles_.size()), random_.OneIn(4));
  }
  void ReleaseAt(size_t i, bool erase_if_last_ref) {
    CacheHandle* const handle = handles_[i];
    handles_.erase(handles_.begin() + static_cast<ptrdiff_t>(i));
    Known* const known = KnownOf(CountedValue::Of(handle));
    ASSERT_NE(known, nullptr);
    ASSERT_EQ(known->value->times_ended, 0);
    --known->held;
    const bool ended = cache_->Release(handle, erase_if_last_ref);
    ASSERT_EQ(known->value->times_ended, ended ? 1 : 0);
    const bool out = known->standalone || IsErased(*known);
    if (known->held > 0) {
      ASSERT_FALSE(ended);
    } else if (erase_if_last_ref || out) {
      ASSERT_TRUE(ended);
    }
  }

  void Ref() {
    if (handles_.empty() || handles_.size() >= kMostHeld) return;
    CacheHandle* const handle = handles_[random_.Below(handles_.size())];
    ASSERT_TRUE(cache_->Ref(handle));
    Hold(handle);
  }

  void Erase() {
    const CacheKey key = DrawKey();
    cache_->Erase(key);
    erased_before_[key] = values_.all().size();
  }

  void CreateStandalone() {
    if (handles_.size() >= kMostHeld) return;
    CountedValue* const value = Draw();
    const bool allow_uncharged = random_.OneIn(2);
    CacheHandle* const handle = cache_->CreateStandalone(
        value->key, value, &kCountedOps, value->charge, allow_uncharged);
    const bool strict = cache_->HasStrictCapacityLimit();
    if (handle == nullptr) {
      ASSERT_TRUE(strict && !allow_uncharged);
      EndCounted(value, nullptr);
      return;
    }
    size_t others = 0;
    for (const Known& known : known_) {
      if (known.charged && known.value->times_ended == 0) {
        others += known.value->charge;
      }
    }
    const bool charged = cache_->GetUsage() != others;
    ASSERT_TRUE(charged || (strict && allow_uncharged));
    known_.push_back({.value = value, .charged = charged, .standalone = true});
    Hold(handle);
  }

  void ForEachEntry() {
    std::map<const void*, int> shown;
    cache_->ForEachEntry([&](const CacheEntryView& entry) {
      const CountedValue* const value = CountedValue::Of(entry.value);
      EXPECT_EQ(value->key, entry.key);
      EXPECT_EQ(value->charge, entry.charge);
      EXPECT_EQ(value->times_ended, 0);
      EXPECT_EQ(++shown[value], 1);
    });
    for (const Known& known : known_) {
      if (known.value->times_ended > 0 || !known.findable) continue;
      if (IsErased(known)) continue;
      ASSERT_EQ(shown.count(known.value), 1u);
    }
  }

  const bool exact_;
  const bool one_shard_;
  const bool resize_;
  Random random_;
  CountedValues values_;
  std::shared_ptr<Cache> cache_;
  std::vector<Known> known_;
  std::vector<CacheHandle*> handles_;
  // Values with lower ids were erased together with their key.
  std::map<CacheKey, uint64_t> erased_before_;
};

class CacheOperations : public ::testing::TestWithParam<CacheMaker> {
 protected:
  static void Run(const CacheMaker& maker, bool strict, bool resize) {
    ForEachSeed(1, 10, [&](uint64_t seed) {
      Model model(maker, strict, resize, seed);
      for (int step = 0; step < 1000; ++step) {
        SCOPED_TRACE("step " + std::to_string(step));
        ASSERT_NO_FATAL_FAILURE(model.Step());
        ASSERT_NO_FATAL_FAILURE(model.Check());
        if (HasFailure()) return;
      }
      model.Finish();
    });
  }
};

TEST_P(CacheOperations, WithoutAStrictLimit) { Run(GetParam(), false, false); }
TEST_P(CacheOperations, WithAStrictLimit) { Run(GetParam(), true, false); }
TEST_P(CacheOperations, WithLimitsThatChange) { Run(GetParam(), false, true); }

INSTANTIATE_TEST_SUITE_P(Each, CacheOperations,
                         ::testing::ValuesIn(AllCacheMakers()), CacheMakerName);

}  // namespace
}  // namespace ashlar::testing
