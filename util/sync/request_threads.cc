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

RequestThreads::State::State(uint32_t threads) {
  threads_.reserve(threads);
  for (uint32_t i = 0; i < threads; ++i) {
    pthread_t thread;
    if (port::StartThread(&Run, this, &thread) != 0) break;
    threads_.push_back(thread);
  }
}

RequestThreads::State::~State() {
  {
    const internal::MutexLock lock(&mutex_);
    ending_ = true;
    queue_.clear();
  }
  tokens_.Release(threads());
  for (const pthread_t thread : threads_) port::JoinThread(thread);
}

bool RequestThreads::State::Submit(std::function<void()> work) noexcept {
  if (threads_.empty()) return false;
  try {
    const internal::MutexLock lock(&mutex_);
    queue_.push_back(std::move(work));
  } catch (const std::bad_alloc&) {
    return false;
  }
  tokens_.Release();
  return true;
}

void* RequestThreads::State::Run(void* state) {
  static_cast<State*>(state)->Serve();
  return nullptr;
}

void RequestThreads::State::Serve() {
  for (;;) {
    tokens_.Acquire();
    std::function<void()> work;
    {
      const internal::MutexLock lock(&mutex_);
      if (ending_) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    work();
  }
}

}  // namespace ashlar
