// The campaign finds what is wrong in some schedules only, says how to find it
// again, and finds nothing in sound code.

#include "test/schedules/campaign.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

namespace ashlar::testing {
namespace {

constexpr uint64_t kSchedules = 20000;
constexpr double kNoLimit = 1e9;

Scenario FaultyScenario(std::string_view name) {
  for (const Scenario& scenario : FaultyScenarios()) {
    if (scenario.name == name) return scenario;
  }
  ADD_FAILURE() << "no scenario " << name;
  return {};
}

FoundFault FindFault(std::string_view name) {
  Campaign campaign(FaultyScenario(name), kSchedules);
  campaign.RunSeeds(1, kSchedules, kNoLimit);
  if (campaign.result().faults.empty()) {
    ADD_FAILURE() << "nothing is found in " << name;
    return {};
  }
  return campaign.result().faults.front();
}

TEST(Campaign, FindsLostUpdates) {
  const FoundFault fault = FindFault("lost_update");
  EXPECT_EQ(fault.text, "an addition is lost");
  EXPECT_TRUE(fault.replays);
  // Away after a load, and back before the store, by itself or not.
  EXPECT_LE(fault.deviations.size(), 3U);
}

TEST(Campaign, FindsOrdersThatNeedThreeSwitches) {
  const FoundFault fault = FindFault("deep_order");
  EXPECT_EQ(fault.text, "the rare order");
  EXPECT_TRUE(fault.replays);
  EXPECT_GE(fault.deviations.size(), 3U);
}

TEST(Campaign, FindsDeadlocks) {
  for (const std::string_view name : {"lost_wake", "two_locks"}) {
    const FoundFault fault = FindFault(name);
    EXPECT_TRUE(fault.text.starts_with("deadlock") ||
                fault.text.starts_with("no end after"))
        << fault.text;
    EXPECT_TRUE(fault.replays) << name;
  }
}

TEST(Campaign, WakesSleepersForNoReason) {
  const FoundFault fault = FindFault("early_wake");
  EXPECT_EQ(fault.text, "woken for nothing");
  EXPECT_TRUE(fault.replays);
}

TEST(Campaign, FindsWhatDoesNotEnd) {
  EXPECT_TRUE(FindFault("no_end").text.starts_with("no end after"));
}

TEST(Campaign, SearchesAllSchedulesOfFewPreemptions) {
  Campaign none(FaultyScenario("lost_update"), kSchedules);
  none.RunAll(0, 0, kNoLimit);
  EXPECT_TRUE(none.result().complete);
  EXPECT_TRUE(none.result().faults.empty());
  EXPECT_EQ(none.result().executions, none.result().distinct);
  Campaign one(FaultyScenario("lost_update"), kSchedules);
  one.RunAll(0, 1, kNoLimit);
  ASSERT_EQ(one.result().faults.size(), 1U);
  EXPECT_EQ(one.result().faults[0].text, "an addition is lost");
}

TEST(Campaign, SaysTheSameForTheSameSeeds) {
  const FoundFault first = FindFault("deep_order");
  const FoundFault second = FindFault("deep_order");
  EXPECT_EQ(first.seed, second.seed);
  EXPECT_EQ(first.deviations.size(), second.deviations.size());
}

// A sample of `make schedules`.
TEST(Campaign, FindsNothingInTheLibrary) {
  constexpr uint64_t kSample = 300;
  std::set<std::string_view> names;
  for (const auto scenarios :
       {SyncScenarios(), PoolScenarios(), CacheScenarios(), TableScenarios()}) {
    for (const Scenario& scenario : scenarios) {
      EXPECT_TRUE(names.insert(scenario.name).second) << scenario.name;
      Campaign campaign(scenario, kSample);
      campaign.RunSeeds(1, kSample, kNoLimit);
      for (const FoundFault& fault : campaign.result().faults) {
        ADD_FAILURE() << scenario.name << ", seed " << fault.seed << ": "
                      << fault.text;
      }
      EXPECT_EQ(campaign.result().executions, kSample) << scenario.name;
      EXPECT_GT(campaign.result().distinct, kSample / 10) << scenario.name;
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
