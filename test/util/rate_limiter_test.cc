// Tests the rate limiter: by a clock that sleepers move, and, for several
// waiters, by one that holds them until the test moves it.

#include "ashlar/util/rate_limiter.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "test/support/manual_clock.h"

namespace ashlar::testing {
namespace {

constexpr auto kRead = RateLimiter::OpType::kRead;
constexpr auto kWrite = RateLimiter::OpType::kWrite;
constexpr uint64_t kPeriod = 100 * 1000;

// Gives 100 bytes per period.
RateLimiterOptions SlowOptions(SystemClock* clock) {
  RateLimiterOptions options;
  options.rate_bytes_per_sec = 1000;
  options.mode = RateLimiter::Mode::kAllIo;
  options.clock = clock;
  return options;
}

TEST(RateLimiter, GivesTheBytesOfAPeriodWhenItBegins) {
  ManualClock clock;
  const uint64_t begin = clock.MonotonicMicros();
  const auto limiter = NewGenericRateLimiter(SlowOptions(&clock));
  limiter->Request(60, IoPriority::kLow, kRead);
  limiter->Request(40, IoPriority::kUser, kWrite);
  EXPECT_EQ(clock.MonotonicMicros(), begin);
  // 250 bytes come in three periods; 50 of the last are left.
  limiter->Request(250, IoPriority::kHigh, kRead);
  EXPECT_EQ(clock.MonotonicMicros(), begin + 3 * kPeriod);
  limiter->Request(50, IoPriority::kHigh, kRead);
  EXPECT_EQ(clock.MonotonicMicros(), begin + 3 * kPeriod);
  limiter->Request(1, IoPriority::kHigh, kRead);
  EXPECT_EQ(clock.MonotonicMicros(), begin + 4 * kPeriod);
}

TEST(RateLimiter, KeepsNothingOfAnIdleTime) {
  ManualClock clock;
  const auto limiter = NewGenericRateLimiter(SlowOptions(&clock));
  limiter->Request(1, IoPriority::kLow, kRead);
  clock.Advance(50 * kPeriod);
  const uint64_t begin = clock.MonotonicMicros();
  limiter->Request(101, IoPriority::kLow, kRead);
  EXPECT_EQ(clock.MonotonicMicros(), begin + kPeriod);
}

TEST(RateLimiter, LimitsByModeAndCounts) {
  using Mode = RateLimiter::Mode;
  for (const Mode mode : {Mode::kReadsOnly, Mode::kWritesOnly, Mode::kAllIo}) {
    ManualClock clock;
    RateLimiterOptions options = SlowOptions(&clock);
    options.mode = mode;
    const auto limiter = NewGenericRateLimiter(options);
    limiter->Request(10, IoPriority::kLow, kRead);
    limiter->Request(20, IoPriority::kUser, kWrite);
    limiter->Request(0, IoPriority::kUser, kWrite);
    const uint64_t reads = mode == Mode::kWritesOnly ? 0 : 10;
    const uint64_t writes = mode == Mode::kReadsOnly ? 0 : 20;
    EXPECT_EQ(limiter->GetTotalBytesThrough(IoPriority::kLow), reads);
    EXPECT_EQ(limiter->GetTotalBytesThrough(IoPriority::kUser), writes);
    EXPECT_EQ(limiter->GetTotalBytesThrough(), reads + writes);
    EXPECT_EQ(limiter->GetTotalRequests(IoPriority::kUser),
              writes == 0 ? 0u : 2u);
    EXPECT_EQ(limiter->GetTotalRequests(IoPriority::kMid), 0u);
  }
  EXPECT_EQ(RateLimiterOptions().mode, RateLimiter::Mode::kWritesOnly);
}

TEST(RateLimiter, TakesAnyRate) {
  EXPECT_EQ(NewGenericRateLimiter({}), nullptr);
  ManualClock clock;
  const uint64_t begin = clock.MonotonicMicros();
  RateLimiterOptions options = SlowOptions(&clock);
  options.rate_bytes_per_sec = ~uint64_t{0};
  const auto limiter = NewGenericRateLimiter(options);
  limiter->Request(uint64_t{1} << 60, IoPriority::kLow, kRead);
  EXPECT_EQ(clock.MonotonicMicros(), begin);
  // Less than a byte per period is one.
  limiter->SetBytesPerSecond(1);
  EXPECT_EQ(limiter->GetBytesPerSecond(), 1u);
  clock.Advance(kPeriod);
  const uint64_t next = clock.MonotonicMicros();
  limiter->Request(3, IoPriority::kLow, kRead);
  EXPECT_EQ(clock.MonotonicMicros(), next + 2 * kPeriod);
  // A time of 0 counts as a microsecond.
  options.refill_period_us = 0;
  options.rate_bytes_per_sec = 2'000'000;
  const auto fast = NewGenericRateLimiter(options);
  const uint64_t last = clock.MonotonicMicros();
  fast->Request(20, IoPriority::kLow, kRead);
  EXPECT_EQ(clock.MonotonicMicros(), last + 9);
}

// Holds sleepers until the test moves it.
class HoldingClock final : public SystemClock {
 public:
  uint64_t NowMicros() override { return MonotonicMicros(); }
  uint64_t MonotonicMicros() override {
    const std::scoped_lock lock(mutex_);
    return now_;
  }
  void SleepForMicroseconds(uint64_t micros) override {
    std::unique_lock lock(mutex_);
    const uint64_t until = now_ + micros;
    ++sleeps_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return now_ >= until; });
  }
  void Advance(uint64_t micros) {
    const std::scoped_lock lock(mutex_);
    now_ += micros;
    changed_.notify_all();
  }
  void AwaitSleeps(int n) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sleeps_ >= n; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t now_ = 1;
  int sleeps_ = 0;
};

