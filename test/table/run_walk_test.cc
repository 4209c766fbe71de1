// Tests the walk by several threads: each run is checked once, the first fault
// of the file is the one that is left, and only the caller is asked about
// progress.

#include "table/load/run_walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <latch>
#include <new>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace ashlar::testing {
namespace {

using internal::kBlockTrailerSize;
using internal::RunGoesOnTo;
using internal::RunWalk;

// A table whose run number i begins at byte 1000 * i.
struct Runs {
  size_t number = 0;
  std::vector<size_t> bad;  // runs that have a fault
  size_t without_memory = RunWalk::kNoRun;
  std::function<void(size_t run)> on_check = {};  // before a run is checked
  std::function<void(size_t run)> on_fail = {};   // after it failed
};

class Worker {
 public:
  Worker(const Runs& runs, RunWalk* walk) : runs_(runs), walk_(*walk) {}

  std::optional<uint64_t> Find(size_t run) {
    EXPECT_TRUE(!found_ || run > run_) << "numbers must ascend";
    found_ = true;
    run_ = run;
    return run < runs_.number ? std::optional<uint64_t>(1000 * run)
                              : std::nullopt;
  }

  void Check() {
    if (runs_.on_check) runs_.on_check(run_);
    if (run_ == runs_.without_memory) throw std::bad_alloc();
    checked_.push_back(run_);
    const auto& bad = runs_.bad;
    if (std::find(bad.begin(), bad.end(), run_) == bad.end()) return;
    walk_.Fail(run_, Status::Corruption("run " + std::to_string(run_)));
    if (runs_.on_fail) runs_.on_fail(run_);
  }

  const std::vector<size_t>& checked() const { return checked_; }

