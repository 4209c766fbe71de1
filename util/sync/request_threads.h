// The inside of RequestThreads: a queue of work, and the threads that do it.
//
// First come, first served. Unlike the workers of a WorkerPool, which leave
// when there is no work, these threads spend their time waiting for answers, so
// there are many more of them than processors. Any number of threads submit.
//
// *The end.* A piece of work may hold the last reference to what owns these
// threads: a late attempt may be the last to know the application's file, and
// the file may keep the threads alive. Then one of the threads destroys the
// State, in the middle of its own loop. So the threads and the State share what
// the loop needs (Shared), and a thread knows nothing else. The destructor
//
//   1. sets `ending`, under the mutex. From then on the queue is its own
//   2. destroys the work that was not begun, piece by piece. The mutex is free,
//      because the application's destructors may run here, and may come back to
//      Submit
//   3. releases a token for each thread, which sees `ending` and leaves
//   4. joins all threads; the calling one, if it is one of them, it detaches
//
// A token is taken for each piece of work, or after `ending` was set: so a
// thread that does not see `ending` finds the queue not empty. A thread
// destroys its work without the mutex, and before it looks at Shared again.
//
// Tests: test/util/remote_file_test.cc, and test/schedules/pool_scenarios.cc.
#ifndef ASHLAR_UTIL_SYNC_REQUEST_THREADS_H_
#define ASHLAR_UTIL_SYNC_REQUEST_THREADS_H_

#include <pthread.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
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
  // Does what is being done to its end, and drops the rest. Any thread may call
  // it, also one of these threads, whose own work then goes on.
  ~State();

  uint32_t threads() const { return static_cast<uint32_t>(threads_.size()); }
  // Has a thread call `work`, which must not throw. Returns false if that is
  // not possible: there are no threads, or no memory, or this is ending.
  [[nodiscard]] bool Submit(std::function<void()> work) noexcept;

 private:
  struct Shared {
    internal::CountingSemaphore tokens;  // one for each piece of work
    internal::Mutex mutex;
    std::deque<std::function<void()>> queue
        ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex));
    bool ending ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex)) = false;
  };

  // `shared`: a std::shared_ptr<Shared> on the heap, which the thread takes.
  static void* Run(void* shared);
  static void Serve(Shared* shared);
  bool DropOne();

  const std::shared_ptr<Shared> shared_;
  std::vector<pthread_t> threads_;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_SYNC_REQUEST_THREADS_H_
