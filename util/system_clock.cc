#include "ashlar/util/system_clock.h"

#include "port/clock.h"

namespace ashlar {

namespace {

class OsClock final : public SystemClock {
 public:
  uint64_t NowMicros() override { return port::EpochMicros(); }
  uint64_t MonotonicMicros() override { return port::MonotonicMicros(); }
  void SleepForMicroseconds(uint64_t micros) override {
    port::SleepMicros(micros);
  }
};

}  // namespace

SystemClock::~SystemClock() = default;

SystemClock* SystemClock::Default() {
  // Never destroyed: threads may outlive main.
  static SystemClock* const clock = new OsClock;
  return clock;
}

}  // namespace ashlar
