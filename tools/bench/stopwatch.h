// Stopwatch: measures wall time, CPU time and peak memory, and whether
// something else disturbed the run.
#ifndef ASHLAR_TOOLS_BENCH_STOPWATCH_H_
#define ASHLAR_TOOLS_BENCH_STOPWATCH_H_

#include <cstdint>

namespace ashlar::bench {

struct Measurement {
  double seconds = 0;
  double cpu_seconds = 0;
  // The largest resident size of the process during the run.
  uint64_t peak_bytes = 0;
  // The time that others took. For one thread, it is the time that the thread
  // was ready to run and did not. Several threads also wait for each other. So
  // for several threads, it is the time per CPU that other processes ran.
  // stolen_seconds is the time that the host took from the machine.
  double lost_seconds = 0;
  double stolen_seconds = 0;

  // Returns whether more than 3 % of the time was lost to others.
  bool disturbed() const {
    constexpr double kTolerated = 0.03;
    return lost_seconds + stolen_seconds > kTolerated * seconds;
  }
};

class Stopwatch {
 public:
  enum class Load : uint8_t { kOneThread, kManyThreads };

  // Starts to measure, and resets the process's peak memory.
  explicit Stopwatch(Load load = Load::kOneThread);
  Measurement Stop() const;

 private:
  const Load load_;
  double wall_;
  double cpu_;
  double lost_;
  double stolen_;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_STOPWATCH_H_