 private:
  const Runs& runs_;
  RunWalk& walk_;
  bool found_ = false;
  size_t run_ = 0;
  std::vector<size_t> checked_;
};

struct Walked {
  bool all = false;
  size_t bad_run = 0;
  std::string fault;
  std::vector<size_t> checked;  // in ascending order
};

Walked Walk(const Runs& runs, WorkerPool* pool, size_t threads,
            const RunWalk::OnProgress& on_progress = {}) {
  RunWalk walk(on_progress, 1000 * runs.number);
  std::vector<std::unique_ptr<Worker>> workers;
  for (size_t i = 0; i < threads; ++i) {
    workers.push_back(std::make_unique<Worker>(runs, &walk));
  }
  Walked walked;
  walked.all = walk.Run<Worker>(pool, workers);
  walked.bad_run = walk.bad_run();
  walked.fault = walk.fault().ToString();
  for (const auto& worker : workers) {
    walked.checked.insert(walked.checked.end(), worker->checked().begin(),
                          worker->checked().end());
  }
  std::sort(walked.checked.begin(), walked.checked.end());
  return walked;
}

// Returns the numbers below n.
std::vector<size_t> FirstRuns(size_t n) {
  std::vector<size_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  return numbers;
}

TEST(RunWalk, EachRunOnce) {
  WorkerPool pool(3);
  for (const size_t threads : {1, 2, 4}) {
    for (size_t number = 0; number < 100; ++number) {
      for (WorkerPool* const helpers :
           {&pool, static_cast<WorkerPool*>(nullptr)}) {
        const Walked walked = Walk({.number = number}, helpers, threads);
        EXPECT_TRUE(walked.all);
        EXPECT_EQ(walked.checked, FirstRuns(number));
        EXPECT_EQ(walked.bad_run, RunWalk::kNoRun);
        EXPECT_EQ(walked.fault, "OK");
      }
    }
  }
}

TEST(RunWalk, RunsAfterAFaultAreNotBegun) {
  for (const size_t threads : {1, 3}) {
    const Walked walked = Walk({.number = 9, .bad = {4, 6}}, nullptr, threads);
    EXPECT_TRUE(walked.all);
    EXPECT_EQ(walked.bad_run, 4u);
    EXPECT_EQ(walked.fault, "Corruption: run 4");
    EXPECT_EQ(walked.checked, FirstRuns(5));
  }
}

TEST(RunWalk, RunsBeforeAFaultAreAllChecked) {
  WorkerPool pool(3);
  for (int round = 0; round < 200; ++round) {
    const Walked walked =
        Walk({.number = 60, .bad = {37, 20, 21, 59}}, &pool, 4);
    EXPECT_TRUE(walked.all);
    EXPECT_EQ(walked.bad_run, 20u);
    EXPECT_EQ(walked.fault, "Corruption: run 20");
    ASSERT_GE(walked.checked.size(), 21u);
    EXPECT_TRUE(std::equal(walked.checked.begin(), walked.checked.begin() + 21,
                           FirstRuns(21).begin()));
  }
}

// Lets two threads walk over runs of which 2 and `other`, a later one, have
// faults. Both are begun before one of them fails: `first`. The other one fails
// after it.
void ExpectTheFaultOfRun2(size_t other, size_t first) {
  WorkerPool pool(1);
  for (int round = 0; round < 20; ++round) {
    std::latch both_begun(2);
    std::latch first_failed(1);
    const Runs runs{.number = 9,
                    .bad = {2, other},
                    .on_check =
                        [&](size_t run) {
                          if (run != 2 && run != other) return;
                          both_begun.arrive_and_wait();
                          if (run != first) first_failed.wait();
                        },
                    .on_fail =
                        [&](size_t run) {
                          if (run == first) first_failed.count_down();
                        }};
    const Walked walked = Walk(runs, &pool, 2);
    EXPECT_EQ(walked.bad_run, 2u);
    EXPECT_EQ(walked.fault, "Corruption: run 2");
    EXPECT_EQ(walked.checked, FirstRuns(other + 1));
  }
}

TEST(RunWalk, AnEarlierFaultThatIsMetLater) { ExpectTheFaultOfRun2(5, 5); }

TEST(RunWalk, ALaterFaultThatIsMetLater) { ExpectTheFaultOfRun2(3, 2); }

TEST(RunWalk, ProgressIsAskedBeforeEachRun) {
  std::vector<uint64_t> offsets;
  const auto on_progress = [&offsets](uint64_t done, uint64_t total) {
    EXPECT_EQ(total, 4000u);
    offsets.push_back(done);
    return offsets.size() < 3;
  };
  const Walked walked = Walk({.number = 4}, nullptr, 2, on_progress);
  EXPECT_FALSE(walked.all);
  EXPECT_EQ(offsets, (std::vector<uint64_t>{0, 1000, 2000}));
  EXPECT_EQ(walked.checked, FirstRuns(2));
}

// The runs have no end, so the other threads end only because the caller gives
// up. It does that when another thread has checked a run.
TEST(RunWalk, OnlyTheCallerGivesUpAndAllEnd) {
  WorkerPool pool(3);
  const std::thread::id caller = std::this_thread::get_id();
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> helped = false;
    const Runs runs{.number = RunWalk::kNoRun,
                    .on_check = [&helped, caller](size_t) {
                      if (std::this_thread::get_id() != caller) helped = true;
                    }};
    const Walked walked = Walk(runs, &pool, 4, [&](uint64_t, uint64_t) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      return !helped;
    });
    EXPECT_FALSE(walked.all);
    EXPECT_TRUE(helped);
  }
}

TEST(RunWalk, AWorkerWithoutMemoryEndsTheWalk) {
  WorkerPool pool(3);
  for (WorkerPool* const helpers : {&pool, static_cast<WorkerPool*>(nullptr)}) {
    EXPECT_THROW(Walk({.number = 50, .without_memory = 7}, helpers, 4),
                 std::bad_alloc);
  }
}

TEST(RunWalk, BlocksOfARun) {
  const uint64_t bytes = 90 + kBlockTrailerSize;
  EXPECT_TRUE(RunGoesOnTo({150, 40}, 100, bytes));
  EXPECT_FALSE(RunGoesOnTo({150, 40}, 100, bytes - 1));
  // The blocks of a damaged index may go back in the file.
  EXPECT_FALSE(RunGoesOnTo({50, 40}, 100, bytes));
  EXPECT_FALSE(RunGoesOnTo({100, 40}, 100, bytes));
}

}  // namespace
}  // namespace ashlar::testing
