// SystemClock: the time, and sleep. RocksDB's class of this name is larger.
//
// Deadlines of reads (table/read_options.h) and rate limiters
// (util/rate_limiter.h) ask it. Derive from it to drive them by a clock of your
// own, as tests do, which then need not wait. Any number of threads may use a
// clock at once. Not for measuring: the library times itself without it.
#ifndef ASHLAR_UTIL_SYSTEM_CLOCK_H_
#define ASHLAR_UTIL_SYSTEM_CLOCK_H_

#include <cstdint>

#include "ashlar/util/export.h"

namespace ashlar {

class ASHLAR_EXPORT SystemClock {
 public:
  SystemClock() = default;
  SystemClock(const SystemClock&) = delete;
  SystemClock& operator=(const SystemClock&) = delete;
  virtual ~SystemClock();

  // Returns the clock of the operating system, which lives forever.
  static SystemClock* Default();

  // Returns the time of day: microseconds since the epoch.
  virtual uint64_t NowMicros() = 0;
  // Returns microseconds since some time in the past. Never goes back, whatever
  // happens to the time of day.
  virtual uint64_t MonotonicMicros() = 0;
  // Returns when this time is over.
  virtual void SleepForMicroseconds(uint64_t micros) = 0;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_SYSTEM_CLOCK_H_
