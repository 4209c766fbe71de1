// Calls of an application on the threads of a pool.

#include "ashlar/util/pooled_call.h"

#include <gtest/gtest.h>

#include <future>
#include <new>
#include <stdexcept>
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

// Keeps the only thread of a pool busy until Release.
class HeldPool {
 public:
  HeldPool() {
    std::promise<void> begun;
    holding_.Start(&pool_, [this, &begun] {
      begun.set_value();
      released_.get_future().wait();
      return Status();
    });
    begun.get_future().wait();
  }
  WorkerPool* pool() { return &pool_; }
  void Release() {
    released_.set_value();
    EXPECT_TRUE(holding_.Wait().ok());
  }

 private:
  WorkerPool pool_{1};
  std::promise<void> released_;
  PooledCall holding_;
};

TEST(PooledCall, TheCallerMakesWhatNobodyHasBegun) {
  HeldPool held;
  for (WorkerPool* const pool :
       {static_cast<WorkerPool*>(nullptr), held.pool()}) {
    PooledCall call;
    EXPECT_TRUE(call.Wait().ok());
    std::thread::id by;
    call.Start(pool, [&by] {
      by = std::this_thread::get_id();
      return Status();
    });
    EXPECT_TRUE(call.Wait().ok());
    EXPECT_EQ(by, std::this_thread::get_id());
  }
  held.Release();
}

TEST(PooledCall, ALackOfMemoryIsAStatus) {
  WorkerPool pool(1);
  PooledCall call;
  call.Start(&pool, []() -> Status { throw std::bad_alloc(); });
  EXPECT_TRUE(call.Wait().IsMemoryLimit());
  call.Start(&pool, []() -> Status { throw std::length_error("too long"); });
  EXPECT_TRUE(call.Wait().IsMemoryLimit());
}

TEST(PooledCall, WhatHasNotBegunIsNotMadeAfterTheEnd) {
  HeldPool held;
  bool made = false;
  {
    PooledCall call;
    call.Start(held.pool(), [&made] {
      made = true;
      return Status();
    });
  }
  held.Release();
  // The only thread has come to whatever was before this call.
  PooledCall last;
  last.Start(held.pool(), [] { return Status(); });
  EXPECT_TRUE(last.Wait().ok());
  EXPECT_FALSE(made);
}

TEST(PooledCall, WhatHasBegunIsWaitedForAtTheEnd) {
  WorkerPool pool(1);
  for (int turn = 0; turn < 200; ++turn) {
    std::promise<void> begun;
    bool ended = false;
    {
      PooledCall call;
      call.Start(&pool, [&] {
        begun.set_value();
        std::this_thread::yield();
        ended = true;
        return Status();
      });
      begun.get_future().wait();
    }
    EXPECT_TRUE(ended);
  }
}

}  // namespace
}  // namespace ashlar::testing
