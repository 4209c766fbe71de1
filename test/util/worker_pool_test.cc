// Semaphores and the pool of workers, with real threads.

#include "ashlar/util/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "util/sync/semaphore.h"
#include "util/sync/ticket_queue.h"

namespace ashlar::testing {
namespace {

using internal::BinarySemaphore;
using internal::CountingSemaphore;
using internal::WatchedSemaphore;

TEST(Semaphore, TokensAreTakenOnce) {
  CountingSemaphore semaphore;
  EXPECT_FALSE(semaphore.TryAcquire());
  semaphore.Release(2);
  EXPECT_TRUE(semaphore.TryAcquire());
  semaphore.Acquire();
  EXPECT_FALSE(semaphore.TryAcquire());
}

// Ends only if no wake-up is lost: each acquirer takes its full share of the
// tokens.
TEST(Semaphore, ManyAcquirersAndReleasers) {
  constexpr int kThreads = 4;
  constexpr uint32_t kTokens = 20000;
  CountingSemaphore semaphore;
  std::atomic<uint32_t> taken = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (uint32_t n = 0; n < kTokens; ++n) semaphore.Acquire();
      taken += kTokens;
    });
    threads.emplace_back([&, i] {
      for (uint32_t n = 0; n < kTokens; n += i % 2 == 0 ? 1 : 2) {
        semaphore.Release(i % 2 == 0 ? 1 : 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, kThreads * kTokens);
  EXPECT_FALSE(semaphore.TryAcquire());
}

// Two threads pass one token to each other.
TEST(Semaphore, PingPong) {
  constexpr int kTurns = 20000;
  BinarySemaphore ping;
  BinarySemaphore pong;
  int shared = 0;  // accessed only with the token
  std::thread other([&] {
    for (int i = 0; i < kTurns; ++i) {
      ping.Acquire();
      ++shared;
      pong.Release();
    }
  });
  for (int i = 0; i < kTurns; ++i) {
    ++shared;
    ping.Release();
    pong.Acquire();
  }
  other.join();
  EXPECT_EQ(shared, 2 * kTurns);
}

// A job that counts its visits and signals when there were enough.
struct Visits {
  explicit Visits(int n) : wanted(n) {}
  static void Attend(void* job, uint32_t worker) {
    auto* const visits = static_cast<Visits*>(job);
    visits->workers |= 1U << worker;
    if (++visits->count == visits->wanted) visits->done.Release();
  }
  const int wanted;
  std::atomic<int> count = 0;
  std::atomic<uint32_t> workers = 0;
  BinarySemaphore done;
};

TEST(WorkerPool, EveryTicketIsAttendedOnce) {
  constexpr int kTickets = 5000;
  // The pool is destroyed first, because a worker may still be inside Release.
  Visits one(kTickets);
  Visits two(kTickets);
  WorkerPool pool(3);
  ASSERT_EQ(pool.threads(), 3u);
  for (int i = 0; i < kTickets; ++i) {
    pool.state()->Submit({&Visits::Attend, &one});
    pool.state()->Submit({&Visits::Attend, &two});
  }
  one.done.Acquire();
  two.done.Acquire();
  EXPECT_EQ(one.count, kTickets);
  EXPECT_LT(one.workers | two.workers, 8u);
  EXPECT_EQ(pool.state()->Withdraw(&one), 0u);
}

TEST(WorkerPool, WithoutThreadsTicketsWaitUntilTheyAreWithdrawn) {
  WorkerPool pool(0);
  Visits one(1);
  Visits two(1);
  EXPECT_FALSE(pool.state()->OthersWait());
  pool.state()->Submit({&Visits::Attend, &one});
  pool.state()->Submit({&Visits::Attend, &two});
  pool.state()->Submit({&Visits::Attend, &one});
  EXPECT_TRUE(pool.state()->OthersWait());
  EXPECT_EQ(pool.state()->Withdraw(&one), 2u);
  EXPECT_EQ(pool.state()->Withdraw(&one), 0u);
  EXPECT_EQ(pool.state()->Withdraw(&two), 1u);
  EXPECT_FALSE(pool.state()->OthersWait());
  EXPECT_EQ(one.count + two.count, 0);
}

TEST(WorkerPool, FirstComeFirstServed) {
  // The pool's only thread waits until all tickets are submitted.
  struct Turn {
    std::vector<int>* order;
    int number;
    BinarySemaphore* wait;
    BinarySemaphore* done;
    static void Attend(void* job, uint32_t) {
      const auto* const turn = static_cast<Turn*>(job);
      if (turn->wait != nullptr) turn->wait->Acquire();
      turn->order->push_back(turn->number);
      if (turn->done != nullptr) turn->done->Release();
    }
  };
  std::vector<int> order;
  BinarySemaphore go;
  BinarySemaphore done;
  std::vector<Turn> turns;
  WorkerPool pool(1);
  turns.reserve(5);
  for (int i = 0; i < 5; ++i) {
    turns.push_back(
        {&order, i, i == 0 ? &go : nullptr, i == 4 ? &done : nullptr});
  }
  for (Turn& turn : turns) pool.state()->Submit({&Turn::Attend, &turn});
  go.Release();
  done.Acquire();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(WorkerPool, GatesAreUsedAgain) {
  WorkerPool pool(0);
  WatchedSemaphore* const one = pool.state()->BorrowGate({});
  WatchedSemaphore* const two = pool.state()->BorrowGate({});
  EXPECT_NE(one, two);
  pool.state()->ReturnGate(two);
  EXPECT_EQ(pool.state()->BorrowGate({}), two);
  pool.state()->ReturnGate(one);
  pool.state()->ReturnGate(two);
}

}  // namespace
}  // namespace ashlar::testing
