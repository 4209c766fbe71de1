// The clocks of the operating system, and sleep. Thread-safe.
#ifndef ASHLAR_PORT_CLOCK_H_
#define ASHLAR_PORT_CLOCK_H_

#include <cstdint>

namespace ashlar::port {

// Returns the time of day: microseconds since the epoch.
uint64_t EpochMicros();
// Returns microseconds since some time in the past. Never goes back.
uint64_t MonotonicMicros();
// Returns after this time, whatever signals come meanwhile.
void SleepMicros(uint64_t micros);

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_CLOCK_H_
