// Calls that workers of a pool may make: each is made once, its result comes
// back, and nobody waits for a worker that does not come.

#include "util/sync/pool_call.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "util/sync/semaphore.h"
#include "util/sync/ticket_queue.h"

namespace ashlar::testing {
namespace {

using internal::BinarySemaphore;
using internal::PoolCall;

// Keeps the only worker of a pool busy as long as it lives.
class BusyPool {
 public:
  BusyPool() {
    pool_.state()->Submit({&Attend, this});
    held_.Acquire();
  }
  ~BusyPool() {
    go_.Release();
    gone_.Acquire();
  }
  WorkerPool::State* state() { return pool_.state(); }

 private:
  static void Attend(void* job, uint32_t /*worker*/) {
    auto* const self = static_cast<BusyPool*>(job);
    self->held_.Release();
    self->go_.Acquire();
    self->gone_.Release();
  }

  WorkerPool pool_{1};
  BinarySemaphore held_;
  BinarySemaphore go_;
  BinarySemaphore gone_;
};

TEST(PoolCall, NobodyIsNeeded) {
  WorkerPool none(0);
  BusyPool busy;
  for (WorkerPool::State* const pool :
       {static_cast<WorkerPool::State*>(nullptr), none.state(), busy.state()}) {
    PoolCall call;
    EXPECT_TRUE(call.Wait().ok());
    for (int turn = 0; turn < 3; ++turn) {
      std::thread::id by;
      call.Start(pool, [&by] {
        by = std::this_thread::get_id();
        return Status::NotFound("done");
      });
      EXPECT_EQ(by, std::thread::id());
      EXPECT_TRUE(call.Wait().IsNotFound());
      EXPECT_EQ(by, std::this_thread::get_id());
      // The result is taken.
      EXPECT_TRUE(call.Wait().ok());
    }
  }
}

// The owner sees what the call wrote, without further synchronization.
TEST(PoolCall, AWorkerMakesTheCall) {
  WorkerPool pool(1);
  BinarySemaphore begun;
  std::thread::id by;
  PoolCall call;
  call.Start(pool.state(), [&] {
    by = std::this_thread::get_id();
    begun.Release();
    return Status::NotFound("done");
  });
  // Only a worker can have released it.
  begun.Acquire();
  EXPECT_TRUE(call.Wait().IsNotFound());
  EXPECT_NE(by, std::this_thread::get_id());
}

TEST(PoolCall, EachCallOnce) {
  for (const uint32_t threads : {1, 2, 8}) {
    WorkerPool pool(threads);
    for (int turn = 0; turn < 200; ++turn) {
      // Freed after each turn, so a sanitizer would report a late worker.
      const auto counts = std::make_unique<std::vector<int>>(10, 0);
      std::deque<PoolCall> calls;
      for (int& count : *counts) {
        calls.emplace_back().Start(pool.state(), [&count] {
          ++count;
          return Status();
        });
      }
      for (PoolCall& call : calls) ASSERT_TRUE(call.Wait().ok());
      for (const int count : *counts) ASSERT_EQ(count, 1);
    }
  }
}

TEST(PoolCall, ACallThatIsDroppedIsNotMade) {
  BusyPool busy;
  bool made = false;
  {
    PoolCall call;
    call.Start(busy.state(), [&made] {
      made = true;
      return Status();
    });
  }
  EXPECT_FALSE(made);
}

TEST(PoolCall, ACallInProgressIsWaitedFor) {
  WorkerPool pool(1);
  for (int turn = 0; turn < 200; ++turn) {
    const auto done = std::make_unique<bool>(false);
    BinarySemaphore begun;
    {
      PoolCall call;
      call.Start(pool.state(), [&] {
        begun.Release();
        *done = true;
        return Status();
      });
      begun.Acquire();
    }
    ASSERT_TRUE(*done);
  }
}

TEST(PoolCall, MemoryThatIsOutIsAResult) {
  WorkerPool pool(1);
  for (WorkerPool::State* const from :
       {static_cast<WorkerPool::State*>(nullptr), pool.state()}) {
    PoolCall call;
    call.Start(from, []() -> Status { throw std::bad_alloc(); });
    EXPECT_TRUE(call.Wait().IsMemoryLimit());
    call.Start(from, []() -> Status { throw std::length_error("long"); });
    EXPECT_TRUE(call.Wait().IsMemoryLimit());
  }
}

// A call waits for others, which were started before it by another thread.
TEST(PoolCall, ACallMayWaitForCalls) {
  for (const uint32_t threads : {1, 2, 3}) {
    WorkerPool pool(threads);
    for (int turn = 0; turn < 300; ++turn) {
      int parts[8] = {};
      int sum = 0;
      std::deque<PoolCall> inner;
      for (int& part : parts) {
        inner.emplace_back().Start(pool.state(), [&part] {
          part = 1;
          return Status();
        });
      }
      PoolCall outer;
      outer.Start(pool.state(), [&] {
        Status status;
        for (PoolCall& call : inner) status = call.Wait();
        for (const int part : parts) sum += part;
        return status;
      });
      ASSERT_TRUE(outer.Wait().ok());
      ASSERT_EQ(sum, 8);
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
