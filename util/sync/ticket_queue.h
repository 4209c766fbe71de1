// The inside of a WorkerPool: a queue of tickets and the threads that take
// them.
//
// A ticket asks for one worker to attend a job once. First come, first served;
// a job that wants to go on while others wait puts itself at the end again.
// The queue sees only the idle edge: a worker that has work keeps to its job.
//
// Ownership: jobs belong to those who submit them. A job may be destroyed once
// Withdraw has taken back its queued tickets and every `attend` that was begun
// has returned from its last touch of it; what has to be told after that is
// told through the pool: gates belong to it.
#ifndef ASHLAR_UTIL_SYNC_TICKET_QUEUE_H_
#define ASHLAR_UTIL_SYNC_TICKET_QUEUE_H_

#include <pthread.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/util/sync/mutex.h"
#include "ashlar/util/worker_pool.h"
#include "util/sync/atomic.h"
#include "util/sync/watchdog.h"

namespace ashlar {

struct Ticket {
  // `worker` numbers the pool's threads from 0.
  void (*attend)(void* job, uint32_t worker) = nullptr;
  void* job = nullptr;
};

// Tickets, first come, first served, in memory that is taken before.
class TicketRing {
 public:
  // Room for `more` tickets beyond those that are here.
  void Reserve(size_t more);
  // Takes memory only where none was reserved.
  void PushBack(const Ticket& ticket);
  // Only where there is one.
  Ticket PopFront();
  // Those of the job; returns their number.
  uint32_t EraseOf(const void* job);
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  Ticket& At(size_t i) { return slots_[(first_ + i) % slots_.size()]; }

  std::vector<Ticket> slots_;
  size_t first_ = 0;
  size_t size_ = 0;
};

class WorkerPool::State {
 public:
  explicit State(uint32_t threads);
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  uint32_t threads() const { return static_cast<uint32_t>(threads_.size()); }

  // A job has at most this many in the queue, once it has borrowed a gate:
  // Submit then takes no memory, and does not fail.
  static constexpr size_t kMostTicketsOfJob = 255;
  void Submit(const Ticket& ticket);
  // Takes a job's tickets out of the queue; how many there were.
  uint32_t Withdraw(const void* job);
  // Whether some job waits for a worker. A hint.
  bool OthersWait() const { return waiting_.Load() > 0; }

  // A semaphore to sleep on, for whom workers wake. It stays when it is given
  // back, so that a worker may finish waking late. Until then the watchdog may
  // ask for the story of whoever borrowed it. May throw std::bad_alloc.
  internal::WatchedSemaphore* BorrowGate(const internal::SleepStory& story);
  void ReturnGate(internal::WatchedSemaphore* gate);

  internal::Watchdog* watchdog() { return &watchdog_; }

 private:
  struct Worker {
    Worker(State* pool_in, uint32_t number_in)
        : pool(pool_in), number(number_in) {}
    State* const pool;
    const uint32_t number;
    pthread_t thread{};
    internal::ThreadNote attends;  // the job's address; 0: waits for a ticket
  };
  static void* RunWorker(void* worker);
  static void Tell(const void* state, std::string* out);
  void Serve(Worker* worker);
  bool Take(Ticket* ticket);

  internal::Mutex mutex_;
  TicketRing queue_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  bool stopping_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = false;
  std::vector<internal::WatchedSemaphore*> free_gates_
      ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  std::vector<std::unique_ptr<internal::WatchedSemaphore>> gates_
      ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));

  internal::WatchedSemaphore tokens_;  // one a ticket that was submitted
  internal::RelaxedAtomic<uint32_t> waiting_{0};
  std::vector<std::unique_ptr<Worker>> threads_;
  internal::Watchdog watchdog_;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_SYNC_TICKET_QUEUE_H_
