// What a line of progress says of work in several parts.
#include "tools/ashlar/print/progress.h"

#include <gtest/gtest.h>

namespace ashlar::tool {
namespace {

TEST(PartTimes, OnePartAlone) {
  PartTimes times;
  EXPECT_FALSE(times.Left(0.5, 1).has_value());
  times.Begin(1, 0);
  EXPECT_FALSE(times.Left(0, 0).has_value());
  EXPECT_DOUBLE_EQ(*times.Left(0.25, 10), 30);
  EXPECT_DOUBLE_EQ(*times.Left(1, 40), 0);
}

TEST(PartTimes, PartsToComeTakeTheAverage) {
  PartTimes times;
  times.Begin(4, 0);
  // This part takes 20 seconds in all, and so do the three others.
  EXPECT_DOUBLE_EQ(*times.Left(0.5, 10), 10 + 3 * 20);
  times.Begin(4, 20);
  // Nothing tells yet how fast the second part is.
  EXPECT_DOUBLE_EQ(*times.Left(0, 20), 3 * 20);
  // It takes 40: the average is 30.
  EXPECT_DOUBLE_EQ(*times.Left(0.5, 40), 20 + 2 * 30);
  EXPECT_EQ(times.done(), 1U);
  times.Begin(4, 60);
  times.Begin(4, 61);
  // The last part takes as long as it does, whatever the others took.
  EXPECT_DOUBLE_EQ(*times.Left(0.1, 62), 9);
}

TEST(PartTimes, MorePartsThanWereSaid) {
  PartTimes times;
  times.Begin(1, 0);
  times.Begin(1, 8);
  EXPECT_DOUBLE_EQ(*times.Left(0.5, 10), 2);
}

TEST(ProgressLine, NamesThePart) {
  ProgressState state;
  state.path = "a.sst";
  state.percent = 40;
  state.done = 400'000'000;
  state.total = 1'000'000'000;
  state.seconds = 10;
  state.what = "ZSTD level 3";
  state.seconds_left = 75;
  EXPECT_EQ(ProgressLine(state, 100),
            "a.sst: ZSTD level 3: 40 % [########............] 400.0 of 1000.0 "
            "MB, 40 MB/s, 1:15 left");
  EXPECT_EQ(ProgressLine(state, 25), "a.sst: ZSTD level 3: 40 %");
  EXPECT_EQ(ProgressLine(state, 24), "a.sst: 40 %");
  state.seconds_left.reset();
  EXPECT_EQ(ProgressLine(state, 60),
            "a.sst: ZSTD level 3: 40 % [####......], 40 MB/s");
}

}  // namespace
}  // namespace ashlar::tool
