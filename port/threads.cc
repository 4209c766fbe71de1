#include "port/threads.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <ctime>

namespace ashlar::port {

uint32_t CpuCount() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<uint32_t>(std::max(1, CPU_COUNT(&set)));
  }
  // There are more processors than fit into a cpu_set_t.
  return static_cast<uint32_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

#if defined(ASHLAR_SCHEDULE_POINTS)
void CpuPause() { YieldThread(); }
#endif

void YieldThread() { ::sched_yield(); }

void NapThread() {
  constexpr timespec kMillisecond = {.tv_sec = 0, .tv_nsec = 1000000};
  ::nanosleep(&kMillisecond, nullptr);
}

int StartThread(void* (*run)(void*), void* argument, pthread_t* thread) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = ::pthread_create(thread, nullptr, run, argument);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

void JoinThread(pthread_t thread) { ::pthread_join(thread, nullptr); }

bool WatchForks() {
  static const bool watched =
      ::pthread_atfork(nullptr, nullptr, [] { ++num_forks; }) == 0;
  return watched;
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
