// A second tier whose results arrive, and which fails, when the test says so.
// Any number of threads may use it.
#ifndef ASHLAR_TEST_CACHE_SLOW_TIER_H_
#define ASHLAR_TEST_CACHE_SLOW_TIER_H_

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ashlar/cache/secondary_cache.h"

namespace ashlar::testing {

enum class Arrival {
  kAtOnce,
  kOnWait,  // made ready by the thread that waits
  kLater,   // by another thread, the last lookup first
};

class SlowTier final : public SecondaryCache {
 public:
  SlowTier() : thread_([this] { Arrive(); }) {}
  ~SlowTier() override {
    {
      const std::scoped_lock lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  // The behaviour from now on.
  std::atomic<Arrival> arrival = Arrival::kAtOnce;
  std::atomic<bool> insert_fails = false;
  std::atomic<bool> insert_throws = false;
  std::atomic<bool> erase_throws = false;
  std::atomic<bool> capacity_throws = false;  // GetCapacity
  std::atomic<bool> report_throws = false;    // Name and GetStats
  std::atomic<bool> lookup_fails = false;     // results have no value
  std::atomic<bool> is_full = false;          // drops all inserts
  std::atomic<bool> damages = false;          // changes a bit of each result
  std::atomic<bool> wait_all_lazily = false;  // does not wait

  // Returns the calls "lookup", "wait" and "wait all" since the last TakeLog,
  // in order.
  std::vector<std::string> TakeLog() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(log_, {});
  }
  size_t entries() {
    const std::scoped_lock lock(mutex_);
    return values_.size();
  }
  std::atomic<int> results_alive = 0;

  const char* Name() const override {
    if (report_throws) throw std::runtime_error("the tier has no name");
    return "SlowTier";
  }
  Status Insert(const CacheKey& key, const Slice& saved) override {
    if (insert_fails) return Status::IOError("the tier fails");
    if (insert_throws) throw std::bad_alloc();
    if (is_full) return {};
    const std::scoped_lock lock(mutex_);
    values_[key] = saved.ToString();
    return {};
  }
  bool Touch(const CacheKey& key) override {
    const std::scoped_lock lock(mutex_);
    return values_.contains(key);
  }
  std::unique_ptr<SecondaryCacheResultHandle> Lookup(
      const CacheKey& key) override;
  void WaitAll(std::span<SecondaryCacheResultHandle* const> handles) override {
    Log("wait all");
    if (wait_all_lazily) return;
    for (SecondaryCacheResultHandle* const handle : handles) handle->Wait();
  }
  void Erase(const CacheKey& key) override {
    if (erase_throws) throw std::runtime_error("the tier cannot erase");
    const std::scoped_lock lock(mutex_);
    values_.erase(key);
  }
  void SetCapacity(size_t capacity) override {
    const std::scoped_lock lock(mutex_);
    capacity_ = capacity;
    if (capacity == 0) values_.clear();
  }
  size_t GetCapacity() const override {
    if (capacity_throws) throw std::runtime_error("the tier has no capacity");
    return capacity_;
  }
  size_t GetUsage() const override { return 0; }
  SecondaryCacheStats GetStats() const override {
    if (report_throws) throw std::runtime_error("the tier has no counts");
    return {};
  }

 private:
  // Shared with the thread, because a caller may drop a result that has not
  // arrived.
  struct Pending {
    std::mutex mutex;
    std::condition_variable arrived;
    bool ready = false;
    std::optional<std::string> value;

    void MakeReady() {
      {
        const std::scoped_lock lock(mutex);
        ready = true;
      }
      arrived.notify_all();
    }
  };

  class Result final : public SecondaryCacheResultHandle {
   public:
    Result(SlowTier* tier, std::shared_ptr<Pending> pending, Arrival arrival)
        : tier_(tier), pending_(std::move(pending)), arrival_(arrival) {
      ++tier_->results_alive;
    }
    ~Result() override { --tier_->results_alive; }

    bool IsReady() override {
      const std::scoped_lock lock(pending_->mutex);
      return pending_->ready;
    }
    void Wait() override {
      tier_->Log("wait");
      if (arrival_ == Arrival::kOnWait) pending_->MakeReady();
      std::unique_lock lock(pending_->mutex);
      pending_->arrived.wait(lock, [this] { return pending_->ready; });
    }
    std::optional<Slice> Value() override {
      const std::scoped_lock lock(pending_->mutex);
      EXPECT_TRUE(pending_->ready);
      if (!pending_->value.has_value()) return std::nullopt;
      return Slice(*pending_->value);
    }

   private:
    SlowTier* const tier_;
    const std::shared_ptr<Pending> pending_;
    const Arrival arrival_;
  };

  void Log(const char* what) {
    const std::scoped_lock lock(mutex_);
    log_.emplace_back(what);
  }
  // Makes results ready, the latest lookup first.
  void Arrive() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return ending_ || !later_.empty(); });
      if (later_.empty()) return;
      const std::shared_ptr<Pending> next = std::move(later_.back());
      later_.pop_back();
      lock.unlock();
      next->MakeReady();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::deque<std::shared_ptr<Pending>> later_;
  std::map<CacheKey, std::string> values_;
  std::vector<std::string> log_;
  std::atomic<size_t> capacity_ = size_t{1} << 20;
  std::thread thread_;
};

inline std::unique_ptr<SecondaryCacheResultHandle> SlowTier::Lookup(
    const CacheKey& key) {
  const Arrival when = arrival;
  auto pending = std::make_shared<Pending>();
  {
    const std::scoped_lock lock(mutex_);
    log_.emplace_back("lookup");
    const auto found = values_.find(key);
    if (found == values_.end()) return nullptr;
    if (!lookup_fails) pending->value = found->second;
    if (damages && pending->value.has_value()) (*pending->value)[20] ^= 1;
    pending->ready = when == Arrival::kAtOnce;
    if (when == Arrival::kLater) later_.push_back(pending);
  }
  changed_.notify_all();
  return std::make_unique<Result>(this, std::move(pending), when);
}

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_CACHE_SLOW_TIER_H_
