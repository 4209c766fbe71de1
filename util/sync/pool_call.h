// PoolCall: one function that a worker of a pool may call while the thread that
// started it goes on.
//
// For work whose result is needed later, such as sorting a part of a buffer
// that the owner still fills. The owner needs no worker: if none has come by
// the time that it waits, it makes the call itself. So a call may wait for
// other calls, as long as these do not wait for it: whichever thread waits
// finds each of them done, in progress on a thread that goes on, or not begun,
// and then makes it.
//
// Protocol: a shared loop (loop_state.h) of one unit, with one ticket. The
// thread that claims the unit makes the call: a worker by Look, or the owner by
// Claim in Wait. What the worker wrote is visible to the owner after
// LookForEnd, and what the owner wrote before Start to the worker by the pool's
// mutex; loop_state.h has the memory orders. Afterwards no worker touches this
// object.
//
// Owner: the thread that calls Start. It may hand the object over to another
// thread, for instance to a worker whose own call was started after this one:
// the mutex of the pool, or Wait, orders the two. One thread at a time is the
// owner.
//
// Tests: test/util/pool_call_test.cc, and test/model/loop_state_test.cc.
#ifndef ASHLAR_UTIL_SYNC_POOL_CALL_H_
#define ASHLAR_UTIL_SYNC_POOL_CALL_H_

#include <functional>
#include <optional>
#include <string>

#include "ashlar/util/status.h"
#include "ashlar/util/worker_pool.h"
#include "util/sync/loop_state.h"
#include "util/sync/pool_job.h"

namespace ashlar::internal {

class PoolCall {
 public:
  PoolCall() = default;
  PoolCall(const PoolCall&) = delete;
  PoolCall& operator=(const PoolCall&) = delete;
  // Waits for a call that is in progress. A call that no worker has begun is
  // not made.
  ~PoolCall();

  // Starts a call. To be called after Wait, if there was a call before. If
  // `pool` is null or has no threads, Wait makes the call. If this throws
  // std::bad_alloc, nothing is started.
  void Start(WorkerPool::State* pool, std::function<Status()> work);

  // Waits for the call, or makes it. Returns its result, or ok if no call was
  // started. Returns MemoryLimit if the call threw std::bad_alloc or
  // std::length_error.
  Status Wait();

 private:
  static void Attend(void* call, uint32_t worker);
  // For the watchdog's message.
  static void AppendState(const void* call, std::string* out);
  void MakeCall();
  // Returns whether the call is left for the owner.
  bool Claim();
  void End();

  std::function<Status()> work_;
  Status status_;
  std::optional<PoolJob<LoopProtocol>> job_;  // if a worker may come
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_POOL_CALL_H_
