#include "util/sync/watchdog.h"

#if !defined(NDEBUG)

#include <cstdio>
#include <cstdlib>
#include <new>

#include "port/threads.h"

namespace ashlar::internal {

void Watchdog::Start() {
  started_ = port::StartThread(&Run, this, &thread_) == 0;
}

void Watchdog::Stop() {
  if (!started_) return;
  stop_.store(1, std::memory_order_release);
  port::FutexWake(reinterpret_cast<const uint32_t*>(&stop_), 1);
  port::JoinThread(thread_);
  started_ = false;
}

void* Watchdog::Run(void* watchdog) {
  auto* const self = static_cast<Watchdog*>(watchdog);
  const auto* const word = reinterpret_cast<const uint32_t*>(&self->stop_);
  while (self->stop_.load(std::memory_order_acquire) == 0) {
    self->Look();
    port::FutexWaitFor(word, 0, kMillisecondsBetween);
  }
  return nullptr;
}

void Watchdog::Watch(const WatchedSemaphore* semaphore,
                     const SleepStory& story) {
  const MutexLock lock(&mutex_);
  try {
    watched_.push_back({semaphore, story});
  } catch (const std::bad_alloc&) {
    // Then this one is not watched.
  }
}

void Watchdog::Forget(const WatchedSemaphore* semaphore) {
  const MutexLock lock(&mutex_);
  std::erase_if(watched_, [semaphore](const Watched& watched) {
    return watched.semaphore == semaphore;
  });
}

void Watchdog::Look() {
  const MutexLock lock(&mutex_);
  for (Watched& watched : watched_) {
    const uint64_t word = watched.semaphore->watch().Load();
    const bool suspect = TokenWatch::OwedIn(word) > 0 &&
                         TokenWatch::AsleepIn(word) > 0 && word == watched.seen;
    watched.sightings = suspect ? watched.sightings + 1 : 0;
    watched.seen = word;
    if (watched.sightings >= kPatience) Report();
  }
}

void Watchdog::Report() const {
  std::string text = "ashlar: a wake-up was lost. What everyone waits for:\n";
  for (const Watched& watched : watched_) {
    const uint64_t word = watched.semaphore->watch().Load();
    const SemaphoreCounts counts = watched.semaphore->Counts();
    text += "semaphore: " + std::to_string(TokenWatch::OwedIn(word)) +
            " tokens owed, " + std::to_string(TokenWatch::AsleepIn(word)) +
            " threads asleep; its count is " + std::to_string(counts.tokens) +
            ", waiters " + std::to_string(counts.waiters) +
            (watched.sightings >= kPatience ? "  <- the lost one\n" : "\n");
    if (watched.story.tell != nullptr) {
      watched.story.tell(watched.story.of, &text);
    }
  }
  std::fputs(text.c_str(), stderr);
  std::abort();
}

}  // namespace ashlar::internal

#endif
