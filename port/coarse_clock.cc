#include "port/coarse_clock.h"

#include <ctime>

namespace ashlar::port {

uint32_t CoarseSeconds() {
#if defined(CLOCK_MONOTONIC_COARSE)
  constexpr clockid_t kClock = CLOCK_MONOTONIC_COARSE;
#else
  constexpr clockid_t kClock = CLOCK_MONOTONIC;
#endif
  timespec now = {};
  ::clock_gettime(kClock, &now);
  return static_cast<uint32_t>(now.tv_sec);
}

}  // namespace ashlar::port
