// WaitingRoom: where threads sleep until something that they look for happens.
//
// Internal, installed as a part of ConcurrentWriteBuffer. For rare waits: a
// thread that finds what it wants at once does not come here. The thread that
// makes it happen announces it. That costs one addition while nobody waits, and
// otherwise also wakes one thread. To wake all of them, for something that only
// one can take, would cost more than the wait. A thread that is not woken looks
// again by itself after 1, 2, 4, 8, and then every 16 ms. So no thread depends
// on what another one does after it was woken. Any number of threads. Not a
// semaphore: it counts nothing.
//
// Why an announcement is not lost. A waiting thread counts itself in
// `waiters_`, reads `news_`, looks again, and then sleeps on the value of
// `news_` that it read. The counting and the announcement are both
// read-modify-writes of `waiters_`, so one of them is first. Either the
// announcing thread sees the waiting one and changes `news_`, or the waiting
// thread acquires what was announced, and finds it when it looks.
#ifndef ASHLAR_UTIL_SYNC_WAITING_ROOM_H_
#define ASHLAR_UTIL_SYNC_WAITING_ROOM_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "ashlar/util/export.h"
#include "ashlar/util/sync/schedule_point.h"
#include "ashlar/util/sync/shared_word.h"

namespace ashlar::internal {

class WaitingRoom {
 public:
  // Returns when ready() has returned true. Calls it at least once, and again
  // after each sleep.
  template <typename Ready>
  void Await(Ready ready) {
    SchedulePoint();
    waiters_.fetch_add(1, std::memory_order_acq_rel);
    for (uint32_t pause = 1;; pause = std::min(2 * pause, kLongestPause)) {
      LookPoint();
      const uint32_t news = news_.load(std::memory_order_acquire);
      if (ready()) break;
      SchedulePoint();
      Sleep(news, pause);
    }
    waiters_.fetch_sub(1, std::memory_order_relaxed);
  }

  // Announces that something happened that some thread may be waiting for.
  void Announce() {
    LookPoint();
    if (waiters_.fetch_add(0, std::memory_order_acq_rel) == 0) return;
    LookPoint();
    news_.fetch_add(1, std::memory_order_acq_rel);
    WakeOne();
  }

  // Yields the processor. For loops that wait for a thread that may not be
  // running.
  ASHLAR_EXPORT static void LetOthersRun();

 private:
  static constexpr uint32_t kLongestPause = 16;  // milliseconds

  ASHLAR_EXPORT void Sleep(uint32_t news, uint32_t milliseconds);
  ASHLAR_EXPORT void WakeOne();
  // The kernel compares the bytes of the atomic itself.
  const uint32_t* Word() const {
    return reinterpret_cast<const uint32_t*>(&news_);
  }

  SharedWord<uint32_t> news_ = 0;
  SharedWord<uint32_t> waiters_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_WAITING_ROOM_H_
