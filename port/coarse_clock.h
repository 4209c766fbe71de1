// A clock that costs next to nothing to read, for ages told to people.
#ifndef ASHLAR_PORT_COARSE_CLOCK_H_
#define ASHLAR_PORT_COARSE_CLOCK_H_

#include <cstdint>

namespace ashlar::port {

// Since some time before this process, whatever the time of day is set to; a
// few milliseconds late. No system call.
uint32_t CoarseSeconds();

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_COARSE_CLOCK_H_
