#include "util/sync/ticket_queue.h"

#include <cassert>

#include "port/threads.h"

namespace ashlar {

using internal::MutexLock;
using internal::SleepStory;
using internal::WatchedSemaphore;

WorkerPool::WorkerPool(uint32_t threads)
    : state_(std::make_unique<State>(threads)) {}

WorkerPool::~WorkerPool() = default;

uint32_t WorkerPool::threads() const { return state_->threads(); }

WorkerPool::State::State(uint32_t threads) {
  threads_.reserve(threads);
  for (uint32_t i = 0; i < threads; ++i) {
    auto worker = std::make_unique<Worker>(this, i);
    if (port::StartThread(&RunWorker, worker.get(), &worker->thread) != 0) {
      break;
    }
    threads_.push_back(std::move(worker));
  }
  watchdog_.Watch(&tokens_, {&Tell, this});
  if (!threads_.empty()) watchdog_.Start();
}

WorkerPool::State::~State() {
  {
    const MutexLock lock(&mutex_);
    assert(queue_.empty() && free_gates_.size() == gates_.size());
    stopping_ = true;
  }
  tokens_.Promise(threads());
  tokens_.Release(threads());
  for (const auto& worker : threads_) port::JoinThread(worker->thread);
  watchdog_.Stop();
}

void WorkerPool::State::Submit(const Ticket& ticket) {
  {
    const MutexLock lock(&mutex_);
    queue_.push_back(ticket);
    waiting_.Store(static_cast<uint32_t>(queue_.size()));
  }
  tokens_.Promise();
  tokens_.Release();
}

uint32_t WorkerPool::State::Withdraw(const void* job) {
  const MutexLock lock(&mutex_);
  // The tokens stay: a worker that finds no ticket sleeps again.
  const auto taken = std::erase_if(
      queue_, [job](const Ticket& ticket) { return ticket.job == job; });
  waiting_.Store(static_cast<uint32_t>(queue_.size()));
  return static_cast<uint32_t>(taken);
}

WatchedSemaphore* WorkerPool::State::BorrowGate(const SleepStory& story) {
  WatchedSemaphore* gate;
  {
    const MutexLock lock(&mutex_);
    if (free_gates_.empty()) {
      gates_.push_back(std::make_unique<WatchedSemaphore>());
      free_gates_.push_back(gates_.back().get());
    }
    gate = free_gates_.back();
    free_gates_.pop_back();
  }
  watchdog_.Watch(gate, story);
  return gate;
}

void WorkerPool::State::ReturnGate(WatchedSemaphore* gate) {
  watchdog_.Forget(gate);
  const MutexLock lock(&mutex_);
  free_gates_.push_back(gate);
}

bool WorkerPool::State::Take(Ticket* ticket) {
  const MutexLock lock(&mutex_);
  if (queue_.empty()) return false;
  *ticket = queue_.front();
  queue_.pop_front();
  waiting_.Store(static_cast<uint32_t>(queue_.size()));
  return true;
}

void* WorkerPool::State::RunWorker(void* worker) {
  auto* const self = static_cast<Worker*>(worker);
  self->pool->Serve(self);
  return nullptr;
}

void WorkerPool::State::Serve(Worker* worker) {
  for (;;) {
    tokens_.Acquire();
    Ticket ticket;
    if (Take(&ticket)) {
      worker->attends.Store(reinterpret_cast<uintptr_t>(ticket.job));
      ticket.attend(ticket.job, worker->number);
      worker->attends.Store(0);
      continue;
    }
    const MutexLock lock(&mutex_);
    if (stopping_) return;
  }
}

void WorkerPool::State::Tell(const void* state, std::string* out) {
  const auto* const pool = static_cast<const State*>(state);
  *out +=
      "  pool: " + std::to_string(pool->waiting_.Load()) + " tickets wait\n";
  for (const auto& worker : pool->threads_) {
    const uint64_t job = worker->attends.Load();
    *out += "  worker " + std::to_string(worker->number) +
            (job == 0 ? " waits for a ticket\n"
                      : " attends job " + std::to_string(job) + "\n");
  }
}

}  // namespace ashlar
