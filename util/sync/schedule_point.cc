#include "ashlar/util/sync/schedule_point.h"

#if defined(ASHLAR_SCHEDULE_POINTS)

#include <atomic>

#include "ashlar/util/sync/shared_word.h"
#include "port/threads.h"

namespace ashlar::internal {

namespace {

std::atomic<uint64_t> threads = 0;
std::atomic<uint64_t> yields = 0;

// Each thread has a sequence of its own.
uint64_t NextRandom() {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
  thread_local uint64_t state =
      (threads.fetch_add(1, std::memory_order_relaxed) + 1) * kOdd;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

}  // namespace

// A few calls yield, some several times in a row, so that other threads get far
// ahead now and then.
void SchedulePoint() {
  constexpr uint64_t kOneIn = 16;
  constexpr uint64_t kMostYields = 3;
  const uint64_t random = NextRandom();
  if (random % kOneIn != 0) return;
  yields.fetch_add(1, std::memory_order_relaxed);
  for (uint64_t n = random / kOneIn % kMostYields + 1; n > 0; --n) {
    port::YieldThread();
  }
}

void LookPoint() {}

void LockMutex(std::mutex* mutex) { mutex->lock(); }
void UnlockMutex(std::mutex* mutex) { mutex->unlock(); }

uint64_t SeenOfWord(const void* /*word*/, uint64_t newest,
                    const WordOrder& /*order*/) {
  return newest;
}
void WordHasChanged(const void* /*word*/, uint64_t /*before*/,
                    uint64_t /*after*/, const WordOrder& /*order*/,
                    bool /*reads*/) {}
void WordWasRead(const void* /*word*/, uint64_t /*newest*/,
                 const WordOrder& /*order*/) {}
void WordBegins(const void* /*word*/) {}

uint64_t ScheduleYields() { return yields.load(std::memory_order_relaxed); }

}  // namespace ashlar::internal

#endif
