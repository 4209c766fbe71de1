// Threads and sleeping, as far as Ashlar needs them of the operating system.
//
// Used by util/sync only. Functions that can fail return an errno value.
// Thread-safe.
#ifndef ASHLAR_PORT_THREADS_H_
#define ASHLAR_PORT_THREADS_H_

#include <pthread.h>

#include <cstdint>

namespace ashlar::port {

// Returns the number of processors that this process may run on, at least 1.
uint32_t CpuCount();

// For loops that wait for a moment: lets the other hardware thread of the core
// run.
#if defined(ASHLAR_SCHEDULE_POINTS)
void CpuPause();  // a function that a test can replace
#else
inline void CpuPause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}
#endif

// Lets another thread have this processor, if one waits for it.
void YieldThread();

// Sleeps for a millisecond or somewhat longer. For a thread that waits for one
// that is not running.
void NapThread();

// Starts a thread. Returns EAGAIN if the system has no more threads to give.
// Signals are blocked in the new thread: they belong to the program.
int StartThread(void* (*run)(void*), void* argument, pthread_t* thread);
void JoinThread(pthread_t thread);
// Has the thread free what it needs when it ends, so that nobody joins it.
void DetachThread(pthread_t thread);
// Returns whether it is the calling thread.
bool IsThisThread(pthread_t thread);

// num_forks counts the forks that have led to this process since WatchForks was
// first called. WatchForks returns whether they are counted. Reading needs no
// system call. Only the child writes it, before it has another thread.
bool WatchForks();
inline uint32_t num_forks = 0;

// Sleeps if *word is still `expected`. May return for no reason.
void FutexWait(const uint32_t* word, uint32_t expected);
// Does the same for at most `milliseconds`.
void FutexWaitFor(const uint32_t* word, uint32_t expected,
                  uint32_t milliseconds);
// Wakes n of the threads that sleep there, or more: all of them, where the
// system cannot count.
void FutexWake(const uint32_t* word, uint32_t n);

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_THREADS_H_
