// A clock that costs next to nothing to read, for ages that are shown to
// people. Thread-safe.
#ifndef ASHLAR_PORT_COARSE_CLOCK_H_
#define ASHLAR_PORT_COARSE_CLOCK_H_

#include <cstdint>

namespace ashlar::port {

// Returns seconds since some time before this process started. It does not
// depend on the time of day that is set, and is a few milliseconds late. Makes
// no system call.
uint32_t CoarseSeconds();

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_COARSE_CLOCK_H_
