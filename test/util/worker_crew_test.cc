// Loops shared with a pool's workers: each unit is done once, failures are
// returned, and nothing is accessed after the end.

#include "util/sync/worker_crew.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "util/sync/semaphore.h"
#include "util/sync/ticket_queue.h"

namespace ashlar::testing {
namespace {

using internal::BinarySemaphore;
using internal::WorkerCrew;

TEST(WorkerCrew, NobodyIsNeeded) {
  WorkerPool none(0);
  for (const WorkerCrew& crew :
       {WorkerCrew(), WorkerCrew(nullptr, 3), WorkerCrew(none.state(), 3)}) {
    int sum = 0;
    EXPECT_TRUE(crew.ForEach(5, [&sum](uint32_t unit) {
      sum += static_cast<int>(unit) + 1;
      return true;
    }));
    EXPECT_EQ(sum, 15);
    EXPECT_FALSE(crew.ForEach(5, [&sum](uint32_t unit) {
      ++sum;
      return unit != 1;
    }));
    EXPECT_EQ(sum, 17);
  }
  EXPECT_TRUE(WorkerCrew().alone());
  EXPECT_TRUE(WorkerCrew(nullptr, 3).alone());
}

// The caller sees what the units write, without further synchronization.
TEST(WorkerCrew, EachUnitOnce) {
  for (const uint32_t threads : {1, 2, 3, 16}) {
    WorkerPool pool(threads);
    for (uint32_t units = 0; units < 300; ++units) {
      const WorkerCrew crew(pool.state(), 1 + units % threads);
      // Freed after each turn, so a sanitizer would report a late worker.
      const auto counts = std::make_unique<std::vector<int>>(units, 0);
      ASSERT_TRUE(crew.ForEach(units, [&counts](uint32_t unit) {
        ++(*counts)[unit];
        return true;
      }));
      for (const int count : *counts) ASSERT_EQ(count, 1);
    }
  }
}

TEST(WorkerCrew, WorkersComeToHelp) {
  WorkerPool pool(1);
  const WorkerCrew crew(pool.state(), 1);
  // Each unit waits for the other, so one thread alone could not finish.
  BinarySemaphore one;
  BinarySemaphore two;
  std::atomic<bool> by_caller[2] = {};
  const auto caller = std::this_thread::get_id();
  EXPECT_TRUE(crew.ForEach(2, [&](uint32_t unit) {
    by_caller[unit] = std::this_thread::get_id() == caller;
    (unit == 0 ? one : two).Release();
    (unit == 0 ? two : one).Acquire();
    return true;
  }));
  EXPECT_NE(by_caller[0], by_caller[1]);
}

TEST(WorkerCrew, AFaultComesBackAndEndsTheRest) {
  WorkerPool pool(3);
  const WorkerCrew crew(pool.state(), 3);
  constexpr uint32_t kUnits = 2000;
  for (uint32_t bad = 0; bad < 40; ++bad) {
    std::atomic<uint32_t> begun = 0;
    std::atomic<int> inside = 0;
    EXPECT_FALSE(crew.ForEach(kUnits, [&](uint32_t unit) {
      ++inside;
      ++begun;
      --inside;
      return unit != bad;
    }));
    EXPECT_EQ(inside, 0);
    EXPECT_GT(begun, bad);
  }
  // Every unit fails, so each thread begins at most one.
  std::atomic<uint32_t> begun = 0;
  EXPECT_FALSE(crew.ForEach(kUnits, [&begun](uint32_t) {
    ++begun;
    return false;
  }));
  EXPECT_LE(begun, 4u);
}

// All workers of this pool are busy with another job.
TEST(WorkerCrew, ABusyPoolIsNotWaitedFor) {
  struct Holder {
    BinarySemaphore held;
    BinarySemaphore go;
    BinarySemaphore gone;
    static void Attend(void* job, uint32_t) {
      auto* const holder = static_cast<Holder*>(job);
      holder->held.Release();
      holder->go.Acquire();
      holder->gone.Release();
    }
  };
  Holder holder;
  WorkerPool pool(1);
  pool.state()->Submit({&Holder::Attend, &holder});
  holder.held.Acquire();
  int sum = 0;
  EXPECT_TRUE(WorkerCrew(pool.state(), 1).ForEach(100, [&sum](uint32_t) {
    ++sum;
    return true;
  }));
  EXPECT_EQ(sum, 100);
  holder.go.Release();
  holder.gone.Acquire();
}

TEST(WorkerCrew, ManyCallersThroughOnePool) {
  for (const uint32_t threads : {1, 2, 16}) {
    WorkerPool pool(threads);
    std::vector<std::thread> callers;
    for (uint32_t c = 0; c < 6; ++c) {
      callers.emplace_back([c, &pool] {
        for (uint32_t turn = 0; turn < 300; ++turn) {
          const auto sums =
              std::make_unique<std::vector<uint32_t>>(1 + turn % 20, 0);
          const bool fails = turn % 7 == c;
          const WorkerCrew crew(pool.state(), 1 + turn % 4);
          const bool ended = crew.ForEach(
              static_cast<uint32_t>(sums->size()), [&](uint32_t unit) {
                ++(*sums)[unit];
                return !fails || unit != sums->size() / 2;
              });
          ASSERT_EQ(ended, !fails);
          for (const uint32_t sum : *sums) ASSERT_LE(sum, 1u);
          if (!fails) {
            for (const uint32_t sum : *sums) ASSERT_EQ(sum, 1u);
          }
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
  }
}

}  // namespace
}  // namespace ashlar::testing
