// Where threads sleep until something that they look for has come about.
//
// For rare waits: nobody who finds what he wants comes here. Whoever brings it
// about announces it, which costs one addition while nobody waits, and wakes
// one: to wake all, for what one of them takes, costs more than the wait. Who
// is not woken looks again by himself, after 1, 2, 4, 8, then each 16 ms, so
// that nobody depends on what another does with his turn.
//
// An announcement is not lost on all: the waiter counts itself, then looks
// again, then sleeps on the value that `news_` had before that look. Both count
// and announcement are read-modify-writes of `waiters_`, so one comes first:
// either the announcer sees the waiter and changes `news_`, or the waiter
// acquires what was announced and finds it. Any number of threads. Installed,
// as a part of ConcurrentWriteBuffer.
#ifndef ASHLAR_UTIL_SYNC_WAITING_ROOM_H_
#define ASHLAR_UTIL_SYNC_WAITING_ROOM_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "ashlar/util/export.h"
#include "ashlar/util/sync/schedule_point.h"

namespace ashlar::internal {

class WaitingRoom {
 public:
  // Until ready() says true.
  template <typename Ready>
  void Await(Ready ready) {
    waiters_.fetch_add(1, std::memory_order_acq_rel);
    for (uint32_t pause = 1;; pause = std::min(2 * pause, kLongestPause)) {
      const uint32_t news = news_.load(std::memory_order_acquire);
      if (ready()) break;
      SchedulePoint();
      Sleep(news, pause);
    }
    waiters_.fetch_sub(1, std::memory_order_relaxed);
  }

  // What some Ready may have waited for is there.
  void Announce() {
    if (waiters_.fetch_add(0, std::memory_order_acq_rel) == 0) return;
    news_.fetch_add(1, std::memory_order_acq_rel);
    WakeOne();
  }

  // For loops that wait for a thread that may not be running.
  ASHLAR_EXPORT static void LetOthersRun();

 private:
  static constexpr uint32_t kLongestPause = 16;  // milliseconds

  ASHLAR_EXPORT void Sleep(uint32_t news, uint32_t milliseconds);
  ASHLAR_EXPORT void WakeOne();
  // The kernel compares the very bytes of the atomic.
  const uint32_t* Word() const {
    return reinterpret_cast<const uint32_t*>(&news_);
  }

  std::atomic<uint32_t> news_ = 0;
  std::atomic<uint32_t> waiters_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_WAITING_ROOM_H_
