// Watchdog: finds a token that never reached its sleeper. In debug builds only:
// in others everything here is empty.
//
// The protocols say which threads sleep, and assert in the step that goes to
// sleep that some thread is left awake (ring_state.h). What they cannot see is
// a wake-up that was promised and did not arrive: a semaphore that loses it, or
// code that forgets to post it. So each semaphore counts, in one word, the
// tokens that were promised and the threads that sleep. The watchdog's thread
// looks at that word now and then. If a token is owed while a thread sleeps for
// it, and the word is unchanged in kPatience looks, each a tenth of a second
// after the one before, that is a deadlock. The watchdog then prints what every
// thread does, and ends the process. A busy machine causes no alarm: the
// watchdog waits for its turn like the sleeper that it suspects.
//
// Thread-safe. Not a timer on work: a thread that waits for a slow thread is
// owed nothing.
#ifndef ASHLAR_UTIL_SYNC_WATCHDOG_H_
#define ASHLAR_UTIL_SYNC_WATCHDOG_H_

#include <pthread.h>

#include <atomic>
#include <cassert>
#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/util/sync/mutex.h"
#include "util/sync/atomic.h"
#include "util/sync/semaphore.h"

namespace ashlar::internal {

#if defined(NDEBUG)
inline constexpr bool kWatchdog = false;
#else
inline constexpr bool kWatchdog = true;
#endif

// What a thread does, for the watchdog to print.
class ThreadNote {
 public:
  void Store(uint64_t value) {
    if constexpr (kWatchdog) value_.Store(value);
  }
  uint64_t Load() const { return value_.Load(); }

 private:
  RelaxedAtomic<uint64_t> value_{0};
};

// Counts of one semaphore, from the low bit: asleep 16, owed 24, changes 24.
// Equal words mean that nothing happened in between.
class TokenWatch {
 public:
  void Promise(uint32_t n) { Change(n * kOneOwed); }
  void Sleep() { Change(kOneAsleep); }
  void Wake() {
    [[maybe_unused]] const uint64_t before = Change(-kOneAsleep - kOneOwed);
    assert(OwedIn(before) > 0 && "Promise comes before Release");
  }

  uint64_t Load() const { return word_.Load(); }
  static uint64_t AsleepIn(uint64_t word) { return word % kOneOwed; }
  static uint64_t OwedIn(uint64_t word) { return word % kOneChange / kOneOwed; }

 private:
  static constexpr uint64_t kOneAsleep = 1;
  static constexpr uint64_t kOneOwed = uint64_t{1} << 16;
  static constexpr uint64_t kOneChange = uint64_t{1} << 40;

  // Returns the word before the change.
  uint64_t Change(uint64_t by) {
    return kWatchdog ? word_.FetchAdd(kOneChange + by) : 0;
  }

  RelaxedAtomic<uint64_t> word_{0};
};

// A semaphore that is watched. Before a thread releases it, it calls Promise,
// at the point where it takes the sleeper off its own count.
class WatchedSemaphore {
 public:
  void Promise(uint32_t n = 1) { watch_.Promise(n); }
  void Release(uint32_t n = 1) { semaphore_.Release(n); }
  void Acquire() {
    watch_.Sleep();
    semaphore_.Acquire();
    watch_.Wake();
  }

  const TokenWatch& watch() const { return watch_; }
  SemaphoreCounts Counts() const { return semaphore_.Counts(); }

 private:
  CountingSemaphore semaphore_;
  TokenWatch watch_;
};

// Appends lines about the owner of a semaphore. Must only read atomics.
struct SleepStory {
  void (*tell)(const void* of, std::string* out) = nullptr;
  const void* of = nullptr;
};

#if defined(NDEBUG)

class Watchdog {
 public:
  void Start() {}
  void Stop() {}
  void Watch(const WatchedSemaphore*, const SleepStory&) {}
  void Forget(const WatchedSemaphore*) {}
  void Look() {}
};

#else

class Watchdog {
 public:
  // Consecutive looks that find a token owed and nothing changed.
  static constexpr int kPatience = 100;
  static constexpr uint32_t kMillisecondsBetween = 100;

  Watchdog() = default;
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Start the thread that looks, and stop it. If no thread can be started,
  // nobody looks.
  void Start();
  void Stop();

  // Between these two calls, the semaphore and the owner of the story must
  // live.
  void Watch(const WatchedSemaphore* semaphore, const SleepStory& story);
  void Forget(const WatchedSemaphore* semaphore);

  // Looks once at each semaphore, as the thread does. Tests call it more often.
  void Look();

 private:
  struct Watched {
    const WatchedSemaphore* semaphore;
    SleepStory story;
    uint64_t seen = 0;
    int sightings = 0;
  };

  static void* Run(void* watchdog);
  [[noreturn]] void Report() const
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(mutex_));

  Mutex mutex_;
  std::vector<Watched> watched_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  bool started_ = false;
  pthread_t thread_{};
  std::atomic<uint32_t> stop_ = 0;  // its thread sleeps on it
};

#endif

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_WATCHDOG_H_
