// Distances are those of a list of blocks, and an LRU cache of any size hits
// exactly what they say.

#include "tools/replay/reuse_distances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "test/support/random.h"

namespace ashlar::sim {

namespace {

// All blocks, the last used one first, with their sizes.
class NaiveDistances {
 public:
  std::optional<uint64_t> Look(uint32_t block, uint64_t bytes) const {
    uint64_t sum = bytes;
    for (const auto& [other, size] : list_) {
      if (other == block) return sum;
      sum += size;
    }
    return std::nullopt;
  }
  std::optional<uint64_t> Use(uint32_t block, uint64_t bytes) {
    const auto distance = Look(block, bytes);
    list_.remove_if([&](const auto& each) { return each.first == block; });
    list_.emplace_front(block, bytes);
    return distance;
  }

 private:
  std::list<std::pair<uint32_t, uint64_t>> list_;
};

TEST(ReuseDistances, AreThoseOfAList) {
  testing::ForEachSeed(1, 5, [](uint64_t seed) {
    testing::Random random(seed);
    ReuseDistances distances;
    NaiveDistances naive;
    // More uses than there are places at first, so they are given again.
    for (int i = 0; i < 6000; ++i) {
      // Some blocks come much more often.
      const auto block =
          static_cast<uint32_t>(random.Below(random.Below(4) == 0 ? 700 : 20));
      const uint64_t bytes = 1 + random.Below(5000);
      if (random.Below(5) == 0) {
        ASSERT_EQ(distances.Look(block, bytes), naive.Look(block, bytes)) << i;
      } else {
        ASSERT_EQ(distances.Use(block, bytes), naive.Use(block, bytes)) << i;
      }
    }
  });
}

TEST(ReuseDistances, BlocksMayComeInAnyOrder) {
  ReuseDistances distances;
  EXPECT_EQ(distances.Use(5, 10), std::nullopt);
  EXPECT_EQ(distances.Look(4, 10), std::nullopt);
  EXPECT_EQ(distances.Use(0, 1), std::nullopt);
  EXPECT_EQ(distances.Use(5, 10), 11U);
  EXPECT_EQ(distances.Use(5, 20), 20U);
  EXPECT_EQ(distances.Use(0, 1), 21U);
}

TEST(ReuseHistogram, ABinHasWhatIsAboveTheLastOneUpToItsLimit) {
  uint64_t below = 0;
  for (size_t bin = 0; bin < ReuseHistogram::kBins; ++bin) {
    const uint64_t limit = ReuseHistogram::LimitOf(bin);
    ASSERT_GT(limit, below);
    EXPECT_EQ(ReuseHistogram::BinOf(below + 1), bin);
    EXPECT_EQ(ReuseHistogram::BinOf(limit), bin);
    if (bin != 0) {
      EXPECT_LE(static_cast<double>(limit), 1.25 * static_cast<double>(below));
    }
    below = limit;
  }
  EXPECT_EQ(below, UINT64_MAX);
  EXPECT_EQ(ReuseHistogram::BinOf(0), 0U);
}

TEST(ReuseHistogram, CountsByKind) {
  ReuseHistogram histogram(2);
  EXPECT_EQ(histogram.begin_bin(), histogram.end_bin());
  histogram.Add(0, 100);
  histogram.Add(1, 100);
  histogram.Add(1, 5000);
  histogram.Add(1, std::nullopt);
  const size_t bin = ReuseHistogram::BinOf(100);
  EXPECT_EQ(histogram.CountOf(bin, 0), 1U);
  EXPECT_EQ(histogram.CountOf(bin, 1), 1U);
  EXPECT_EQ(histogram.CountIn(bin), 2U);
  EXPECT_EQ(histogram.first_uses(), 1U);
  EXPECT_EQ(histogram.accesses(), 4U);
  EXPECT_EQ(histogram.begin_bin(), bin);
  EXPECT_EQ(histogram.end_bin(), ReuseHistogram::BinOf(5000) + 1);
}

}  // namespace

}  // namespace ashlar::sim
