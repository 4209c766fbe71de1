// Semaphores to sleep on: a futex word of 32 bits and a count of waiters.
//
// The worker pool and the compression ring use them when they have nothing to
// do. Their own words decide which thread sleeps and which is woken. A token
// here only carries the news. Any number of threads.
//
// Protocol, checked by test/model/semaphore.pml:
//   Acquire  takes a token by compare-exchange while the count is not 0, and
//            tries again if it lost. If the count is 0, it counts itself as a
//            waiter and sleeps on the value 0, then starts again.
//   Release  adds the tokens first. Then, if any thread waits, it wakes as many
//            threads as it added tokens.
// The addition and the look at the waiters are sequentially consistent. So is
// the waiter's counting before the kernel compares the word. So one of the two
// sees the other, and no token meets a sleeper that nobody wakes.
//
// A token is visible before Release returns. Requires: when a semaphore is
// destroyed, no Release is in progress. The ring's semaphores belong to the
// pool for this reason.
//
// Not std::counting_semaphore: that of GCC 12 loses wake-ups (seen on two cores
// with two acquirers and two releasers, and the model finds it too). With
// ASHLAR_USE_STD_SEMAPHORES it is used all the same, for toolchains that are
// known to be correct. That prints a warning, and CI runs only single-threaded
// tests with it.
#ifndef ASHLAR_UTIL_SYNC_SEMAPHORE_H_
#define ASHLAR_UTIL_SYNC_SEMAPHORE_H_

#include <atomic>
#include <cassert>
#include <cstdint>

#include "ashlar/util/sync/schedule_point.h"
#include "ashlar/util/sync/shared_word.h"
#include "port/threads.h"

#if defined(ASHLAR_USE_STD_SEMAPHORES)
#include <semaphore>
// A warning that no -Werror turns into an error.
#pragma message("warning: std::counting_semaphore of GCC 12 may hang")
#endif

namespace ashlar::internal {

// For a thread that looks at a semaphore in trouble.
struct SemaphoreCounts {
  uint32_t tokens = 0;
  uint32_t waiters = 0;  // threads that sleep in the kernel, or are about to
};

#if defined(ASHLAR_USE_STD_SEMAPHORES)

class CountingSemaphore {
 public:
  void Acquire() { semaphore_.acquire(); }
  bool TryAcquire() { return semaphore_.try_acquire(); }
  void Release(uint32_t n = 1) { semaphore_.release(n); }
  SemaphoreCounts Counts() const { return {}; }  // the library does not say

 private:
  std::counting_semaphore<> semaphore_{0};
};

#else

class CountingSemaphore {
 public:
  CountingSemaphore() = default;
  CountingSemaphore(const CountingSemaphore&) = delete;
  CountingSemaphore& operator=(const CountingSemaphore&) = delete;

  bool TryAcquire() {
    LookPoint();
    uint32_t count = count_.load(std::memory_order_relaxed);
    while (count > 0) {
      SchedulePoint();
      if (count_.compare_exchange_weak(count, count - 1,
                                       std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  void Acquire() {
    // A wake-up costs some microseconds, so first wait a moment for a token
    // that is about to come.
    constexpr int kSpins = 100;
    for (int i = 0; i < kSpins; ++i) {
      if (TryAcquire()) return;
      port::CpuPause();
    }
    while (!TryAcquire()) {
      SchedulePoint();
      waiters_.fetch_add(1, std::memory_order_seq_cst);
      SchedulePoint();
      port::FutexWait(Word(), 0);
      waiters_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  void Release(uint32_t n = 1) {
    SchedulePoint();
    count_.fetch_add(n, std::memory_order_seq_cst);
    SchedulePoint();
    if (waiters_.load(std::memory_order_seq_cst) > 0) {
      port::FutexWake(Word(), n);
    }
  }

  SemaphoreCounts Counts() const {
    return {count_.load(std::memory_order_relaxed),
            waiters_.load(std::memory_order_relaxed)};
  }

 private:
  // The kernel compares the bytes of the atomic itself.
  static_assert(sizeof(SharedWord<uint32_t>) == sizeof(uint32_t) &&
                SharedWord<uint32_t>::is_always_lock_free);
  const uint32_t* Word() const {
    return reinterpret_cast<const uint32_t*>(&count_);
  }

  SharedWord<uint32_t> count_ = 0;
  SharedWord<uint32_t> waiters_ = 0;
};

#endif

// At most one token, for one sleeper. Requires: the thread that releases has
// claimed the right to do so.
class BinarySemaphore {
 public:
  void Acquire() { semaphore_.Acquire(); }
  void Release() { semaphore_.Release(); }
  bool TryAcquire() { return semaphore_.TryAcquire(); }
  SemaphoreCounts Counts() const { return semaphore_.Counts(); }

 private:
  CountingSemaphore semaphore_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_SEMAPHORE_H_
