// Calls of an application on the threads of a pool.

#include "ashlar/util/pooled_call.h"

#include <gtest/gtest.h>

#include <new>
#include <string>
#include <thread>
#include <vector>

namespace ashlar::testing {
namespace {

TEST(PooledCall, ResultsComeBack) {
  WorkerPool none(0);
  WorkerPool two(2);
  for (WorkerPool* const pool :
       {static_cast<WorkerPool*>(nullptr), &none, &two}) {
    std::vector<PooledCall> calls(20);
    std::vector<int> results(calls.size());
    for (int turn = 1; turn <= 3; ++turn) {
      for (size_t i = 0; i < calls.size(); ++i) {
        calls[i].Start(pool, [&results, i, turn] {
          results[i] += turn;
          return i % 2 == 0 ? Status() : Status::Aborted(std::to_string(i));
        });
      }
      for (size_t i = 0; i < calls.size(); ++i) {
        const Status status = calls[i].Wait();
        EXPECT_EQ(status.IsAborted(), i % 2 == 1);
        EXPECT_EQ(results[i], turn * (turn + 1) / 2);
      }
    }
  }
}

TEST(PooledCall, TheCallerMakesWhatNobodyHasBegun) {
  PooledCall call;
  EXPECT_TRUE(call.Wait().ok());
  std::thread::id by;
  call.Start(nullptr, [&by] {
    by = std::this_thread::get_id();
    return Status();
  });
  EXPECT_TRUE(call.Wait().ok());
  EXPECT_EQ(by, std::this_thread::get_id());
}

TEST(PooledCall, ALackOfMemoryIsAStatus) {
  WorkerPool pool(1);
  PooledCall call;
  call.Start(&pool, []() -> Status { throw std::bad_alloc(); });
  EXPECT_TRUE(call.Wait().IsMemoryLimit());
}

// A call that is in progress is waited for; another one is not made any more.
TEST(PooledCall, NothingRunsAfterTheEnd) {
  WorkerPool pool(2);
  for (int turn = 0; turn < 200; ++turn) {
    int made = 0;
    {
      PooledCall call;
      call.Start(&pool, [&made] {
        ++made;
        return Status();
      });
    }
    EXPECT_LE(made, 1);
  }
}

}  // namespace
}  // namespace ashlar::testing
