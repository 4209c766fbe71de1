#include "port/clock.h"

#include <cerrno>
#include <ctime>

namespace ashlar::port {

namespace {

constexpr uint64_t kMicros = 1000 * 1000;

uint64_t MicrosOf(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * kMicros +
         static_cast<uint64_t>(now.tv_nsec) / 1000;
}

}  // namespace

uint64_t EpochMicros() { return MicrosOf(CLOCK_REALTIME); }

uint64_t MonotonicMicros() { return MicrosOf(CLOCK_MONOTONIC); }

void SleepMicros(uint64_t micros) {
  timespec left = {};
  left.tv_sec = static_cast<time_t>(micros / kMicros);
  left.tv_nsec = static_cast<long>(micros % kMicros * 1000);
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

}  // namespace ashlar::port
