#include "tools/bench/stopwatch.h"

#include <unistd.h>

#include <ctime>
#include <fstream>
#include <string>

namespace ashlar::bench {

namespace {

double Seconds(clockid_t clock) {
  struct timespec t;
  ::clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

// Nanoseconds on the run queue are the second number of schedstat.
double WaitedSeconds() {
  std::ifstream file("/proc/thread-self/schedstat");
  double ran = 0;
  double waited = 0;
  file >> ran >> waited;
  return file ? waited / 1e9 : 0;
}

// Of all CPUs, in clock ticks: the eighth number behind "cpu".
double StolenSeconds() {
  std::ifstream file("/proc/stat");
  std::string word;
  file >> word;
  double ticks = 0;
  for (int i = 0; i < 8; ++i) file >> ticks;
  return file ? ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)) : 0;
}

uint64_t PeakBytes() {
  std::ifstream file("/proc/self/status");
  std::string word;
  while (file >> word) {
    if (word != "VmHWM:") continue;
    uint64_t kilobytes = 0;
    file >> kilobytes;
    return kilobytes << 10;
  }
  return 0;
}

void ResetPeak() {
  // 5: set the peak back to what is resident now.
  std::ofstream("/proc/self/clear_refs") << "5";
}

}  // namespace

Stopwatch::Stopwatch() {
  ResetPeak();
  waited_ = WaitedSeconds();
  stolen_ = StolenSeconds();
  cpu_ = Seconds(CLOCK_PROCESS_CPUTIME_ID);
  wall_ = Seconds(CLOCK_MONOTONIC);
}

Measurement Stopwatch::Stop() const {
  Measurement m;
  m.seconds = Seconds(CLOCK_MONOTONIC) - wall_;
  m.cpu_seconds = Seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_;
  m.waited_seconds = WaitedSeconds() - waited_;
  m.stolen_seconds = StolenSeconds() - stolen_;
  m.peak_bytes = PeakBytes();
  return m;
}

}  // namespace ashlar::bench
