#include "port/threads.h"

#include <sched.h>

#include <csignal>
#include <ctime>

namespace ashlar::port {

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

void DetachThread(pthread_t thread) { ::pthread_detach(thread); }

bool IsThisThread(pthread_t thread) {
  return ::pthread_equal(thread, ::pthread_self()) != 0;
}

bool WatchForks() {
  static const bool watched =
      ::pthread_atfork(nullptr, nullptr, [] { ++num_forks; }) == 0;
  return watched;
}

}  // namespace ashlar::port
