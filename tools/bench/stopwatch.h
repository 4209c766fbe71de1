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
  // Time this thread was ready to run and did not, and time that the host took
  // from the machine.
  double waited_seconds = 0;
  double stolen_seconds = 0;

  // More than 3 % of the time lost to others.
  bool disturbed() const {
    constexpr double kTolerated = 0.03;
    return waited_seconds + stolen_seconds > kTolerated * seconds;
  }
};

class Stopwatch {
 public:
  // Starts at once; resets the process's peak memory.
  Stopwatch();
  Measurement Stop() const;

 private:
  double wall_;
  double cpu_;
  double waited_;
  double stolen_;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_STOPWATCH_H_
