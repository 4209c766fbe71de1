#include "port/thread_cpu.h"

#include <ctime>

namespace ashlar::port {

uint64_t ThreadCpuNanoseconds() {
  timespec t{};
  static_cast<void>(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t));
  constexpr uint64_t kSecond = 1'000'000'000;
  return static_cast<uint64_t>(t.tv_sec) * kSecond +
         static_cast<uint64_t>(t.tv_nsec);
}

}  // namespace ashlar::port
