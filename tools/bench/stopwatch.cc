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

// The second number of schedstat is the time on the run queue in nanoseconds.
double WaitedSeconds() {
  std::ifstream file("/proc/thread-self/schedstat");
  double ran = 0;
  double waited = 0;
  file >> ran >> waited;
  return file ? waited / 1e9 : 0;
}

// The times of all CPUs in seconds. The numbers in the line "cpu" are in clock
// ticks.
struct CpuTimes {
  double busy = 0;
  double stolen = 0;
};

CpuTimes AllCpus() {
  std::ifstream file("/proc/stat");
  std::string word;
  file >> word;
  double user = 0;
  double nice = 0;
  double system = 0;
  double idle = 0;
  double io_wait = 0;
  double interrupts = 0;
  double soft_interrupts = 0;
  double stolen = 0;
  file >> user >> nice >> system >> idle >> io_wait >> interrupts >>
      soft_interrupts >> stolen;
  if (!file) return {};
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return {(user + nice + system + interrupts + soft_interrupts) / ticks,
          stolen / ticks};
}

double OwnCpuSeconds() { return Seconds(CLOCK_PROCESS_CPUTIME_ID); }

// Returns the time of other processes per CPU.
double OthersSeconds() {
  const auto cpus = static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
  return (AllCpus().busy - OwnCpuSeconds()) / cpus;
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
  // 5 resets the peak to what is resident now.
  std::ofstream("/proc/self/clear_refs") << "5";
}

}  // namespace

Stopwatch::Stopwatch(Load load) : load_(load) {
  ResetPeak();
  lost_ = load_ == Load::kOneThread ? WaitedSeconds() : OthersSeconds();
  stolen_ = AllCpus().stolen;
  cpu_ = OwnCpuSeconds();
  wall_ = Seconds(CLOCK_MONOTONIC);
}

Measurement Stopwatch::Stop() const {
  Measurement m;
  m.seconds = Seconds(CLOCK_MONOTONIC) - wall_;
  m.cpu_seconds = OwnCpuSeconds() - cpu_;
  m.lost_seconds =
      (load_ == Load::kOneThread ? WaitedSeconds() : OthersSeconds()) - lost_;
  m.stolen_seconds = AllCpus().stolen - stolen_;
  m.peak_bytes = PeakBytes();
  return m;
}

}  // namespace ashlar::bench
