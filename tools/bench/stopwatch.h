// Stopwatch: wall time, CPU time, peak memory, and whether something else got
// in the way.
#ifndef ASHLAR_TOOLS_BENCH_STOPWATCH_H_
#define ASHLAR_TOOLS_BENCH_STOPWATCH_H_

#include <cstdint>

namespace ashlar::bench {

struct Measurement {
  double seconds = 0;
  double cpu_seconds = 0;
  // Largest resident size of the process during the run.
  uint64_t peak_bytes = 0;
  // Time that others had: of one thread, how long it was ready to run and did
  // not; of many, which wait for each other too, how long other processes ran,
  // a CPU. And time that the host took from the machine.
  double lost_seconds = 0;
  double stolen_seconds = 0;

  // More than 3 % of the time lost to others.
  bool disturbed() const {
    constexpr double kTolerated = 0.03;
    return lost_seconds + stolen_seconds > kTolerated * seconds;
  }
};

class Stopwatch {
 public:
  enum class Load : uint8_t { kOneThread, kManyThreads };

  // Starts at once; resets the process's peak memory.
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
