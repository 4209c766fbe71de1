// Bell: tells a thread that something has changed.
//
// A thread notes the count, looks at what it waits for, and waits until the
// bell was rung since. So a ring between the look and the wait is not lost: the
// kernel compares the count before it sleeps. The bell carries no data; what
// has changed is guarded by the caller's mutex. Any number of threads may ring
// and wait. For waits of milliseconds: each ring is a system call.
#ifndef ASHLAR_UTIL_SYNC_BELL_H_
#define ASHLAR_UTIL_SYNC_BELL_H_

#include <atomic>
#include <cstdint>
#include <limits>

#include "ashlar/util/sync/schedule_point.h"
#include "ashlar/util/sync/shared_word.h"
#include "port/threads.h"

namespace ashlar::internal {

class Bell {
 public:
  Bell() = default;
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  uint32_t Count() const {
    LookPoint();
    return count_.load(std::memory_order_acquire);
  }
  // Requires: the bell is not destroyed before this returns.
  void Ring() {
    SchedulePoint();
    count_.fetch_add(1, std::memory_order_release);
    port::FutexWake(Word(), std::numeric_limits<int32_t>::max());
  }
  // Returns when the count is not `seen`.
  void Wait(uint32_t seen) const {
    SchedulePoint();
    while (Count() == seen) port::FutexWait(Word(), seen);
  }
  // Does the same, but returns after about this many milliseconds at the
  // latest, and may return for no reason.
  void WaitFor(uint32_t seen, uint32_t milliseconds) const {
    SchedulePoint();
    if (Count() == seen) port::FutexWaitFor(Word(), seen, milliseconds);
  }

 private:
  // The kernel compares the bytes of the atomic itself.
  static_assert(sizeof(SharedWord<uint32_t>) == sizeof(uint32_t) &&
                SharedWord<uint32_t>::is_always_lock_free);
  const uint32_t* Word() const {
    return reinterpret_cast<const uint32_t*>(&count_);
  }

  SharedWord<uint32_t> count_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_BELL_H_
