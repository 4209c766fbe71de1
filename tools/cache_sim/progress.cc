#include "tools/cache_sim/progress.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

namespace ashlar::sim {

namespace {

constexpr uint64_t kAll = 100;
// Moves to the beginning of the line, and clears it.
constexpr char kNewLine[] = "\r\033[K";

}  // namespace

Progress::~Progress() {
  if (is_shown_) std::fputs(kNewLine, stderr);
}

void Progress::BeginTrace(std::string name, uint64_t work) {
  const internal::MutexLock lock(&mutex_);
  ++trace_;
  name_ = std::move(name);
  work_ = std::max<uint64_t>(1, work);
  done_ = 0;
  shown_percent_ = kAll + 1;
  begin_ = Clock::now();
}

void Progress::Add(uint64_t done) {
  if (!is_shown_) return;
  const internal::MutexLock lock(&mutex_);
  done_ += done;
  const auto percent = static_cast<uint64_t>(static_cast<double>(done_) * kAll /
                                             static_cast<double>(work_));
  if (percent == shown_percent_) return;
  shown_percent_ = percent;
  std::fputs(Line(percent).c_str(), stderr);
}

std::string Progress::Line(uint64_t percent) const {
  constexpr uint64_t kWidth = 20;
  constexpr double kMega = 1e6;
  constexpr uint64_t kMinute = 60;
  const uint64_t full = std::min(kWidth, percent * kWidth / kAll);
  const double seconds =
      std::chrono::duration<double>(Clock::now() - begin_).count();
  const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  std::string line = kNewLine;
  if (traces_ > 1) {
    line += std::to_string(trace_) + "/" + std::to_string(traces_) + " ";
  }
  line += name_ + ": " + std::to_string(percent) + " % [" +
          std::string(full, '#') + std::string(kWidth - full, '.') + "]";
  if (rate <= 0) return line;
  const auto left = static_cast<uint64_t>(
      static_cast<double>(work_ - std::min(work_, done_)) / rate);
  char numbers[96];
  std::snprintf(numbers, sizeof numbers,
                " %.1f M accesses/s, %" PRIu64 ":%02" PRIu64 " left",
                rate / kMega, left / kMinute, left % kMinute);
  return line + numbers;
}

}  // namespace ashlar::sim
