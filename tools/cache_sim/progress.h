// Progress: a line on standard error that shows how far the replays are.
//
// All threads that replay may call Add. The main thread calls the rest.
#ifndef ASHLAR_TOOLS_CACHE_SIM_PROGRESS_H_
#define ASHLAR_TOOLS_CACHE_SIM_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "ashlar/util/sync/mutex.h"

namespace ashlar::sim {

class Progress {
 public:
  // `traces` is their number. If `is_shown` is false, nothing is written.
  Progress(bool is_shown, size_t traces)
      : is_shown_(is_shown), traces_(traces) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Erases the line.
  ~Progress();

  // Begins the next trace. `work` is the number of accesses that will be
  // replayed.
  void BeginTrace(std::string name, uint64_t work);
  void Add(uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] std::string Line(uint64_t percent) const
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(mutex_));

  const bool is_shown_;
  const size_t traces_;
  internal::Mutex mutex_;
  size_t trace_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = 0;  // from 1
  std::string name_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  uint64_t work_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = 0;
  uint64_t done_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = 0;
  uint64_t shown_percent_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = 0;
  Clock::time_point begin_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
};

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_PROGRESS_H_
