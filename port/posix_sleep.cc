// Sleep on a word of memory, by what POSIX has: mutexes and conditions. For
// systems other than Linux.
//
// Protocol. The address of a word chooses one of kPlaces places, each a mutex
// and a condition.
//   FutexWait  holds the place's mutex while it looks at the word. If the word
//              has the expected value, it waits for the condition, which gives
//              the mutex up in the same step.
//   FutexWake  takes the mutex, and broadcasts the condition.
// A waker changes the word first. So either the sleeper sees the change, or it
// waits already when the waker has the mutex, and is woken. Words that share a
// place wake each other's sleepers, so all of a place are woken: sleepers look
// at their words again in any case (threads.h).
//
// Never allocates. A fork takes all mutexes first, so in the child no other
// thread is within a place. The child has none of the sleepers, and makes its
// conditions again.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <new>

#include "port/threads.h"

namespace ashlar::port {

namespace {

constexpr size_t kPlaces = 64;

// A condition whose clock does not jump, where the system has that.
#if defined(_POSIX_CLOCK_SELECTION) && _POSIX_CLOCK_SELECTION > 0
constexpr clockid_t kClock = CLOCK_MONOTONIC;
void MakeCondition(pthread_cond_t* condition) {
  pthread_condattr_t attributes;
  ::pthread_condattr_init(&attributes);
  ::pthread_condattr_setclock(&attributes, kClock);
  ::pthread_cond_init(condition, &attributes);
  ::pthread_condattr_destroy(&attributes);
}
#else
constexpr clockid_t kClock = CLOCK_REALTIME;
void MakeCondition(pthread_cond_t* condition) {
  ::pthread_cond_init(condition, nullptr);
}
#endif

// On a cache line of its own.
struct alignas(64) Place {
  Place() { MakeCondition(&changed); }

  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed;
};

using Places = std::array<Place, kPlaces>;

// Static memory that is never destroyed: threads may still sleep at the end of
// the process.
alignas(Places) char places_memory[sizeof(Places)];
Places* places = nullptr;

void LockAll() {
  for (Place& place : *places) ::pthread_mutex_lock(&place.mutex);
}
void UnlockAll() {
  for (Place& place : *places) ::pthread_mutex_unlock(&place.mutex);
}
void UnlockAllInChild() {
  for (Place& place : *places) {
    MakeCondition(&place.changed);
    ::pthread_mutex_unlock(&place.mutex);
  }
}

Places* MakePlaces() {
  places = new (places_memory) Places;
  // Fails only for want of memory. Then a child of a fork may wait for ever for
  // a mutex that another thread held, and this process goes on well.
  ::pthread_atfork(LockAll, UnlockAll, UnlockAllInChild);
  return places;
}

Place& PlaceOf(const uint32_t* word) {
  static Places* const made = MakePlaces();
  constexpr int kShift = 64 - 6;
  static_assert(size_t{1} << (64 - kShift) == kPlaces);
  // The upper bits of a product are the well-mixed ones.
  const uint64_t product =
      uint64_t{reinterpret_cast<uintptr_t>(word)} * 0x9E3779B97F4A7C15;
  return (*made)[product >> kShift];
}

bool Has(const uint32_t* word, uint32_t expected) {
  return __atomic_load_n(word, __ATOMIC_SEQ_CST) == expected;
}

}  // namespace

uint32_t CpuCount() {
  return static_cast<uint32_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

void FutexWait(const uint32_t* word, uint32_t expected) {
  Place& place = PlaceOf(word);
  ::pthread_mutex_lock(&place.mutex);
  if (Has(word, expected)) ::pthread_cond_wait(&place.changed, &place.mutex);
  ::pthread_mutex_unlock(&place.mutex);
}

void FutexWaitFor(const uint32_t* word, uint32_t expected,
                  uint32_t milliseconds) {
  constexpr long kSecond = 1'000'000'000;
  timespec end;
  ::clock_gettime(kClock, &end);
  end.tv_sec += milliseconds / 1000;
  end.tv_nsec += static_cast<long>(milliseconds % 1000) * 1'000'000;
  if (end.tv_nsec >= kSecond) {
    ++end.tv_sec;
    end.tv_nsec -= kSecond;
  }
  Place& place = PlaceOf(word);
  ::pthread_mutex_lock(&place.mutex);
  if (Has(word, expected)) {
    ::pthread_cond_timedwait(&place.changed, &place.mutex, &end);
  }
  ::pthread_mutex_unlock(&place.mutex);
}

void FutexWake(const uint32_t* word, uint32_t /*n*/) {
  Place& place = PlaceOf(word);
  ::pthread_mutex_lock(&place.mutex);
  ::pthread_cond_broadcast(&place.changed);
  ::pthread_mutex_unlock(&place.mutex);
}

}  // namespace ashlar::port
