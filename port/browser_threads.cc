// Threads in a browser, for a module that was compiled for one thread. There is
// no second thread, so nothing ever waits for one.
#include <pthread.h>

#include <cerrno>

#include "port/threads.h"

namespace ashlar::port {

uint32_t CpuCount() { return 1; }

#if defined(ASHLAR_SCHEDULE_POINTS)
void CpuPause() {}
#endif

void YieldThread() {}

void NapThread() {}

int StartThread(void* (*)(void*), void*, pthread_t*) { return EAGAIN; }

// Not reached: StartThread has started none.
void JoinThread(pthread_t) {}
void DetachThread(pthread_t) {}
bool IsThisThread(pthread_t) { return false; }

bool WatchForks() { return true; }

// Sleepers are woken by other threads, so sleeping would be forever.
void FutexWait(const uint32_t*, uint32_t) {}

void FutexWaitFor(const uint32_t*, uint32_t, uint32_t) {}

void FutexWake(const uint32_t*, uint32_t) {}

}  // namespace ashlar::port
