// SchedulePoint: a place where a test lets another thread run first.
//
// Internal, installed because installed templates call it. Atomic operations at
// which threads meet call it. In builds with ASHLAR_SCHEDULE_POINTS (the TSan
// tree) it sometimes yields, so that tests reach interleavings that a quiet
// machine with few cores hardly ever shows. In all other builds it does
// nothing. Thread-safe. It never passes a value into the code that calls it.
#ifndef ASHLAR_UTIL_SYNC_SCHEDULE_POINT_H_
#define ASHLAR_UTIL_SYNC_SCHEDULE_POINT_H_

#include <cstdint>

namespace ashlar::internal {

#if defined(ASHLAR_SCHEDULE_POINTS)
// Yields the processor, or does nothing.
void SchedulePoint();
// Returns how often all threads together have yielded so far.
uint64_t ScheduleYields();
#else
inline void SchedulePoint() {}
inline uint64_t ScheduleYields() { return 0; }
#endif

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_SCHEDULE_POINT_H_