// Lets one request of each priority wait, and returns which of both passes in
// the next period, which has bytes for one of them.
IoPriority FirstOf(IoPriority a, IoPriority b, uint32_t fairness) {
  HoldingClock clock;
  RateLimiterOptions options = SlowOptions(&clock);
  options.fairness = fairness;
  const auto limiter = NewGenericRateLimiter(options);
  limiter->Request(100, IoPriority::kUser, kRead);
  std::thread of_a([&] { limiter->Request(99, a, kRead); });
  clock.AwaitSleeps(1);
  std::thread of_b([&] { limiter->Request(99, b, kRead); });
  clock.AwaitSleeps(2);
  clock.Advance(kPeriod);
  // A thread that is not served sleeps again.
  clock.AwaitSleeps(3);
  const bool a_passed =
      limiter->GetTotalBytesThrough(a) >= (a == IoPriority::kUser ? 199u : 99u);
  EXPECT_EQ(limiter->GetTotalRequests(), 2u);
  clock.Advance(kPeriod);
  of_a.join();
  of_b.join();
  EXPECT_EQ(limiter->GetTotalBytesThrough(), 298u);
  return a_passed ? a : b;
}

TEST(RateLimiter, ServesByPriority) {
  using P = IoPriority;
  EXPECT_EQ(FirstOf(P::kLow, P::kMid, 0), P::kMid);
  EXPECT_EQ(FirstOf(P::kMid, P::kHigh, 0), P::kHigh);
  EXPECT_EQ(FirstOf(P::kHigh, P::kUser, 0), P::kUser);
  EXPECT_EQ(FirstOf(P::kHigh, P::kLow, 0), P::kHigh);
  // The second period is the lowest one's turn, but never before the user's.
  EXPECT_EQ(FirstOf(P::kHigh, P::kLow, 2), P::kLow);
  EXPECT_EQ(FirstOf(P::kUser, P::kLow, 2), P::kUser);
}

TEST(RateLimiter, SharesTheRateAmongManyThreads) {
  ManualClock clock;
  const uint64_t begin = clock.MonotonicMicros();
  const auto limiter = NewGenericRateLimiter(SlowOptions(&clock));
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        limiter->Request(50, static_cast<IoPriority>(t), kRead);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(limiter->GetTotalBytesThrough(), 4u * 200 * 50);
  EXPECT_EQ(limiter->GetTotalRequests(), 800u);
  // Each period gave at most 100 bytes; every period but the first was slept.
  EXPECT_GE(clock.MonotonicMicros(), begin + (400 - 1) * kPeriod);
}

TEST(RateLimiter, TheClockOfTheSystemGoesOn) {
  SystemClock* const clock = SystemClock::Default();
  const uint64_t before = clock->MonotonicMicros();
  clock->SleepForMicroseconds(50);
  EXPECT_GE(clock->MonotonicMicros(), before + 50);
  // After 2020.
  EXPECT_GT(clock->NowMicros(), uint64_t{1'577'836'800} * 1'000'000);
}

}  // namespace
}  // namespace ashlar::testing
