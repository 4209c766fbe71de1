// The limiter that NewGenericRateLimiter makes.
//
// Time is cut into periods. When a period begins, its bytes become available. A
// request joins the queue of its priority, and then the thread that holds the
// mutex serves the queues: it gives available bytes to the waiters in front, in
// the order of priorities, also to one in part. A waiter that has all its bytes
// leaves the queue.
//
// Nobody is woken. All waiters sleep until the next period begins, by the
// clock, without the mutex. The first that is awake then starts the period and
// serves all, whatever its own priority is. The others find that they were
// served, or sleep again. So which thread wakes first decides nothing, and a
// lost wake-up cannot exist.
//
// State, all under the mutex: the rate, the bytes available in this period,
// when the next one begins, the queues and the counters. A waiter is on the
// stack of its thread, which does not leave Request before the waiter has left
// its queue. Nothing is allocated.
//
// Rejected: a condition variable for each waiter, and one leader that sleeps
// (RocksDB's way): a leader that is served has to find a successor. Virtual
// time without queues: it cannot let a later request of a higher priority pass.

#include "ashlar/util/rate_limiter.h"

#include <algorithm>
#include <array>

#include "ashlar/util/sync/mutex.h"
#include "ashlar/util/system_clock.h"

namespace ashlar {

RateLimiter::~RateLimiter() = default;

uint64_t RateLimiter::GetSingleBurstBytes() const { return ~uint64_t{0}; }

namespace {

using internal::Mutex;
using internal::MutexLock;

constexpr auto kPriorities = static_cast<size_t>(IoPriority::kTotal);

struct Waiter {
  uint64_t bytes = 0;  // of the request
  uint64_t left = 0;   // those that it does not have yet
  // kNew, then in a queue, then served.
  enum class State : uint8_t { kNew, kQueued, kServed };
  State state = State::kNew;
  Waiter* next = nullptr;
};

class WaiterQueue {
 public:
  bool empty() const { return first_ == nullptr; }
  Waiter* first() const { return first_; }
  void Add(Waiter* waiter) {
    (first_ == nullptr ? first_ : last_->next) = waiter;
    last_ = waiter;
  }
  void RemoveFirst() { first_ = first_->next; }

 private:
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
};

class GenericRateLimiter final : public RateLimiter {
 public:
  explicit GenericRateLimiter(const RateLimiterOptions& options)
      : clock_(options.clock == nullptr ? SystemClock::Default()
                                        : options.clock),
        period_(std::max<uint64_t>(options.refill_period_us, 1)),
        fairness_(options.fairness),
        mode_(options.mode),
        burst_(options.single_burst_bytes),
        rate_(options.rate_bytes_per_sec) {}

  void Request(uint64_t bytes, IoPriority priority, OpType type) override {
    if (mode_ ==
        (type == OpType::kRead ? Mode::kWritesOnly : Mode::kReadsOnly)) {
      return;
    }
    Waiter waiter{bytes, bytes};
    uint64_t sleep = 0;
    while (MustSleep(priority, &waiter, &sleep)) {
      clock_->SleepForMicroseconds(sleep);
    }
  }

  uint64_t GetSingleBurstBytes() const override {
    if (burst_ != 0) return burst_;
    const MutexLock lock(&mutex_);
    return BytesOfPeriod();
  }
  void SetBytesPerSecond(uint64_t bytes_per_second) override {
    const MutexLock lock(&mutex_);
    rate_ = bytes_per_second;
  }
  uint64_t GetBytesPerSecond() const override {
    const MutexLock lock(&mutex_);
    return rate_;
  }
  uint64_t GetTotalBytesThrough(IoPriority priority) const override {
    return Total(bytes_, priority);
  }
  uint64_t GetTotalRequests(IoPriority priority) const override {
    return Total(requests_, priority);
  }

 private:
  using Counts = std::array<uint64_t, kPriorities>;
  static constexpr uint64_t kMicros = 1000 * 1000;

  uint64_t Total(const Counts& counts, IoPriority priority) const {
    const MutexLock lock(&mutex_);
    if (priority != IoPriority::kTotal) {
      return counts[static_cast<size_t>(priority)];
    }
    uint64_t total = 0;
    for (const uint64_t count : counts) total += count;
    return total;
  }

  // Returns whether the waiter must sleep, for *sleep microseconds.
  bool MustSleep(IoPriority priority, Waiter* waiter, uint64_t* sleep) {
    const MutexLock lock(&mutex_);
    const uint64_t now = clock_->MonotonicMicros();
    if (now >= next_period_) {
      available_ = BytesOfPeriod();
      next_period_ = now + period_;
      ++num_periods_;
    }
    if (waiter->state == Waiter::State::kNew) {
      waiter->state = Waiter::State::kQueued;
      queues_[static_cast<size_t>(priority)].Add(waiter);
    }
    Serve();
    *sleep = next_period_ - now;
    return waiter->state != Waiter::State::kServed;
  }

  // A period gives at least a byte, so that every request ends.
  uint64_t BytesOfPeriod() const {
    uint64_t bytes;
    if (!__builtin_mul_overflow(rate_, period_, &bytes)) {
      bytes /= kMicros;
    } else if (__builtin_mul_overflow(rate_ / kMicros + 1, period_, &bytes)) {
      bytes = ~uint64_t{0};
    }
    return std::max<uint64_t>(bytes, 1);
  }

  void Serve() {
    ServeQueue(IoPriority::kUser);
    const bool lowest_first = fairness_ > 1 && num_periods_ % fairness_ == 0;
    constexpr std::array kOthers = {IoPriority::kLow, IoPriority::kMid,
                                    IoPriority::kHigh};
    for (size_t i = 0; i < kOthers.size(); ++i) {
      ServeQueue(kOthers[lowest_first ? i : kOthers.size() - 1 - i]);
    }
  }

  void ServeQueue(IoPriority priority) {
    const auto i = static_cast<size_t>(priority);
    WaiterQueue& queue = queues_[i];
    while (!queue.empty()) {
      Waiter* const waiter = queue.first();
      const uint64_t given = std::min(waiter->left, available_);
      waiter->left -= given;
      available_ -= given;
      if (waiter->left != 0) return;
      queue.RemoveFirst();
      waiter->state = Waiter::State::kServed;
      bytes_[i] += waiter->bytes;
      ++requests_[i];
    }
  }

  SystemClock* const clock_;
  const uint64_t period_;
  const uint32_t fairness_;
  const Mode mode_;
  const uint64_t burst_;
  mutable Mutex mutex_;
  // All below are under the mutex.
  uint64_t rate_;
  uint64_t available_ = 0;
  uint64_t next_period_ = 0;
  uint64_t num_periods_ = 0;
  std::array<WaiterQueue, kPriorities> queues_;
  Counts bytes_ = {};
  Counts requests_ = {};
};

}  // namespace

std::shared_ptr<RateLimiter> NewGenericRateLimiter(
    const RateLimiterOptions& options) {
  if (options.rate_bytes_per_sec == 0) return nullptr;
  return std::make_shared<GenericRateLimiter>(options);
}

}  // namespace ashlar
