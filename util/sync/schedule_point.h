// Places where a test lets another thread run first.
//
// Internal, installed because installed templates call them. Atomic operations
// at which threads meet call SchedulePoint before they change a word, and
// LookPoint before they read one. In builds with ASHLAR_SCHEDULE_POINTS (the
// TSan tree) SchedulePoint sometimes yields, so that tests reach interleavings
// that a quiet machine with few cores hardly ever shows. A test program may
// replace these functions at link time, and choose itself which thread runs. In
// all other builds nothing happens here. Thread-safe.
#ifndef ASHLAR_UTIL_SYNC_SCHEDULE_POINT_H_
#define ASHLAR_UTIL_SYNC_SCHEDULE_POINT_H_

#include <cstdint>
#include <mutex>

namespace ashlar::internal {

#if defined(ASHLAR_SCHEDULE_POINTS)
// Yields the processor, or does nothing.
void SchedulePoint();
// Does nothing: loops that wait for a moment look again and again.
void LookPoint();
// Lock and unlock the mutex.
void LockMutex(std::mutex* mutex);
void UnlockMutex(std::mutex* mutex);
// Returns how often all threads together have yielded so far.
uint64_t ScheduleYields();
#else
inline void SchedulePoint() {}
inline void LookPoint() {}
inline void LockMutex(std::mutex* mutex) { mutex->lock(); }
inline void UnlockMutex(std::mutex* mutex) { mutex->unlock(); }
inline uint64_t ScheduleYields() { return 0; }
#endif

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_SCHEDULE_POINT_H_
