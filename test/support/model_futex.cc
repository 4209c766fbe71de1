#include "test/support/model_futex.h"

#include <algorithm>
#include <chrono>

namespace ashlar::testing {

ModelFutex& ModelFutex::Instance() {
  static ModelFutex futex;
  return futex;
}

void ModelFutex::Spoil(std::thread::id sleeper, Fault fault) {
  const std::lock_guard<std::mutex> lock(mutex_);
  victim_ = sleeper;
  fault_ = fault;
}

void ModelFutex::WaitUntilAsleep(std::thread::id sleeper) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] {
    return std::any_of(sleepers_.begin(), sleepers_.end(),
                       [&](const Sleeper* s) { return s->thread == sleeper; });
  });
}

void ModelFutex::WaitUntilSpoiled() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return spoiled_ > 0; });
}

void ModelFutex::EndTimedWaits(int n) {
  constexpr std::chrono::minutes kWatchdogIsDead(1);
  std::unique_lock<std::mutex> lock(mutex_);
  ends_timed_waits_ = true;
  changed_.wait_for(lock, kWatchdogIsDead,
                    [this, n] { return timed_waits_ >= n; });
}

bool ModelFutex::SkipsTimedWait() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!ends_timed_waits_) return false;
  ++timed_waits_;
  changed_.notify_all();
  return true;
}

void ModelFutex::Wait(const uint32_t* word, uint32_t expected) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != expected) return;
  Sleeper self{word, std::this_thread::get_id()};
  sleepers_.push_back(&self);
  changed_.notify_all();
  changed_.wait(lock, [&self] { return self.woken; });
}

void ModelFutex::Wake(const uint32_t* word, uint32_t n) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto i = sleepers_.begin(); i != sleepers_.end() && n > 0;) {
    Sleeper* const sleeper = *i;
    if (sleeper->word != word) {
      ++i;
      continue;
    }
    --n;
    if (fault_ != Fault::kNone && sleeper->thread == victim_) {
      if (fault_ == Fault::kDropsToken) {
        __atomic_fetch_sub(const_cast<uint32_t*>(word), 1, __ATOMIC_SEQ_CST);
      }
      ++spoiled_;
      ++i;
      continue;
    }
    sleeper->woken = true;
    i = sleepers_.erase(i);
  }
  changed_.notify_all();
}

}  // namespace ashlar::testing

// The linker's --wrap redirects port::FutexWait, FutexWake and FutexWaitFor to
// these.
extern "C" {
void WrappedFutexWait(const uint32_t* word, uint32_t expected) asm(
    "__wrap__ZN6ashlar4port9FutexWaitEPKjj");
void WrappedFutexWait(const uint32_t* word, uint32_t expected) {
  ashlar::testing::ModelFutex::Instance().Wait(word, expected);
}
void RealFutexWake(const uint32_t* word,
                   uint32_t n) asm("__real__ZN6ashlar4port9FutexWakeEPKjj");
void WrappedFutexWake(const uint32_t* word,
                      uint32_t n) asm("__wrap__ZN6ashlar4port9FutexWakeEPKjj");
void WrappedFutexWake(const uint32_t* word, uint32_t n) {
  ashlar::testing::ModelFutex::Instance().Wake(word, n);
  RealFutexWake(word, n);  // for threads in a timed wait
}
void RealFutexWaitFor(
    const uint32_t* word, uint32_t expected,
    uint32_t milliseconds) asm("__real__ZN6ashlar4port12FutexWaitForEPKjjj");
void WrappedFutexWaitFor(
    const uint32_t* word, uint32_t expected,
    uint32_t milliseconds) asm("__wrap__ZN6ashlar4port12FutexWaitForEPKjjj");
void WrappedFutexWaitFor(const uint32_t* word, uint32_t expected,
                         uint32_t milliseconds) {
  if (ashlar::testing::ModelFutex::Instance().SkipsTimedWait()) return;
  RealFutexWaitFor(word, expected, milliseconds);
}
}
