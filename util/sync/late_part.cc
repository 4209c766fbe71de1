#include "util/sync/late_part.h"

#include "ashlar/util/sync/schedule_point.h"
#include "port/threads.h"

namespace ashlar::internal {

namespace {

constexpr uint32_t kNobody = 0;
constexpr uint32_t kBusy = 1;
constexpr uint32_t kAwaited = 2;

}  // namespace

bool LoadTurn::Begin() {
  if (!port::WatchForks()) return true;
  const uint32_t mine = port::num_forks << 2 | kBusy;
  LookPoint();
  uint32_t seen = word_.load(std::memory_order_acquire);
  while (seen == kNobody || (seen & ~kAwaited) != mine) {
    SchedulePoint();
    if (word_.compare_exchange_weak(seen, mine, std::memory_order_acquire)) {
      return true;
    }
  }
  SchedulePoint();
  if ((seen & kAwaited) == 0 &&
      !word_.compare_exchange_strong(seen, seen | kAwaited,
                                     std::memory_order_acquire)) {
    return false;
  }
  SchedulePoint();
  port::FutexWait(reinterpret_cast<const uint32_t*>(&word_), mine | kAwaited);
  return false;
}

void LoadTurn::End() {
  SchedulePoint();
  if ((word_.exchange(kNobody, std::memory_order_acq_rel) & kAwaited) != 0) {
    port::FutexWake(reinterpret_cast<const uint32_t*>(&word_), UINT32_MAX);
  }
}

}  // namespace ashlar::internal
