// What Linux has for threads, and POSIX has not: the processors of a process,
// and sleep on a word of memory (futex).
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

#include "port/threads.h"

namespace ashlar::port {

uint32_t CpuCount() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<uint32_t>(std::max(1, CPU_COUNT(&set)));
  }
  // There are more processors than fit into a cpu_set_t.
  return static_cast<uint32_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

void FutexWait(const uint32_t* word, uint32_t expected) {
  ::syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void FutexWaitFor(const uint32_t* word, uint32_t expected,
                  uint32_t milliseconds) {
  timespec timeout;
  timeout.tv_sec = milliseconds / 1000;
  timeout.tv_nsec = static_cast<long>(milliseconds % 1000) * 1000000;
  ::syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, &timeout, nullptr,
            0);
}

void FutexWake(const uint32_t* word, uint32_t n) {
  ::syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE,
            static_cast<int>(std::min<uint32_t>(n, INT_MAX)), nullptr, nullptr,
            0);
}

}  // namespace ashlar::port
