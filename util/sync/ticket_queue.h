// The inside of a WorkerPool: a queue of tickets and the threads that take
// them.
//
// A ticket asks for one worker to attend a job once. First come, first served:
// a job that wants to continue while others wait puts itself at the end again.
// The queue is used only when a worker becomes idle: a worker that has work
// stays at its job. Thread-safe, except TicketRing.
//
// Ownership: a job belongs to the thread that submits it. A job may be
// destroyed once Withdraw has taken back its queued tickets, and every `attend`
// that was begun has returned from its last access to the job. What must be
// signalled after that is signalled through the pool: the gates belong to the
// pool.
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
  // `worker` is the number of the pool's thread, from 0.
  void (*attend)(void* job, uint32_t worker) = nullptr;
  void* job = nullptr;
};

// A first-in, first-out queue of tickets, in memory that is allocated before.
class TicketRing {
 public:
  // Makes room for `more` tickets beyond those that are here.
  void Reserve(size_t more);
  // Allocates only if there is no room.
  void PushBack(const Ticket& ticket);
  // Requires: there is one.
  Ticket PopFront();
  // Removes the tickets of the job, and returns their number.
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

  // A job has at most this many tickets in the queue. Once it has borrowed a
  // gate, Submit allocates nothing and does not fail.
  static constexpr size_t kMostTicketsOfJob = 255;
  void Submit(const Ticket& ticket);
  // Takes a job's tickets out of the queue, and returns their number.
  uint32_t Withdraw(const void* job);
  // Returns whether some job waits for a worker. A hint.
  bool OthersWait() const { return waiting_.Load() > 0; }

  // Lends a semaphore to a thread that will sleep until workers wake it. It
  // continues to exist after it is given back, so a worker may finish waking
  // late. Until it is given back, the watchdog may call `story` of the
  // borrower. May throw std::bad_alloc.
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
    internal::ThreadNote attends;  // address of the job; 0: waits for a ticket
  };
  static void* RunWorker(void* worker);
  // For the watchdog's message.
  static void AppendState(const void* state, std::string* out);
  void Serve(Worker* worker);
  bool Take(Ticket* ticket);

  internal::Mutex mutex_;
  TicketRing queue_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  bool stopping_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = false;
  std::vector<internal::WatchedSemaphore*> free_gates_
      ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  std::vector<std::unique_ptr<internal::WatchedSemaphore>> gates_
      ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));

  internal::WatchedSemaphore tokens_;  // one for each ticket that was submitted
  internal::RelaxedAtomic<uint32_t> waiting_{0};
  std::vector<std::unique_ptr<Worker>> threads_;
  internal::Watchdog watchdog_;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_SYNC_TICKET_QUEUE_H_
