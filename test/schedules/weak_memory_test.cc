// What loads may see (weak_memory.h): the rules one by one, and the campaign on
// scenarios that are wrong only where memory is weak.

#include "test/schedules/weak_memory.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "test/schedules/campaign.h"

namespace ashlar::testing {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kBoth = std::memory_order_acq_rel;
constexpr auto kOneOrder = std::memory_order_seq_cst;

// Threads 0 to 2, and words whose newest values this knows.
class WeakMemoryTest : public ::testing::Test {
 protected:
  WeakMemoryTest()
      : memory_([this](uint32_t options) { return Pick(options); }) {
    memory_.Start(0, 1);
    memory_.Start(0, 2);
  }

  void Store(uint32_t thread, int word, std::memory_order order) {
    memory_.Change(thread, &words_[word], words_[word], words_[word] + 1, order,
                   false);
    ++words_[word];
  }
  void Add(uint32_t thread, int word, std::memory_order order) {
    memory_.Change(thread, &words_[word], words_[word], words_[word] + 1, order,
                   true);
    ++words_[word];
  }
  // Loads the oldest value that the thread may see.
  uint64_t Load(uint32_t thread, int word, std::memory_order order) {
    back_ = UINT32_MAX;
    return memory_.Load(thread, &words_[word], words_[word], order);
  }
  uint64_t LoadNewest(uint32_t thread, int word, std::memory_order order) {
    back_ = 0;
    return memory_.Load(thread, &words_[word], words_[word], order);
  }

  WeakMemory memory_;
  uint64_t words_[2] = {};

 private:
  uint32_t Pick(uint32_t options) const { return std::min(back_, options - 1); }

