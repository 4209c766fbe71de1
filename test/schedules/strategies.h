// Strategies that choose schedules (controlled_threads.h).
//
// Every one is a function of its arguments and of the places that it was asked
// about. So the same seed gives the same schedule.
#ifndef ASHLAR_TEST_SCHEDULES_STRATEGIES_H_
#define ASHLAR_TEST_SCHEDULES_STRATEGIES_H_

#include <array>
#include <cstdint>
#include <vector>

#include "test/schedules/controlled_threads.h"

namespace ashlar::testing {

// Interferes with nothing.
class DefaultStrategy final : public Strategy {
 public:
  uint32_t Next(const SchedulePlace& place) override {
    return DefaultNext(place);
  }
};

// Interferes where it was told to.
class ReplayStrategy final : public Strategy {
 public:
  explicit ReplayStrategy(std::vector<Deviation> deviations)
      : deviations_(std::move(deviations)) {}
  uint32_t Next(const SchedulePlace& place) override;

 private:
  const std::vector<Deviation> deviations_;  // sorted by points
  size_t next_ = 0;
};

// Where a sequence of random numbers stands.
class ScheduleDice {
 public:
  explicit ScheduleDice(uint64_t seed) : state_(seed) {}
  uint64_t Next();
  uint64_t Below(uint64_t n) { return Next() % n; }

 private:
  uint64_t state_;
};

// "Probabilistic concurrency testing" (Burckhardt and others, ASPLOS 2010): the
// ready thread of the highest priority goes on. Threads draw their priorities,
// and `depth` - 1 places draw a thread that falls below all others there. A
// fault that needs d such orderings among k points is found with a probability
// of at least 1 / (n k^(d-1)) for n threads. A thread that waits for another
// falls, too, but only after it has looked `patience` times in a row. With
// `wakes_early`, some sleeps end for no reason.
class PriorityStrategy final : public Strategy {
 public:
  struct Settings {
    uint32_t depth = 1;
    uint64_t expected_points = 1;
    uint64_t patience = 0;
    bool wakes_early = false;
  };
  PriorityStrategy(uint64_t seed, const Settings& settings);
  void Started(uint32_t thread) override;
  uint32_t Next(const SchedulePlace& place) override;

 private:
  bool Falls(const SchedulePlace& place);

  ScheduleDice dice_;
  const uint64_t patience_;
  const bool wakes_early_;
  uint64_t pauses_ = 0;          // in a row, of one thread
  std::vector<uint64_t> falls_;  // numbers of points, sorted
  size_t next_fall_ = 0;
  uint64_t lowest_ = uint64_t{1} << 32;  // what falls gets less than this
  std::array<uint64_t, kMostThreads> priorities_{};
};

// At one point in `one_in`, any ready thread goes on.
class WalkStrategy final : public Strategy {
 public:
  WalkStrategy(uint64_t seed, uint64_t one_in) : dice_(seed), one_in_(one_in) {}
  uint32_t Next(const SchedulePlace& place) override;

 private:
  ScheduleDice dice_;
  const uint64_t one_in_;
};

// All schedules in which at most `preemptions` times a thread stops that could
// go on, or a load sees an older value, one after the other, depth first. When
// a thread cannot go on, every ready one is tried.
class BoundedSearch final : public Strategy {
 public:
  explicit BoundedSearch(uint32_t preemptions) : preemptions_(preemptions) {}

  uint32_t Next(const SchedulePlace& place) override;
  // To be called after each execution. Returns false if there is no other.
  bool Advance();
  // Whether an execution did not repeat what it shares with the one before.
  bool diverged() const { return diverged_; }

 private:
  struct Choice {
    uint64_t point;
    uint32_t options;  // a bit for each thread that is not tried yet
    uint32_t chosen;
    uint32_t preemptions;  // before this choice
    uint32_t current;      // whom it preempts, or kMostThreads
  };

  const uint32_t preemptions_;
  std::vector<Choice> choices_;
  size_t depth_ = 0;  // choices of this execution so far
  uint32_t used_ = 0;
  bool diverged_ = false;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SCHEDULES_STRATEGIES_H_
