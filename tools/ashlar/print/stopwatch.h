// Stopwatch: the elapsed time and the CPU time since it was made.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_STOPWATCH_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_STOPWATCH_H_

#include <time.h>

#include <cstdint>

namespace ashlar::tool {

struct Elapsed {
  uint64_t wall_micros = 0;
  uint64_t cpu_micros = 0;  // of all threads of the program
};

class Stopwatch {
 public:
  // Returns the elapsed time only, which is cheaper.
  uint64_t WallMicros() const {
    return Micros(CLOCK_MONOTONIC) - start_.wall_micros;
  }
  Elapsed Read() const {
    return {WallMicros(), Micros(CLOCK_PROCESS_CPUTIME_ID) - start_.cpu_micros};
  }

 private:
  static uint64_t Micros(clockid_t clock) {
    timespec now = {};
    clock_gettime(clock, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000 +
           static_cast<uint64_t>(now.tv_nsec) / 1000;
  }

  Elapsed start_ = {Micros(CLOCK_MONOTONIC), Micros(CLOCK_PROCESS_CPUTIME_ID)};
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_STOPWATCH_H_
