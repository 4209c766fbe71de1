// Threads and the sleep of the operating system, as far as Ashlar needs them.
//
// Used by util/sync only. Functions that can fail return an errno value.
#ifndef ASHLAR_PORT_THREADS_H_
#define ASHLAR_PORT_THREADS_H_

#include <pthread.h>

#include <cstdint>

namespace ashlar::port {

// Processors that this process may run on, at least 1.
uint32_t CpuCount();

// For loops that wait a moment: lets the other thread of the core run.
inline void CpuPause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Lets another thread have this processor, if one waits for it.
void YieldThread();

// Sleeps for a millisecond or somewhat longer: for who waits for a thread that
// is not running.
void NapThread();

// EAGAIN where the system has no more threads to give. Signals are blocked in
// the new thread: they are the program's.
int StartThread(void* (*run)(void*), void* argument, pthread_t* thread);
void JoinThread(pthread_t thread);

// How many forks have led to this process since WatchForks was first called,
// which says whether they are counted. Without a system call; written by the
// child alone, before it has another thread.
bool WatchForks();
inline uint32_t num_forks = 0;

// Sleeps if *word is still `expected`; may return for no reason at all.
void FutexWait(const uint32_t* word, uint32_t expected);
// The same, for at most so long.
void FutexWaitFor(const uint32_t* word, uint32_t expected,
                  uint32_t milliseconds);
// Wakes at most n of those that sleep there.
void FutexWake(const uint32_t* word, uint32_t n);

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_THREADS_H_
