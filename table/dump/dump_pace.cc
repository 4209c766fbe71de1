#include "table/dump/dump_pace.h"

#include <algorithm>
#include <thread>

namespace ashlar {

CacheDumpClock::~CacheDumpClock() = default;

namespace internal {

namespace {

__extension__ using Wide = unsigned __int128;

class SystemClock final : public CacheDumpClock {
 public:
  uint64_t NowMicros() override {
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now().time_since_epoch())
            .count());
  }
  void SleepForMicroseconds(uint64_t micros) override {
    std::this_thread::sleep_for(std::chrono::microseconds(micros));
  }
};

CacheDumpClock* ClockOf(const CacheDumpLimits& limits) {
  static SystemClock system;
  return limits.clock != nullptr ? limits.clock : &system;
}

}  // namespace

DumpPace::DumpPace(const CacheDumpLimits& limits)
    : limits_(limits),
      clock_(ClockOf(limits)),
      began_at_(clock_->NowMicros()),
      next_at_(began_at_) {}

Status DumpPace::Report() {
  if (!limits_.on_progress || limits_.on_progress(entries_, bytes_)) return {};
  return Status::Aborted("on_progress ended the cache dump or its loading");
}

Status DumpPace::Take(uint64_t bytes, std::optional<CacheDumpEnd>* end) {
  constexpr uint64_t kNap = 50'000;
  constexpr uint64_t kMicros = 1'000'000;
  if (limits_.max_size_bytes != 0 &&
      bytes >
          limits_.max_size_bytes - std::min(bytes_, limits_.max_size_bytes)) {
    *end = CacheDumpEnd::kMaxSize;
    return {};
  }
  const auto deadline =
      static_cast<uint64_t>(std::max<int64_t>(0, limits_.deadline.count()));
  uint64_t now = clock_->NowMicros();
  const uint64_t starts_at = std::max(now, next_at_);
  if (deadline != 0 && starts_at - began_at_ >= deadline) {
    *end = CacheDumpEnd::kDeadline;
    return {};
  }
  Status status;
  while (status.ok() && now < starts_at) {
    clock_->SleepForMicroseconds(std::min(kNap, starts_at - now));
    status = Report();
    now = clock_->NowMicros();
    reported_at_ = now;
  }
  if (status.ok() && now - reported_at_ >= kNap) {
    status = Report();
    reported_at_ = now;
  }
  if (!status.ok()) return status;
  const uint64_t rate = limits_.rate_bytes_per_sec;
  if (rate != 0) {
    // What was left of a microsecond is of no use once time was lost.
    if (starts_at != next_at_) owed_ = 0;
    const Wide owed = Wide{bytes} * kMicros + owed_;
    next_at_ = starts_at + static_cast<uint64_t>(owed / rate);
    owed_ = static_cast<uint64_t>(owed % rate);
  }
  bytes_ += bytes;
  return {};
}

}  // namespace internal

}  // namespace ashlar
