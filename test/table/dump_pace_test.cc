// DumpPace: the rate is kept over many small pieces, and the time in which
// nothing is taken is not made up for.

#include "table/dump/dump_pace.h"

#include <gtest/gtest.h>

namespace ashlar::internal {
namespace {

// Moves only while the pace waits, or when the test says so.
class StillClock final : public CacheDumpClock {
 public:
  uint64_t NowMicros() override { return now; }
  void SleepForMicroseconds(uint64_t micros) override { now += micros; }
  uint64_t now = 1'000'000;
};

void TakeMany(DumpPace* pace, uint64_t times, uint64_t bytes) {
  std::optional<CacheDumpEnd> end;
  for (uint64_t i = 0; i < times; ++i) {
    ASSERT_TRUE(pace->Take(bytes, &end).ok());
    ASSERT_FALSE(end.has_value());
  }
}

uint64_t MicrosFor(uint64_t rate, uint64_t times, uint64_t bytes) {
  StillClock clock;
  const uint64_t began_at = clock.now;
  CacheDumpLimits limits;
  limits.rate_bytes_per_sec = rate;
  limits.clock = &clock;
  DumpPace pace(limits);
  TakeMany(&pace, times, bytes);
  return clock.now - began_at;
}

TEST(DumpPace, PartsOfAMicrosecondAddUp) {
  // 0.8, 1.6 and 0.001 microseconds each.
  EXPECT_NEAR(MicrosFor(30'000'000, 100'000, 24), 80'000, 1);
  EXPECT_NEAR(MicrosFor(30'000'000, 100'000, 48), 160'000, 2);
  EXPECT_NEAR(MicrosFor(1'000'000'000, 100'000, 1), 100, 1);
}

TEST(DumpPace, PiecesOfWholeMicrosecondsTakeThose) {
  EXPECT_EQ(MicrosFor(1'000'000, 11, 5), 50u);
  EXPECT_EQ(MicrosFor(1, 2, 3), 3'000'000u);
}

TEST(DumpPace, RatesMayBeAsHighAsTheirTypeAllows) {
  EXPECT_EQ(MicrosFor(UINT64_MAX, 1'000, 1 << 20), 0u);
  EXPECT_NEAR(MicrosFor(UINT64_MAX, 5, uint64_t{1} << 63), 2'000'000, 2);
}

TEST(DumpPace, TimeInWhichNothingIsTakenIsNotMadeUpFor) {
  StillClock clock;
  CacheDumpLimits limits;
  limits.rate_bytes_per_sec = 30'000'000;
  limits.clock = &clock;
  DumpPace pace(limits);
  TakeMany(&pace, 1000, 24);
  clock.now += 1'000'000;
  const uint64_t began_at = clock.now;
  TakeMany(&pace, 1001, 24);
  EXPECT_NEAR(static_cast<double>(clock.now - began_at), 800, 1);
}

}  // namespace
}  // namespace ashlar::internal
