// What the strategies choose, without threads.

#include "test/schedules/strategies.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace ashlar::testing {
namespace {

// Lets two threads take `steps` steps each, and returns who took them.
std::string OrderOf(Strategy* strategy, int steps) {
  std::string order;
  int left[2] = {steps, steps};
  SchedulePlace place{.number = 0, .current = 0};
  strategy->Started(0);
  strategy->Started(1);
  while (left[0] + left[1] > 0) {
    ++place.number;
    place.ready = (left[0] > 0 ? 1U : 0U) | (left[1] > 0 ? 2U : 0U);
    place.kind = left[place.current] > 0 ? PointKind::kStep : PointKind::kEnd;
    place.current = strategy->Next(place);
    order += place.current == 0 ? 'a' : 'b';
    --left[place.current];
  }
  return order;
}

TEST(Strategies, TheBoundedSearchTakesEachOrderOnce) {
  // With enough preemptions: all ways to mix two rows of 4.
  constexpr size_t kAllMixes = 70;
  BoundedSearch all(8);
  std::set<std::string> orders;
  size_t count = 0;
  do {
    orders.insert(OrderOf(&all, 4));
    ++count;
  } while (all.Advance());
  EXPECT_EQ(count, kAllMixes);
  EXPECT_EQ(orders.size(), kAllMixes);
  EXPECT_FALSE(all.diverged());
}

TEST(Strategies, TheBoundedSearchStopsNoThreadTooOften) {
  BoundedSearch one(1);
  std::set<std::string> orders;
  do {
    orders.insert(OrderOf(&one, 3));
  } while (one.Advance());
  // After 0, 1, 2 or 3 steps of the first.
  EXPECT_EQ(orders,
            (std::set<std::string>{"aaabbb", "aabbba", "abbbaa", "bbbaaa"}));
}

TEST(Strategies, SeedsDecide) {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    constexpr PriorityStrategy::Settings kSettings = {.depth = 3,
                                                      .expected_points = 8};
    PriorityStrategy first(seed, kSettings);
    PriorityStrategy second(seed, kSettings);
    const std::string order = OrderOf(&first, 4);
    EXPECT_EQ(order, OrderOf(&second, 4));
    orders.insert(order);
    WalkStrategy walk(seed, 2);
    WalkStrategy again(seed, 2);
    EXPECT_EQ(OrderOf(&walk, 4), OrderOf(&again, 4));
  }
  EXPECT_GT(orders.size(), 10U);
}

TEST(Strategies, AThreadThatWaitsLetsOthersGoFirst) {
  const SchedulePlace waits{
      .number = 1, .kind = PointKind::kPause, .current = 0, .ready = 3};
  for (uint64_t seed = 0; seed < 20; ++seed) {
    PriorityStrategy priority(seed, {});
    priority.Started(0);
    priority.Started(1);
    EXPECT_EQ(priority.Next(waits), 1U);
    WalkStrategy walk(seed, 2);
    EXPECT_EQ(walk.Next(waits), 1U);
  }
  EXPECT_EQ(DefaultNext(waits), 1U);
}

TEST(Strategies, AReplayInterferesOnlyWhereItWasTold) {
  ReplayStrategy replay({{.point = 2, .thread = 1}, {.point = 4, .thread = 0}});
  EXPECT_EQ(OrderOf(&replay, 3), "abbaab");
}

}  // namespace
}  // namespace ashlar::testing
