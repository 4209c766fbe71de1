// The inside of RequestThreads: a queue of work, and the threads that do it.
//
// First come, first served. Unlike the workers of a WorkerPool, which leave
// when there is no work, these threads spend their time waiting for answers, so
// there are many more of them than processors. Any number of threads submit.
#ifndef ASHLAR_UTIL_SYNC_REQUEST_THREADS_H_
#define ASHLAR_UTIL_SYNC_REQUEST_THREADS_H_

#include <pthread.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "ashlar/util/remote_file.h"
#include "ashlar/util/sync/mutex.h"
#include "util/sync/semaphore.h"

namespace ashlar {

class RequestThreads::State {
 public:
  explicit State(uint32_t threads);
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  // Does what is being done to its end, and drops the rest.
  ~State();

  uint32_t threads() const { return static_cast<uint32_t>(threads_.size()); }
  // Has a thread call `work`, which must not throw. Returns false if that is
  // not possible: there are no threads, or no memory.
  [[nodiscard]] bool Submit(std::function<void()> work) noexcept;

 private:
  static void* Run(void* state);
  void Serve();

  std::vector<pthread_t> threads_;
  internal::CountingSemaphore tokens_;  // one for each piece of work
  internal::Mutex mutex_;
  std::deque<std::function<void()>> queue_
      ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  bool ending_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = false;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_SYNC_REQUEST_THREADS_H_
