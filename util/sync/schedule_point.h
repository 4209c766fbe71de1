// Where another thread may come first: a place to yield in tests.
//
// Called by everything that threads meet at, so that builds with
// ASHLAR_SCHEDULE_POINTS (the TSan tree) go through interleavings that a quiet
// machine of few cores would hardly ever see. It yields or does nothing; in
// other builds it is nothing. Thread-safe.
#ifndef ASHLAR_UTIL_SYNC_SCHEDULE_POINT_H_
#define ASHLAR_UTIL_SYNC_SCHEDULE_POINT_H_

#include <cstdint>

namespace ashlar::internal {

#if defined(ASHLAR_SCHEDULE_POINTS)
void SchedulePoint();
// How often some thread has yielded so far.
uint64_t ScheduleYields();
#else
inline void SchedulePoint() {}
inline uint64_t ScheduleYields() { return 0; }
#endif

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_SCHEDULE_POINT_H_
