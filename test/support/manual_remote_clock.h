// A RemoteClock that stands still until the test moves it. Any number of
// threads.
#ifndef ASHLAR_TEST_SUPPORT_MANUAL_REMOTE_CLOCK_H_
#define ASHLAR_TEST_SUPPORT_MANUAL_REMOTE_CLOCK_H_

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "util/io/remote_state.h"

namespace ashlar::testing {

class ManualRemoteClock final : public internal::RemoteClock {
 public:
  uint64_t NowMs() override {
    const std::scoped_lock lock(mutex_);
    return now_;
  }
  void WaitUntil(internal::Bell* bell, uint32_t seen,
                 uint64_t time_ms) override {
    {
      const std::scoped_lock lock(mutex_);
      if (time_ms <= now_) return;
      waiting_.push_back(bell);
      changed_.notify_all();
    }
    bell->Wait(seen);
    const std::scoped_lock lock(mutex_);
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), bell));
  }

  // Waits until `n` threads wait for a time.
  void AwaitWaiters(size_t n) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() >= n; });
  }
  void Advance(uint64_t ms) {
    const std::scoped_lock lock(mutex_);
    now_ += ms;
    for (internal::Bell* const bell : waiting_) bell->Ring();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t now_ = 1000;
  std::vector<internal::Bell*> waiting_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_MANUAL_REMOTE_CLOCK_H_
