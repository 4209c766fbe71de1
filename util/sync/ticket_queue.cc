#include "util/sync/ticket_queue.h"

#include <algorithm>
#include <cassert>
#include <new>

#include "port/threads.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

using internal::MutexLock;
using internal::SleepStory;
using internal::WatchedSemaphore;

void TicketRing::Reserve(size_t more) {
  if (slots_.size() - size_ >= more) return;
  std::vector<Ticket> larger(std::max(size_ + more, 2 * slots_.size()));
  for (size_t i = 0; i < size_; ++i) larger[i] = At(i);
  slots_.swap(larger);
  first_ = 0;
}

void TicketRing::PushBack(const Ticket& ticket) {
  Reserve(1);
  At(size_++) = ticket;
}

Ticket TicketRing::PopFront() {
  const Ticket ticket = At(0);
  first_ = (first_ + 1) % slots_.size();
  --size_;
  return ticket;
}

uint32_t TicketRing::EraseOf(const void* job) {
  size_t kept = 0;
  for (size_t i = 0; i < size_; ++i) {
    if (At(i).job != job) At(kept++) = At(i);
  }
  const auto erased = static_cast<uint32_t>(size_ - kept);
  size_ = kept;
  return erased;
}

WorkerPool::WorkerPool(uint32_t threads) {
  internal::OrMemoryLimit([&] {
    state_ = std::make_unique<State>(threads);
    return Status();
  }).IgnoreError();
}

WorkerPool::~WorkerPool() = default;

uint32_t WorkerPool::threads() const {
  return state_ == nullptr ? 0 : state_->threads();
}

WorkerPool::State::State(uint32_t threads) {
  threads_.reserve(threads);
  for (uint32_t i = 0; i < threads; ++i) {
    // Nothing may throw once a thread runs, because the thread has `this`.
    std::unique_ptr<Worker> worker(new (std::nothrow) Worker(this, i));
    if (worker == nullptr ||
        port::StartThread(&RunWorker, worker.get(), &worker->thread) != 0) {
      break;
    }
    threads_.push_back(std::move(worker));
  }
  watchdog_.Watch(&tokens_, {&AppendState, this});
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
    queue_.PushBack(ticket);
    waiting_.Store(static_cast<uint32_t>(queue_.size()));
  }
  tokens_.Promise();
  tokens_.Release();
}

uint32_t WorkerPool::State::Withdraw(const void* job) {
  const MutexLock lock(&mutex_);
  // The tokens stay: a worker that finds no ticket sleeps again.
  const uint32_t taken = queue_.EraseOf(job);
  waiting_.Store(static_cast<uint32_t>(queue_.size()));
  return taken;
}

WatchedSemaphore* WorkerPool::State::BorrowGate(const SleepStory& story) {
  WatchedSemaphore* gate;
  {
    const MutexLock lock(&mutex_);
    // Allocates all memory that the job may need of the pool. So Submit, which
    // others rely on, and ReturnGate cannot fail.
    const size_t borrowed = gates_.size() - free_gates_.size();
    const size_t most = (borrowed + 1) * kMostTicketsOfJob;
    queue_.Reserve(most - std::min(most, queue_.size()));
    if (free_gates_.empty()) {
      free_gates_.reserve(gates_.size() + 1);
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
  *ticket = queue_.PopFront();
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

void WorkerPool::State::AppendState(const void* state, std::string* out) {
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
