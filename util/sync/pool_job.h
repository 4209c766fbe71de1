// PoolJob: the loop around a protocol's pure steps, for work that one thread
// owns and that workers of a pool help with.
//
// A protocol is one 64-bit word, and pure functions on it, its steps. A step
// says what the word becomes, what the thread does next, and whether it wakes
// the owner or sends for a worker (util/sync/loop_state.h, and for the
// compression ring table/write/ring_state.h). test/model explores every
// interleaving of the steps. What a thread does with a step is the same for
// every protocol:
//
//   Move    owner, worker   replaces the word by the step's. Then does what the
//                           step promised: posts the token of the owner, or
//                           gives the pool a ticket.
//   Sleep   owner           sleeps until a step wakes the owner.
//   End     owner           takes tickets back, and waits until no worker can
//                           touch the job any more.
//
// A protocol P has the types P::State and P::Step, the functions P::Pack and
// P::Unpack, and the steps Withdraw and LookForEnd. A step has `next`, `task`
// (one of its values is kSleep), `wake_owner` and `send_worker`. In debug
// builds, RequireSomebodyAwake(P::State) ends the process if no step may
// produce that state.
//
// Memory orders. Move is a compare-exchange with acquire and release on the
// word. The protocols say what it publishes.
//
// Lifetime. After a worker's last step the job may be gone. So Move reads what
// it needs before the step, and the semaphore that the owner sleeps on belongs
// to the pool. Any thread that attends may call Move and Look. Begin, Sleep,
// End and SendWorker are the owner's.
#ifndef ASHLAR_UTIL_SYNC_POOL_JOB_H_
#define ASHLAR_UTIL_SYNC_POOL_JOB_H_

#include <cstdint>
#include <utility>

#include "util/sync/atomic.h"
#include "util/sync/ticket_queue.h"
#include "util/sync/watchdog.h"

namespace ashlar::internal {

template <typename Protocol>
class PoolJob {
 public:
  using State = typename Protocol::State;
  using Step = typename Protocol::Step;

  // A worker that is sent calls ticket.attend.
  explicit PoolJob(const Ticket& ticket, const State& first = {})
      : ticket_(ticket), word_(Protocol::Pack(first)) {}
  PoolJob(const PoolJob&) = delete;
  PoolJob& operator=(const PoolJob&) = delete;

  // To be called before the first step that may send for a worker, or put the
  // owner to sleep. `story` is for the watchdog. May throw std::bad_alloc.
  void Begin(WorkerPool::State* pool, const SleepStory& story) {
    gate_ = pool->BorrowGate(story);
    pool_ = pool;
  }
  // Returns whether workers may come: Begin was called, and End was not.
  bool begun() const { return gate_ != nullptr; }
  // Requires: Begin was called.
  WorkerPool::State* pool() const { return pool_; }

  State Look() const { return Protocol::Unpack(word_.Load()); }

  // Sends for a worker. Requires: its ticket is counted in the word.
  void SendWorker() { pool_->Submit(ticket_); }

  // Takes the step that choose(state) returns. Chooses again if the word has
  // changed meanwhile. Returns the step.
  template <typename Choose>
  Step Move(Choose choose) {
    WorkerPool::State* const pool = pool_;
    WatchedSemaphore* const gate = gate_;
    const Ticket ticket = ticket_;
    uint64_t seen = word_.Load();
    Step step;
    do {
      step = choose(Protocol::Unpack(seen));
      RequireSomebodyAwake(step.next);
    } while (!word_.CompareExchange(&seen, Protocol::Pack(step.next)));
    if (step.wake_owner) {
      gate->Promise();
      gate->Release();
    }
    if (step.send_worker) pool->Submit(ticket);
    return step;
  }

  // Requires: the last step had the task kSleep.
  void Sleep() { gate_->Acquire(); }

  // Returns the state that is left. Requires: begun().
  State End(const Protocol& protocol) {
    const uint32_t taken = pool_->Withdraw(ticket_.job);
    Move([&protocol, taken](const State& s) {
      return protocol.Withdraw(s, taken);
    });
    for (;;) {
      const Step step =
          Move([&protocol](const State& s) { return protocol.LookForEnd(s); });
      if (step.task != Step::Task::kSleep) {
        pool_->ReturnGate(std::exchange(gate_, nullptr));
        return step.next;
      }
      Sleep();
    }
  }

 private:
  const Ticket ticket_;
  AcqRelAtomic<uint64_t> word_;
  WorkerPool::State* pool_ = nullptr;
  WatchedSemaphore* gate_ = nullptr;  // where the owner sleeps; the pool's
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_POOL_JOB_H_
