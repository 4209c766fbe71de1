// PooledCall: a function that a thread of a WorkerPool may call while the
// caller goes on.
//
// For an application's own work beside that of the library, on the same
// threads: `ashlar build` makes rows of text by it while they are sorted.
//
//   ashlar::WorkerPool pool(1);
//   int sum = 0;
//   ashlar::PooledCall call;
//   call.Start(&pool, [&sum] {
//     sum = 1 + 2;
//     return ashlar::Status();
//   });
//   ashlar::Status status = call.Wait();  // sum is 3
//
// No worker is needed: if none has come by the time that the caller waits, the
// caller makes the call itself. So a call may wait for calls that were started
// before it. One thread at a time may use an object. What it wrote before Start
// is visible to the call, and what the call wrote is visible after Wait.
#ifndef ASHLAR_UTIL_POOLED_CALL_H_
#define ASHLAR_UTIL_POOLED_CALL_H_

#include <functional>
#include <memory>

#include "ashlar/util/export.h"
#include "ashlar/util/status.h"
#include "ashlar/util/worker_pool.h"

namespace ashlar {

namespace internal {
class PoolCall;
}  // namespace internal

class ASHLAR_EXPORT PooledCall {
 public:
  // Has no call yet.
  PooledCall();
  PooledCall(const PooledCall&) = delete;
  PooledCall& operator=(const PooledCall&) = delete;
  // Waits for a call that is in progress. One that has not begun is not made.
  ~PooledCall();

  // Starts a call. Requires: a call before it was waited for. If `pool` is null
  // or has no threads, Wait makes the call. `pool` must live until Wait has
  // returned or this object is destroyed. `work` must not be empty, and must
  // not throw, except if memory is out. If this throws std::bad_alloc, nothing
  // is started.
  void Start(WorkerPool* pool, std::function<Status()> work);

  // Waits for the call, or makes it. Returns its result, or ok if no call was
  // started; MemoryLimit if the call threw std::bad_alloc or std::length_error.
  Status Wait();

 private:
  std::unique_ptr<internal::PoolCall> call_;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_POOLED_CALL_H_
