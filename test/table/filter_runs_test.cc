// Tests that FilterRuns asks each partition of a filter once, and then knows
// what asking all partitions about each key would have answered.

#include "table/inspect/filter_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "test/support/random.h"

namespace ashlar::testing {
namespace {

using internal::FilterRuns;

// Compares with the answers of asking each partition.
TEST(FilterRuns, PartsAreAskedOnce) {
  constexpr size_t kParts = 400;
  Random random(19);
  std::vector<std::string> ends;
  for (size_t i = 0; i < kParts; ++i) {
    ends.push_back(std::to_string(1000 + i / 7));
  }
  std::vector<std::pair<size_t, std::string>> unknown;
  for (size_t i = 0; i < kParts; i += 23 + random.Below(40)) {
    unknown.push_back({i, ends[i]});
    unknown.push_back({i + 1, ends[i].substr(0, 3)});
  }
  const auto knows = [&](size_t i, const std::string& asked) {
    return std::find(unknown.begin(), unknown.end(),
                     std::make_pair(i, asked)) == unknown.end();
  };
  size_t questions = 0;
  FilterRuns runs;
  for (size_t i = 0; i < kParts; ++i) {
    runs.Add(Slice(ends[i]), Slice(ends[i].data(), 3), true,
             [&](const Slice& asked) {
               ++questions;
               return knows(i, asked.ToString());
             });
  }
  EXPECT_EQ(questions, 2 * kParts);
  size_t denied = 0;
  for (size_t first = 0; first < kParts; ++first) {
    for (size_t end = first + 1; end <= kParts; ++end) {
      for (const size_t bytes : {3u, 4u}) {
        const std::string asked = ends[end - 1].substr(0, bytes);
        std::optional<bool> expected = true;
        for (size_t i = first; i < end && expected.has_value(); ++i) {
          expected = ends[i].starts_with(asked)
                         ? std::optional(*expected && knows(i, asked))
                         : std::nullopt;
        }
        const std::optional<bool> found =
            bytes == 3 ? runs.KnowPrefix(asked, first, end)
                       : runs.KnowKey(asked, first, end);
        ASSERT_EQ(found, expected) << first << " " << end;
        denied += found == false ? 1 : 0;
      }
    }
  }
  EXPECT_GT(denied, 10u);
  EXPECT_EQ(runs.FirstBefore(kParts, "105"), 50 * size_t{7});
  EXPECT_EQ(runs.FirstBefore(kParts, "104"), kParts);
  EXPECT_EQ(runs.FirstBefore(0, "100"), 0u);
}

}  // namespace
}  // namespace ashlar::testing
