#include "tools/ashlar/rows/background_call.h"

#include <csignal>
#include <new>
#include <stdexcept>
#include <utility>

namespace ashlar::tool {

BackgroundCall::~BackgroundCall() {
  if (is_running_) pthread_join(thread_, nullptr);
}

void* BackgroundCall::Run(void* call) {
  auto* const self = static_cast<BackgroundCall*>(call);
  // An exception that leaves this thread would end the program.
  try {
    self->status_ = self->work_();
  } catch (const std::bad_alloc&) {
    self->status_ = Status::OutOfMemory();
  } catch (const std::length_error&) {
    self->status_ = Status::OutOfMemory();
  }
  return nullptr;
}

void BackgroundCall::Start(std::function<Status()> work) {
  work_ = std::move(work);
  // Signals must go to the thread that reads input, to wake it.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  is_running_ = pthread_create(&thread_, nullptr, Run, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Status BackgroundCall::Wait() {
  if (is_running_) {
    pthread_join(thread_, nullptr);
    is_running_ = false;
  } else if (work_) {
    status_ = work_();
  }
  work_ = nullptr;
  return std::exchange(status_, Status());
}

}  // namespace ashlar::tool
