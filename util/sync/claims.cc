#include "util/sync/claims.h"

#include <cassert>

#include "ashlar/util/sync/schedule_point.h"
#include "port/threads.h"

namespace ashlar::internal {

Claims::Claims()
    : can_tell_forks_(port::WatchForks()), forks_(port::num_forks) {}

bool Claims::IsOfParent() const { return port::num_forks != forks_; }

Claims::Turn Claims::Claim(uint64_t number) {
  if (!can_tell_forks_ || IsOfParent()) return Turn::kNoPlace;
  Slot& slot = SlotOf(number);
  const uint64_t done = number << 1;
  LookPoint();
  uint64_t seen = slot.word.load(std::memory_order_acquire);
  for (;;) {
    if ((seen & kBusy) != 0) {
      return seen == (done | kBusy) ? Turn::kAnothers : Turn::kNoPlace;
    }
    SchedulePoint();
    if (slot.word.compare_exchange_weak(seen, done | kBusy,
                                        std::memory_order_acquire,
                                        std::memory_order_acquire)) {
      return seen == done ? Turn::kMineAgain : Turn::kMine;
    }
  }
}

void Claims::Finish(uint64_t number) {
  Slot& slot = SlotOf(number);
  assert(slot.word.load(std::memory_order_relaxed) == (number << 1 | kBusy));
  SchedulePoint();
  slot.word.store(number << 1, std::memory_order_seq_cst);
  SchedulePoint();
  slot.finishes.fetch_add(1, std::memory_order_seq_cst);
  SchedulePoint();
  if (slot.waiters.load(std::memory_order_seq_cst) == 0) return;
  port::FutexWake(reinterpret_cast<const uint32_t*>(&slot.finishes),
                  UINT32_MAX);
}

void Claims::Await(uint64_t number) {
  Slot& slot = SlotOf(number);
  SchedulePoint();
  slot.waiters.fetch_add(1, std::memory_order_seq_cst);
  LookPoint();
  const uint32_t first = slot.finishes.load(std::memory_order_seq_cst);
  for (uint32_t now = first; now - first < 2;
       now = slot.finishes.load(std::memory_order_seq_cst)) {
    SchedulePoint();
    if (slot.word.load(std::memory_order_seq_cst) != (number << 1 | kBusy)) {
      break;
    }
    SchedulePoint();
    port::FutexWait(reinterpret_cast<const uint32_t*>(&slot.finishes), now);
  }
  LookPoint();
  slot.waiters.fetch_sub(1, std::memory_order_seq_cst);
}

}  // namespace ashlar::internal