  uint32_t back_ = 0;
};

TEST_F(WeakMemoryTest, ALoadMaySeeAnOldValueUntilItSawANewerOne) {
  Store(0, 0, kRelease);
  Store(0, 0, kRelease);
  EXPECT_EQ(Load(1, 0, kAcquire), 0U);
  EXPECT_EQ(LoadNewest(1, 0, kAcquire), 2U);
  EXPECT_EQ(Load(1, 0, kAcquire), 2U);
  EXPECT_EQ(Load(2, 0, kAcquire), 0U);
  EXPECT_EQ(Load(0, 0, kRelaxed), 2U) << "its own store";
}

TEST_F(WeakMemoryTest, AcquireAndReleasePublishWhatWasBefore) {
  Store(0, 0, kRelaxed);
  Store(0, 1, kRelease);
  EXPECT_EQ(LoadNewest(1, 1, kRelaxed), 1U);
  EXPECT_EQ(Load(1, 0, kRelaxed), 0U) << "not acquired";
  EXPECT_EQ(LoadNewest(2, 1, kAcquire), 1U);
  EXPECT_EQ(Load(2, 0, kRelaxed), 1U);
}

TEST_F(WeakMemoryTest, ARelaxedStorePublishesNothing) {
  Store(0, 0, kRelaxed);
  Store(0, 1, kRelaxed);
  EXPECT_EQ(LoadNewest(1, 1, kAcquire), 1U);
  EXPECT_EQ(Load(1, 0, kRelaxed), 0U);
}

TEST_F(WeakMemoryTest, ReadModifyWritesCarryAReleaseOn) {
  Store(0, 0, kRelaxed);
  Add(0, 1, kRelease);
  Add(2, 1, kRelaxed);
  EXPECT_EQ(LoadNewest(1, 1, kAcquire), 2U);
  EXPECT_EQ(Load(1, 0, kRelaxed), 1U);
}

TEST_F(WeakMemoryTest, AStoreEndsWhatWasReleasedBefore) {
  Store(0, 0, kRelaxed);
  Store(0, 1, kRelease);
  Store(2, 1, kRelaxed);
  EXPECT_EQ(LoadNewest(1, 1, kAcquire), 2U);
  EXPECT_EQ(Load(1, 0, kRelaxed), 0U);
}

TEST_F(WeakMemoryTest, WhatOthersSawBeforeIsNotUnseen) {
  Store(0, 0, kRelaxed);
  EXPECT_EQ(LoadNewest(1, 0, kRelaxed), 1U);
  Store(1, 1, kRelease);
  EXPECT_EQ(LoadNewest(2, 1, kAcquire), 1U);
  EXPECT_EQ(Load(2, 0, kRelaxed), 1U);
}

TEST_F(WeakMemoryTest, OneOrderIsSeenByAllThatAreInIt) {
  // Two threads store to a word each, and then look at the other's.
  Store(0, 0, kRelease);
  Store(1, 1, kRelease);
  EXPECT_EQ(Load(0, 1, kAcquire), 0U);
  EXPECT_EQ(Load(1, 0, kAcquire), 0U);
  Store(0, 0, kOneOrder);
  Store(1, 1, kOneOrder);
  EXPECT_EQ(Load(0, 1, kOneOrder), 2U);
  EXPECT_EQ(Load(1, 0, kOneOrder), 2U);
  EXPECT_EQ(Load(2, 0, kAcquire), 0U) << "a load that is not in it";
}

TEST_F(WeakMemoryTest, WhatALoadInOneOrderSawHidesOlderValues) {
  Store(0, 0, kRelaxed);
  EXPECT_EQ(LoadNewest(1, 0, kOneOrder), 1U);
  EXPECT_EQ(Load(1, 1, kOneOrder), 0U);
  Add(2, 1, kOneOrder);  // after both loads in the one order
  EXPECT_EQ(Load(2, 0, kAcquire), 0U);
  EXPECT_EQ(Load(2, 0, kOneOrder), 1U);
}

TEST_F(WeakMemoryTest, AFailedExchangeSeesTheNewestValue) {
  Store(0, 0, kRelaxed);
  Add(0, 1, kBoth);
  memory_.ReadNewest(1, &words_[1], words_[1], kAcquire);
  EXPECT_EQ(Load(1, 1, kRelaxed), 1U);
  EXPECT_EQ(Load(1, 0, kRelaxed), 1U);
}

TEST_F(WeakMemoryTest, ThreadsAndLocksOrder) {
  Store(0, 0, kRelaxed);
  memory_.Start(0, 3);
  EXPECT_EQ(Load(3, 0, kRelaxed), 1U);
  Store(3, 0, kRelaxed);
  EXPECT_EQ(Load(0, 0, kRelaxed), 1U);
  memory_.Join(0, 3);
  EXPECT_EQ(Load(0, 0, kRelaxed), 2U);
  const int mutex = 0;
  memory_.Lock(1, &mutex);
  Store(1, 1, kRelaxed);
  memory_.Unlock(1, &mutex);
  EXPECT_EQ(Load(2, 1, kRelaxed), 0U);
  memory_.Lock(2, &mutex);
  EXPECT_EQ(Load(2, 1, kRelaxed), 1U);
}

TEST_F(WeakMemoryTest, DataNeedsAnOrder) {
  const int place = 0;
  EXPECT_TRUE(memory_.WriteData(0, &place));
  EXPECT_TRUE(memory_.ReadData(0, &place));
  EXPECT_FALSE(memory_.ReadData(1, &place));
  Store(0, 0, kRelease);
  EXPECT_EQ(LoadNewest(2, 0, kAcquire), 1U);
  EXPECT_TRUE(memory_.ReadData(2, &place));
  EXPECT_FALSE(memory_.WriteData(2, &place)) << "thread 1 may be reading";
  memory_.Begin(&place);
  EXPECT_TRUE(memory_.WriteData(2, &place));
  EXPECT_FALSE(memory_.WriteData(1, &place));
}

TEST_F(WeakMemoryTest, MemoryThatIsUsedAgainHasNoPast) {
  Store(0, 0, kRelaxed);
  EXPECT_EQ(Load(1, 0, kRelaxed), 0U);
  words_[0] = 7;  // without a word of it
  EXPECT_EQ(Load(1, 0, kRelaxed), 7U);
  Store(0, 0, kRelaxed);
  memory_.Begin(&words_[0]);
  EXPECT_EQ(Load(1, 0, kRelaxed), 8U);
}

// Where memory is not weak these scenarios are sound, and each `_kept` one is
// anyway.
TEST(WeakCampaign, FindsWhatOnlyWeakMemoryShows) {
  constexpr uint64_t kSchedules = 3000;
  std::set<std::string_view> found;
  for (const Scenario& scenario : WeakScenarios()) {
    for (const bool weak : {false, true}) {
      Campaign campaign(scenario, kSchedules, weak);
      campaign.RunSeeds(1, kSchedules, 1e9);
      const bool is_found = !campaign.result().faults.empty();
      EXPECT_EQ(is_found, weak && !scenario.name.ends_with("_kept"))
          << scenario.name;
      if (is_found) {
        EXPECT_TRUE(campaign.result().faults[0].replays) << scenario.name;
        found.insert(scenario.name);
      }
    }
  }
  EXPECT_GE(found.size(), 4U);
}

TEST(WeakCampaign, TriesAllOldValues) {
  for (const Scenario& scenario : WeakScenarios()) {
    Campaign campaign(scenario, 1 << 16, true);
    campaign.RunAll(0, 3, 1e9);
    EXPECT_EQ(campaign.result().complete, scenario.name.ends_with("_kept"))
        << scenario.name;
  }
}

// A sample of `make schedules`.
TEST(WeakCampaign, FindsNothingInTheLibrary) {
  constexpr uint64_t kSample = 300;
  for (const auto scenarios :
       {SyncScenarios(), PoolScenarios(), CacheScenarios(), TableScenarios()}) {
    for (const Scenario& scenario : scenarios) {
      Campaign campaign(scenario, kSample, true);
      campaign.RunSeeds(1, kSample, 1e9);
      for (const FoundFault& fault : campaign.result().faults) {
        ADD_FAILURE() << scenario.name << ", seed " << fault.seed << ": "
                      << fault.text;
      }
      EXPECT_EQ(campaign.result().executions, kSample) << scenario.name;
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
