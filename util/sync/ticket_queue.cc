#include "util/sync/ticket_queue.h"

#include <cassert>

#include "port/threads.h"

namespace ashlar {

using internal::BinarySemaphore;
using internal::MutexLock;

WorkerPool::WorkerPool(uint32_t threads)
    : state_(std::make_unique<State>(threads)) {}

WorkerPool::~WorkerPool() = default;

uint32_t WorkerPool::threads() const { return state_->threads(); }

WorkerPool::State::State(uint32_t threads) {
  threads_.reserve(threads);
  for (uint32_t i = 0; i < threads; ++i) {
    auto worker = std::make_unique<Worker>(Worker{this, i, {}});
    if (port::StartThread(&RunWorker, worker.get(), &worker->thread) != 0) {
      return;
    }
    threads_.push_back(std::move(worker));
  }
}

WorkerPool::State::~State() {
  {
    const MutexLock lock(&mutex_);
    assert(queue_.empty() && free_gates_.size() == gates_.size());
    stopping_ = true;
  }
  tokens_.Release(threads());
  for (const auto& worker : threads_) port::JoinThread(worker->thread);
}

void WorkerPool::State::Submit(const Ticket& ticket) {
  {
    const MutexLock lock(&mutex_);
    queue_.push_back(ticket);
    waiting_.Store(static_cast<uint32_t>(queue_.size()));
  }
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

BinarySemaphore* WorkerPool::State::BorrowGate() {
  const MutexLock lock(&mutex_);
  if (free_gates_.empty()) {
    gates_.push_back(std::make_unique<BinarySemaphore>());
    free_gates_.push_back(gates_.back().get());
  }
  BinarySemaphore* const gate = free_gates_.back();
  free_gates_.pop_back();
  return gate;
}

void WorkerPool::State::ReturnGate(BinarySemaphore* gate) {
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
  const auto* const self = static_cast<Worker*>(worker);
  self->pool->Serve(self->number);
  return nullptr;
}

void WorkerPool::State::Serve(uint32_t number) {
  for (;;) {
    tokens_.Acquire();
    Ticket ticket;
    if (Take(&ticket)) {
      ticket.attend(ticket.job, number);
      continue;
    }
    const MutexLock lock(&mutex_);
    if (stopping_) return;
  }
}

}  // namespace ashlar
