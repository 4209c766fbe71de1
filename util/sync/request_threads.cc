#include "util/sync/request_threads.h"

#include <new>
#include <utility>

#include "port/threads.h"

namespace ashlar {

RequestThreads::RequestThreads(uint32_t threads) {
  try {
    state_ = std::make_unique<State>(threads);
  } catch (const std::bad_alloc&) {
    state_.reset();
  }
}

RequestThreads::~RequestThreads() = default;

uint32_t RequestThreads::threads() const {
  return state_ == nullptr ? 0 : state_->threads();
}

RequestThreads::State::State(uint32_t threads)
    : shared_(std::make_shared<Shared>()) {
  threads_.reserve(threads);
  for (uint32_t i = 0; i < threads; ++i) {
    std::unique_ptr<std::shared_ptr<Shared>> shared(
        new (std::nothrow) std::shared_ptr<Shared>(shared_));
    pthread_t thread;
    if (shared == nullptr ||
        port::StartThread(&Run, shared.get(), &thread) != 0) {
      break;
    }
    static_cast<void>(shared.release());
    threads_.push_back(thread);
  }
}

RequestThreads::State::~State() {
  while (DropOne()) continue;
  shared_->tokens.Release(threads());
  for (const pthread_t thread : threads_) {
    if (port::IsThisThread(thread)) {
      port::DetachThread(thread);
    } else {
      port::JoinThread(thread);
    }
  }
}

// Destroys a piece of work that was not begun. Returns false if there is none.
// Another container for all of them would need memory.
bool RequestThreads::State::DropOne() {
  std::function<void()> dropped;  // outlives the lock
  const internal::MutexLock lock(&shared_->mutex);
  shared_->ending = true;
  if (shared_->queue.empty()) return false;
  dropped = std::move(shared_->queue.front());
  shared_->queue.pop_front();
  return true;
}

bool RequestThreads::State::Submit(std::function<void()> work) noexcept {
  if (threads_.empty()) return false;
  try {
    const internal::MutexLock lock(&shared_->mutex);
    if (shared_->ending) return false;
    shared_->queue.push_back(std::move(work));
  } catch (const std::bad_alloc&) {
    return false;
  }
  shared_->tokens.Release();
  return true;
}

void* RequestThreads::State::Run(void* shared) {
  const std::unique_ptr<std::shared_ptr<Shared>> own(
      static_cast<std::shared_ptr<Shared>*>(shared));
  Serve(own->get());
  return nullptr;
}

void RequestThreads::State::Serve(Shared* shared) {
  for (;;) {
    shared->tokens.Acquire();
    std::function<void()> work;
    {
      const internal::MutexLock lock(&shared->mutex);
      if (shared->ending) return;
      work = std::move(shared->queue.front());
      shared->queue.pop_front();
    }
    work();
  }
}

}  // namespace ashlar
