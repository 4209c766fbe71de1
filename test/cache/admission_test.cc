// Admission of the hyper clock cache. Tests each rule of admission.h, without a
// cache and in a small cache whose next victim is known.

#include "cache/clock/admission/admission.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "cache/clock/clock_cache.h"
#include "test/cache/cache_fixture.h"

namespace ashlar::internal {
namespace {

using testing::kCountedOps;
using testing::TestKey;

constexpr uint64_t HashOf(uint64_t i) { return i * 0x9e3779b97f4a7c15; }

// --- Young keys, and the share ---

class AdmissionAlone : public ::testing::Test {
 protected:
  static constexpr size_t kEntries = 1000;
  static constexpr Admission::Filling kFull = {
      .entries = kEntries, .usage = kEntries, .capacity = kEntries};

  AdmissionAlone()
      : slots_(2 * kEntries),
        memory_(Admission::BytesFor(kEntries) / 64),
        admission_(reinterpret_cast<char*>(memory_.data()), kEntries,
                   slots_.data()) {}

  uint64_t Admit(uint64_t n, CachePriority priority = CachePriority::kLow) {
    ClockSlot* const owned = &slots_[next_++ % slots_.size()];
    owned->Fill(TestKey(n), nullptr, &kCountedOps, 0, 0, ClockSlot::kUsual, 0);
    return admission_.Admit(owned, HashOf(n), priority, kFull);
  }
  void Miss(size_t times) {
    for (size_t i = 0; i < times; ++i) Admit(1'000'000'000 + next_);
  }
  void Evict(uint64_t n, bool of_probation) {
    ClockSlot owned;
    owned.word.StoreRelease(slot::kOwnedWord |
                            (of_probation ? slot::kOnProbation : 0));
    admission_.Ended(&owned, HashOf(n), true);
  }
  static constexpr uint64_t kMainAtTwo = slot::kWasHit | slot::StartAt(2);
  static constexpr uint64_t kRemembered = slot::kWasHit | slot::kOnProbation;

  struct alignas(64) Line {
    char bytes[64] = {};
  };
  std::vector<ClockSlot> slots_;
  std::vector<Line> memory_;
  Admission admission_;
  size_t next_ = 0;
};

TEST_F(AdmissionAlone, AKeyThatIsNewStartsOnProbation) {
  EXPECT_EQ(Admit(1), slot::kOnProbation);
}

TEST_F(AdmissionAlone, WhileTheTableFillsAllStartsInMain) {
  ClockSlot owned;
  const Admission::Filling filling = {
      .entries = 840, .usage = 840, .capacity = 1000};
  EXPECT_EQ(admission_.Admit(&owned, HashOf(1), CachePriority::kLow, filling),
            slot::StartAt(0));
  EXPECT_EQ(
      admission_.Admit(&owned, HashOf(2), CachePriority::kBottom, filling),
      slot::kOnProbation);
}

TEST_F(AdmissionAlone, AKeyThatComesBackStartsInMain) {
  Admit(1);
  Evict(7, true);
  EXPECT_EQ(Admit(7), kMainAtTwo);
  // Only once: the key is no longer among the evicted keys.
  EXPECT_EQ(Admit(7), slot::kOnProbation);
}

TEST_F(AdmissionAlone, PrioritiesDecideBeforeMemory) {
  Admit(1);
  Evict(7, true);
  EXPECT_EQ(Admit(7, CachePriority::kBottom), kRemembered);
  EXPECT_EQ(Admit(8, CachePriority::kHigh), slot::StartAt(3));
}

// A rotation takes 1000 misses; a share of 0.15 and the margin of 0.125 make
// 275.
TEST_F(AdmissionAlone, AKeyIsYoungForLessThanARotation) {
  Miss(1000);
  admission_.SawHand(1000, 1000);
  ASSERT_EQ(admission_.share(), Admission::kFirstShare);
  Evict(7, true);
  for (uint64_t n = 100; n < 200; ++n) Evict(n, true);  // more than N / 20
  Miss(700);
  EXPECT_EQ(Admit(7), kMainAtTwo);
  Evict(8, true);
  for (uint64_t n = 200; n < 300; ++n) Evict(n, true);
  Miss(750);
  EXPECT_EQ(Admit(8), kMainAtTwo) << "the rotation has lasted longer by now";
  admission_.SawHand(2000, 1000);
  admission_.SawHand(3000, 1000);
  Miss(100);
  admission_.SawHand(4000, 1000);
  EXPECT_EQ(Admit(200), kRemembered);
  Evict(300, true);
  Miss(1000);
  ClockSlot owned;
  EXPECT_EQ(admission_.Admit(&owned, HashOf(300), CachePriority::kLow,
                             {.entries = 840, .usage = 840, .capacity = 1000}),
            slot::kWasHit | slot::StartAt(0))
      << "where there is room";
}

// A rotation is one step of the hand for each position that the table has by
// then.
TEST_F(AdmissionAlone, ATableThatHasGrownCountsRotationsAnew) {
  Miss(1000);
  admission_.SawHand(50000, 1000);
  Miss(100);
  admission_.SawHand(49000, 1000);  // by a late thread
  admission_.SawHand(55000, 5000);
  Miss(100);
  admission_.SawHand(60000, 5000);
  Evict(7, true);
  EXPECT_EQ(Admit(7), kRemembered) << "rotations take 100 misses";
}

TEST_F(AdmissionAlone, WhatComesBackAtOnceMovesTheShare) {
  Admit(1);
  const double first = admission_.share();
  Evict(7, true);
  Admit(7);
  EXPECT_NEAR(admission_.share(), first + 0.003, 1e-9);
  for (uint64_t n = 10; n < 13; ++n) {
    Evict(n, false);
    Admit(n);
  }
  EXPECT_NEAR(admission_.share(), first - 0.006, 1e-9);
  // Key 7 is among the last N / 20 keys of its kind.
  Evict(7, true);
  for (uint64_t n = 100; n < 149; ++n) Evict(n, true);
  for (uint64_t n = 200; n < 300; ++n) Evict(n, false);
  Admit(7);
  EXPECT_NEAR(admission_.share(), first - 0.003, 1e-9);
  Evict(8, true);
  for (uint64_t n = 300; n < 351; ++n) Evict(n, true);
  Admit(8);
  EXPECT_NEAR(admission_.share(), first - 0.003, 1e-9);
}

TEST_F(AdmissionAlone, TheShareHasBounds) {
  Admit(1);
  for (uint64_t n = 0; n < 400; ++n) {
    Evict(n, true);
    Admit(n);
  }
  EXPECT_EQ(admission_.share(), Admission::kMostShare);
  for (uint64_t n = 0; n < 400; ++n) {
    Evict(n, false);
    Admit(n);
  }
  EXPECT_EQ(admission_.share(), Admission::kLeastShare);
}

// --- A cache ---

// 100 entries of 10 bytes: the first 85 are in main, the other 15 on probation.
class AdmissionOfCache : public testing::CacheFixture,
                         public ::testing::WithParamInterface<bool> {
 protected:
  static constexpr size_t kEntry = 10;
  static constexpr uint64_t kEntries = 100;
  static constexpr uint64_t kInMain = 85;
  static constexpr uint64_t kOnProbation = kEntries - kInMain;
  // Keys from here on are used only by PutNew.
  static constexpr uint64_t kNew = 1'000'000;

  void SetUp() override { MakeCache({}); }
  void MakeCache(testing::CacheConfig config, int num_shard_bits = 0) {
    TearDown();
    config.capacity = kEntries * kEntry;
    config.entry_charge = kEntry;
    cache_ = (GetParam() ? testing::MakeAutoAdmission : testing::MakeAdmission)(
                 config, num_shard_bits)
                 .value();
  }
  void PutNew(size_t times) {
    for (size_t i = 0; i < times; ++i) Put(kNew + new_++, kEntry);
  }
  void Fill() {
    for (uint64_t n = 0; n < kEntries; ++n) Put(n, kEntry);
    ASSERT_EQ(cache_->GetUsage(), kEntries * kEntry);
    ASSERT_EQ(OnProbation(), kOnProbation * kEntry);
  }
  bool Has(uint64_t n) {
    bool has = false;
    cache_->ForEachEntry([&](const CacheEntryView& entry) {
      has = has || entry.key == TestKey(n);
    });
    return has;
  }
  template <typename ItsCache>
  static const Admission& AdmissionOf(const ItsCache& cache) {
    const auto& index = cache.settings().index;
    return *cache.TableAt(index.slots()).admission();
  }
  const Admission& admission() const {
    return GetParam()
               ? AdmissionOf(static_cast<const GrowingClockCache&>(*cache_))
               : AdmissionOf(static_cast<const ClockCache&>(*cache_));
  }
  size_t OnProbation() const { return admission().bytes_on_probation(); }

  uint64_t new_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Tables, AdmissionOfCache, ::testing::Bool(),
                         [](const auto& table) {
                           return table.param ? "Growing" : "Fixed";
                         });

TEST_P(AdmissionOfCache, WhatIsNewTakesThePlaceOfWhatCameBeforeIt) {
  Fill();
  for (uint64_t n = kInMain; n < kEntries; ++n) {
    EXPECT_TRUE(Has(n));
    PutNew(1);
    EXPECT_FALSE(Has(n)) << n;
    EXPECT_TRUE(Has(kNew + new_ - 1));
  }
  PutNew(1000);
  for (uint64_t n = 0; n < kInMain; ++n) EXPECT_TRUE(Has(n)) << n;
  EXPECT_EQ(OnProbation(), kOnProbation * kEntry);
}

TEST_P(AdmissionOfCache, WhatWasHitOnProbationGetsIntoMain) {
  Fill();
  // Finds the first entry on probation, long after its insert.
  ASSERT_NE(Find(kInMain), nullptr);
  PutNew(kOnProbation + 1);
  EXPECT_TRUE(Has(kInMain));
  EXPECT_FALSE(Has(kInMain + 1));
  PutNew(50);
  EXPECT_TRUE(Has(kInMain));
  EXPECT_EQ(cache_->GetUsage(), kEntries * kEntry);
  // In main, an entry without hits made room for it.
  size_t left = 0;
  for (uint64_t n = 0; n < kInMain; ++n) left += Has(n) ? 1 : 0;
  EXPECT_EQ(left, kInMain - 1);
}

TEST_P(AdmissionOfCache, HitsThatCameWithTheLoadAreForgotten) {
  Fill();
  PutNew(1);
  for (int i = 0; i < 10; ++i) ASSERT_NE(Find(kNew), nullptr);
  PutNew(kOnProbation);
  EXPECT_FALSE(Has(kNew));
}

// The second tier decides by the callback's `hit`.
TEST_P(AdmissionOfCache, TellsWhatIsWorthKeeping) {
  std::map<uint64_t, bool> was_hit;
  cache_->SetEvictionCallback(
      [&](const CacheKey& key, const CacheHandle&, bool hit) {
        was_hit[key.block] = hit;
        return false;
      });
  const auto told = [&](uint64_t n) { return was_hit.at(TestKey(n).block); };
  Fill();
  PutNew(1);
  const uint64_t scanned = kNew + new_ - 1;
  for (int i = 0; i < 3; ++i) ASSERT_NE(Find(scanned), nullptr);
  PutNew(kOnProbation + 5);
  EXPECT_FALSE(told(scanned)) << "hits that came with the load";
  EXPECT_FALSE(told(kInMain)) << "it was not hit at all";
  // It is inserted again, but never looked up.
  Put(scanned, kEntry, CachePriority::kBottom);
  PutNew(kOnProbation + 5);
  EXPECT_TRUE(told(scanned)) << "its key was remembered";
  // This entry is hit when it is no longer new.
  PutNew(1);
  const uint64_t used = kNew + new_ - 1;
  PutNew(kOnProbation / 2);
  ASSERT_NE(Find(used), nullptr);
  PutNew(kOnProbation);
  ASSERT_TRUE(Has(used));
  cache_->SetCapacity(0);
  EXPECT_TRUE(told(used));
}

TEST_P(AdmissionOfCache, WhatComesBackSoonGetsIntoMain) {
  Fill();
  PutNew(kOnProbation + 5);
  ASSERT_FALSE(Has(kNew));
  Put(kNew, kEntry);
  PutNew(300);
  EXPECT_TRUE(Has(kNew));
  ASSERT_FALSE(Has(kInMain));
}

TEST_P(AdmissionOfCache, WhatWasErasedIsNotRemembered) {
  Fill();
  PutNew(1);
  cache_->Erase(TestKey(kNew));
  Put(kNew, kEntry);
  PutNew(kOnProbation + 1);
  EXPECT_FALSE(Has(kNew));
}

TEST_P(AdmissionOfCache, HighPriorityNeedsNoProbationBottomAlways) {
  Fill();
  Put(1000, kEntry, CachePriority::kHigh);
  Put(1001, kEntry, CachePriority::kBottom);
  PutNew(kOnProbation + 5);
  EXPECT_TRUE(Has(1000));
  EXPECT_FALSE(Has(1001));
  Put(1001, kEntry, CachePriority::kBottom);
  PutNew(kOnProbation + 5);
  EXPECT_FALSE(Has(1001));
  EXPECT_TRUE(Has(1000));
}

TEST_P(AdmissionOfCache, WhatIsInUseStaysAndCountsAsUsed) {
  Fill();
  CacheHandle* const held = PutPinned(2000, kEntry);
  PutNew(kOnProbation + 5);
  EXPECT_TRUE(Has(2000));
  cache_->Release(held);
  PutNew(50);
  EXPECT_TRUE(Has(2000));
}

TEST_P(AdmissionOfCache, WhereMainIsInUseProbationGivesAll) {
  Fill();
  std::vector<CacheHandle*> held;
  for (uint64_t n = 0; n < kInMain; ++n) {
    held.push_back(cache_->Lookup(TestKey(n)));
  }
  // One entry that is larger than all entries on probation together.
  Put(3000, kEntry * 12);
  EXPECT_TRUE(Has(3000));
  EXPECT_LE(cache_->GetUsage(), kEntries * kEntry);
  Put(3001, kEntry * 15);
  EXPECT_TRUE(Has(3001));
  EXPECT_FALSE(Has(3000));
  EXPECT_EQ(cache_->GetUsage(), kEntries * kEntry);
  for (CacheHandle* const handle : held) cache_->Release(handle);
}

TEST_P(AdmissionOfCache, SharesAreOfBytes) {
  Fill();
  // One entry of the size of fifteen others: few entries are on probation then.
  Put(3000, kEntry * kOnProbation);
  EXPECT_TRUE(Has(3000));
  EXPECT_GT(OnProbation(), kOnProbation * kEntry);
  size_t in_main = 0;
  for (uint64_t n = 0; n < kInMain; ++n) in_main += Has(n) ? 1 : 0;
  PutNew(kOnProbation);
  EXPECT_FALSE(Has(3000));
  size_t left = 0;
  for (uint64_t n = 0; n < kInMain; ++n) left += Has(n) ? 1 : 0;
  EXPECT_EQ(left, in_main);
}

TEST_P(AdmissionOfCache, StandaloneEntriesAreInNeitherPart) {
  Fill();
  CacheHandle* const held = cache_->CreateStandalone(
      TestKey(3000), Make(3000, kEntry * 60), &kCountedOps, kEntry * 60, false);
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(cache_->GetUsage(), kEntries * kEntry);
  PutNew(100);
  EXPECT_LE(OnProbation(), 40 * kEntry * 3 / 10);
  EXPECT_GE(OnProbation(), 40 * kEntry / 10);
  cache_->Release(held);
}

TEST_P(AdmissionOfCache, ErasedEntriesLeaveNothingBehind) {
  for (int round = 0; round < 20; ++round) {
    for (uint64_t n = 0; n < kEntries; ++n) Put(n, kEntry);
    EXPECT_EQ(cache_->GetOccupancyCount(), kEntries);
    if (round % 2 == 0) {
      cache_->EraseUnRefEntries();
    } else {
      for (uint64_t n = 0; n < kEntries; ++n) cache_->Erase(TestKey(n));
    }
    EXPECT_EQ(cache_->GetUsage(), 0U);
    EXPECT_EQ(OnProbation(), 0U);
  }
  Fill();
  PutNew(50);
  for (uint64_t n = 0; n < kInMain; ++n) EXPECT_TRUE(Has(n)) << n;
}

// Inserts and erasures in a full table are more than the FIFO has room for.
// Entries that the FIFO has lost count as main when the hand reaches them.
TEST_P(AdmissionOfCache, WhatTheFifoHasLostIsInMain) {
  Fill();
  for (uint64_t n = 0; n < 500; ++n) {
    PutNew(1);
    cache_->Erase(TestKey(kNew + new_ - 1));
  }
  EXPECT_LE(OnProbation(), kOnProbation * kEntry);
  // Entries of high priority turn the hand.
  for (uint64_t n = 0; n < 2 * kEntries; ++n) {
    Put(5000 + n, kEntry, CachePriority::kHigh);
  }
  for (uint64_t n = kInMain; n < kEntries; ++n) EXPECT_FALSE(Has(n)) << n;
  EXPECT_EQ(cache_->GetUsage(), kEntries * kEntry);
}

// Lost entries wait for the hand, but new entries still get their place on
// probation.
TEST_P(AdmissionOfCache, WhatTheFifoHasLostFillsNoPlaceOnProbation) {
  Fill();
  for (uint64_t n = 0; n < 500; ++n) {
    PutNew(1);
    cache_->Erase(TestKey(kNew + new_ - 1));
  }
  ASSERT_GE(OnProbation(), (kOnProbation - 1) * kEntry) << "the lost ones";
  PutNew(kOnProbation);
  for (uint64_t n = 1; n < kOnProbation; ++n) {
    EXPECT_TRUE(Has(kNew + new_ - n)) << n;
  }
  // When the hand has found all lost entries, the shares are as before.
  for (uint64_t n = 0; n < 4 * kEntries; ++n) {
    Put(5000 + n, kEntry, CachePriority::kHigh);
  }
  PutNew(5 * kOnProbation);
  EXPECT_LE(OnProbation(), kOnProbation * kEntry);
  EXPECT_EQ(cache_->GetUsage(), kEntries * kEntry);
}

// An entry that is erased while it is held does not count as found either.
TEST_P(AdmissionOfCache, WhatIsErasedWhileItIsHeldFindsNothing) {
  Fill();
  for (uint64_t n = 0; n < 500; ++n) {
    PutNew(1);
    cache_->Erase(TestKey(kNew + new_ - 1));
  }
  ASSERT_GE(OnProbation(), (kOnProbation - 1) * kEntry) << "the lost ones";
  std::vector<CacheHandle*> held;
  for (uint64_t n = 0; n < 20; ++n) {
    held.push_back(PutPinned(7000 + n, kEntry));
    cache_->Erase(TestKey(7000 + n));
  }
  PutNew(40);  // so that their turn comes
  for (CacheHandle* const handle : held) cache_->Release(handle);
  for (uint64_t n = 0; n < 20; ++n) {
    Put(7100 + n, kEntry, CachePriority::kHigh);
  }
  PutNew(1000);
  for (uint64_t n = 1; n < kOnProbation; ++n) {
    EXPECT_TRUE(Has(kNew + new_ - n)) << n;
  }
}

// When the FIFO is replaced by a longer one, all entries in it are lost.
TEST_P(AdmissionOfCache, ALongerFifoLeavesItsShareToProbation) {
  Fill();
  const size_t before = admission().memory_bytes();
  constexpr size_t kSmall = 7;
  uint64_t n = 8000;
  const uint64_t high = n + 4 * kEntries;
  // Entries of high priority turn the hand, which evicts the larger ones.
  while (admission().memory_bytes() == before && n < high) {
    Put(n++, kSmall, CachePriority::kHigh);
    Put(n++, kSmall);
  }
  ASSERT_GT(admission().memory_bytes(), before);
  for (uint64_t i = 0; i < kOnProbation; ++i) Put(n++, kSmall);
  for (uint64_t i = 1; i < kOnProbation; ++i) EXPECT_TRUE(Has(n - i)) << i;
}

TEST_P(AdmissionOfCache, ASmallerCapacityTakesFromBothParts) {
  Fill();
  cache_->SetCapacity(kEntries * kEntry / 2);
  EXPECT_LE(cache_->GetUsage(), kEntries * kEntry / 2);
  EXPECT_LE(OnProbation(), kEntries * kEntry / 10);
  EXPECT_GT(OnProbation(), 0U);
  PutNew(100);
  EXPECT_LE(cache_->GetUsage(), kEntries * kEntry / 2);
  cache_->SetCapacity(0);
  EXPECT_EQ(cache_->GetUsage(), 0U);
  EXPECT_EQ(OnProbation(), 0U);
}

TEST_P(AdmissionOfCache, AStrictLimitHolds) {
  MakeCache({.strict = true});
  Fill();
  PutNew(100);
  for (uint64_t n = 0; n < kInMain; ++n) EXPECT_TRUE(Has(n)) << n;
  std::vector<CacheHandle*> held;
  for (uint64_t n = 0; n < kEntries; ++n) {
    held.push_back(PutPinned(6000 + n, kEntry));
  }
  EXPECT_EQ(cache_->GetUsage(), kEntries * kEntry);
  CacheHandle* handle = nullptr;
  CacheItemOps none{};
  EXPECT_TRUE(cache_->Insert(TestKey(7000), nullptr, &none, kEntry, &handle)
                  .IsMemoryLimit());
  for (CacheHandle* const each : held) cache_->Release(each);
}

// When entries become smaller, the table holds more of them, and admission gets
// memory for more of them.
TEST_P(AdmissionOfCache, MemoryFollowsTheEntries) {
  Fill();
  const size_t before = admission().memory_bytes();
  EXPECT_LE(before, kEntries * Admission::kBytesOfEntry + 128);
  cache_->EraseUnRefEntries();
  for (uint64_t n = 0; n < 4 * kEntries; ++n) Put(8000 + n, 7);
  EXPECT_GE(cache_->GetOccupancyCount(), kEntries * 13 / 10);
  EXPECT_GT(admission().memory_bytes(), before);
  EXPECT_LE(admission().memory_bytes(),
            cache_->GetOccupancyCount() * Admission::kBytesOfEntry * 13 / 10);
  size_t in_table = 0;
  cache_->ForEachEntry(
      [&](const CacheEntryView& entry) { in_table += entry.charge; });
  EXPECT_EQ(in_table, cache_->GetUsage());
}

// The hand of a growing table jumps. After as many steps as a rotation takes,
// it has not passed every entry. Lost entries must not count as found then.
TEST(AdmissionOfAGrowingCache, GrowingFindsNothingThatIsLost) {
  constexpr size_t kEntry = 1000;
  constexpr uint64_t kEntries = 2000;
  constexpr size_t kSmall = 300;
  testing::CacheConfig config;
  config.capacity = kEntries * kEntry;
  config.entry_charge = 100;
  // The cache asks it for the last time when it ends.
  const CacheItemOps none{};
  const auto cache = testing::MakeAutoAdmission(config, 0).value();
  uint64_t n = 0;
  const auto put = [&](size_t charge, CachePriority priority) {
    ASSERT_TRUE(
        cache->Insert(TestKey(n++), nullptr, &none, charge, nullptr, priority)
            .ok());
  };
  const auto& table = static_cast<const GrowingClockCache&>(*cache);
  const Admission& admission =
      *table.TableAt(table.settings().index.slots()).admission();
  for (uint64_t i = 0; i < kEntries; ++i) put(kEntry, CachePriority::kLow);
  // Many rotations, so that their number falls when the table grows.
  for (uint64_t i = 0; i < 300 * kEntries; ++i) {
    put(kEntry, CachePriority::kHigh);
  }
  for (int i = 0; i < 1000; ++i) put(kEntry, CachePriority::kLow);
  // Until the FIFO is replaced.
  const size_t before = admission.memory_bytes();
  for (int i = 0; i < 20000 && admission.memory_bytes() == before; ++i) {
    put(kSmall, CachePriority::kHigh);
    put(kSmall, CachePriority::kLow);
  }
  ASSERT_GT(admission.memory_bytes(), before);
  for (int i = 0; i < 20000; ++i) put(kSmall, CachePriority::kLow);
  for (uint64_t i = n - 500; i < n; ++i) {
    CacheHandle* const found = cache->Lookup(TestKey(i));
    EXPECT_NE(found, nullptr) << n - i << " before the last";
    if (found != nullptr) cache->Release(found);
  }
}

TEST_P(AdmissionOfCache, ItsMemoryIsTheTables) {
  const size_t without = cache_->GetTableBytes() - admission().memory_bytes();
  Fill();
  EXPECT_GE(cache_->GetTableBytes(), without + kEntries * 16);
}

}  // namespace
}  // namespace ashlar::internal
