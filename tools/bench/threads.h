// Runs the same load on several threads, and adds up what they did.
#ifndef ASHLAR_TOOLS_BENCH_THREADS_H_
#define ASHLAR_TOOLS_BENCH_THREADS_H_

#include <chrono>
#include <latch>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "tools/bench/engine.h"

namespace ashlar::bench {

// Calls load(i) in each thread. The threads begin together. The time is
// measured from then until the last one ends.
template <typename Load>
void TimeThreads(int threads, RunResult* result, Load load) {
  using Clock = std::chrono::steady_clock;
  const auto n = static_cast<size_t>(threads);
  std::vector<double> seconds(n);
  const auto timed = [&](size_t i) {
    const auto begin = Clock::now();
    load(i);
    seconds[i] = std::chrono::duration<double>(Clock::now() - begin).count();
  };
  if (n == 1) {
    const Stopwatch watch;
    timed(0);
    result->measured = watch.Stop();
  } else {
    std::latch ready(threads);
    std::latch start(1);
    std::vector<std::jthread> all;
    for (size_t i = 0; i < n; ++i) {
      all.emplace_back([&, i] {
        ready.count_down();
        start.wait();
        timed(i);
      });
    }
    ready.wait();
    const Stopwatch watch(Stopwatch::Load::kManyThreads);
    start.count_down();
    for (std::jthread& thread : all) thread.join();
    result->measured = watch.Stop();
  }
  for (const double s : seconds) result->thread_seconds += s / threads;
}

inline uint64_t AllocationsSoFar(const BenchOptions& options) {
  return options.count_allocations == nullptr ? 0 : options.count_allocations();
}

// Calls read(reads, seed, RunResult*), which returns a status with ok(), in
// each thread.
template <typename Read>
auto RunThreads(const BenchOptions& options, RunResult* result, Read read) {
  using Outcome = decltype(read(0, 0, result));
  const auto n = static_cast<size_t>(options.threads);
  const uint64_t each = options.num_reads() / n;
  std::vector<RunResult> parts(n);
  std::vector<Outcome> outcomes(n);
  TimeThreads(options.threads, result, [&](size_t i) {
    const uint64_t before = AllocationsSoFar(options);
    outcomes[i] = read(each, options.workload.seed + 7 + i, &parts[i]);
    parts[i].allocations = AllocationsSoFar(options) - before;
  });
  result->operations = each * n;
  Outcome first = outcomes[0];
  for (size_t i = 0; i < n; ++i) {
    result->found += parts[i].found;
    result->bytes += parts[i].bytes;
    result->allocations += parts[i].allocations;
    result->latencies.Merge(parts[i].latencies);
    if (!outcomes[i].ok()) first = outcomes[i];
  }
  return first;
}

// Limits the rate of a writer, which reports what it wrote, and then waits.
class WritePace {
 public:
  WritePace(uint64_t bytes_per_second, std::stop_token stop)
      : bytes_per_second_(bytes_per_second), stop_(std::move(stop)) {}

  // To be called between entries. Returns false when the readers have ended.
  bool Wrote(uint64_t bytes) {
    bytes_ += bytes;
    burst_ += bytes;
    if (burst_ < kBurstBytes) return true;
    burst_ = 0;
    const auto due = begin_ + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(
                                      static_cast<double>(bytes_) /
                                      static_cast<double>(bytes_per_second_)));
    constexpr std::chrono::milliseconds kNap(2);
    while (!stop_.stop_requested() && Clock::now() < due) {
      std::this_thread::sleep_for(kNap);
    }
    return !stop_.stop_requested();
  }
  uint64_t bytes() const { return bytes_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr uint64_t kBurstBytes = uint64_t{32} << 10;
  const uint64_t bytes_per_second_;
  const std::stop_token stop_;
  const Clock::time_point begin_ = Clock::now();
  uint64_t bytes_ = 0;
  uint64_t burst_ = 0;
};

// Calls RunThreads next to a writer. build(WritePace*) builds a table, is
// called again and again, and returns a status with ok().
template <typename Read, typename Build>
auto RunThreadsBesideWriter(const BenchOptions& options, RunResult* result,
                            Read read, Build build) {
  decltype(build(nullptr)) built;
  std::jthread writer([&](const std::stop_token& stop) {
    WritePace pace(options.write_rate, stop);
    do {
      built = build(&pace);
    } while (built.ok() && !stop.stop_requested());
    result->written_bytes = pace.bytes();
  });
  auto status = RunThreads(options, result, read);
  writer.request_stop();
  writer.join();
  return status.ok() ? built : status;
}

// A thread that calls a function again and again, with pauses, until this is
// destroyed. It calls it once even if the thread begins after that.
class Repeating {
 public:
  template <typename Call>
  Repeating(std::chrono::milliseconds pause, Call call)
      : thread_([pause, call](const std::stop_token& stop) {
          constexpr std::chrono::milliseconds kNap(1);
          auto next = std::chrono::steady_clock::now();
          do {
            if (std::chrono::steady_clock::now() >= next) {
              call();
              next = std::chrono::steady_clock::now() + pause;
            }
            std::this_thread::sleep_for(kNap);
          } while (!stop.stop_requested());
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_THREADS_H_
