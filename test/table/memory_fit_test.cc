// Tests filters whose sizes fit the sizes in which an allocator gives memory:
// which sizes these are, and that the rate of false positives stays the same.

#include "table/filter/memory_fit.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "table/filter/filter_bits.h"
#include "test/support/random.h"
#include "test/support/resign.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using internal::Buffer;
using internal::FilterBitsBuilder;
using internal::FilterBitsReader;
using internal::PieceOfAtLeast;
using internal::PieceOfAtMost;

constexpr uint64_t kTrailerBytes = 5;

TEST(MemoryFit, PiecesAreAQuarterOfAPowerOfTwoApart) {
  const std::vector<uint64_t> pieces = {128, 160, 192, 224, 256,
                                        320, 384, 448, 512, 640};
  for (size_t i = 0; i + 1 < pieces.size(); ++i) {
    EXPECT_EQ(PieceOfAtLeast(pieces[i]), pieces[i]);
    EXPECT_EQ(PieceOfAtMost(pieces[i]), pieces[i]);
    EXPECT_EQ(PieceOfAtLeast(pieces[i] + 1), pieces[i + 1]);
    EXPECT_EQ(PieceOfAtMost(pieces[i + 1] - 1), pieces[i]);
  }
  EXPECT_EQ(PieceOfAtLeast(1), 128u);
  EXPECT_EQ(PieceOfAtLeast((uint64_t{5} << 20) + 1), uint64_t{6} << 20);
}

// The results of building several filters with n keys each. `rate` is the
// number of false positives in a million.
struct Outcome {
  double rate = 0;
  uint64_t bytes = 0;
  std::vector<uint64_t> sizes;
};

Outcome BuildMany(FilterType type, uint64_t n, int count, bool fit) {
  constexpr uint64_t kStrangers = 20000;
  Random random(17);
  FilterBitsBuilder builder(type, 10, fit);
  Outcome outcome;
  uint64_t passed = 0;
  for (int i = 0; i < count; ++i) {
    std::vector<uint64_t> hashes(n);
    for (uint64_t& hash : hashes) builder.Add(hash = random.Next());
    Buffer payload;
    EXPECT_TRUE(builder.Finish(&payload).ok());
    const FilterBitsReader reader(payload.slice());
    for (const uint64_t hash : hashes) EXPECT_TRUE(reader.MayMatch(hash));
    for (uint64_t s = 0; s < kStrangers; ++s) {
      passed += reader.MayMatch(random.Next()) ? 1 : 0;
    }
    outcome.bytes += payload.size();
    outcome.sizes.push_back(payload.size());
  }
  outcome.rate = static_cast<double>(passed) * 1e6 /
                 static_cast<double>(kStrangers * static_cast<uint64_t>(count));
  return outcome;
}

TEST(MemoryFit, SizesFillPiecesAndRatesStay) {
  for (const FilterType type : {FilterType::kBloom, FilterType::kRibbon}) {
    const uint64_t slack = type == FilterType::kBloom ? 64 : 16;
    for (const uint64_t n : {2500u, 2950u, 3300u}) {
      const Outcome plain = BuildMany(type, n, 30, false);
      const Outcome fitted = BuildMany(type, n, 30, true);
      SCOPED_TRACE(n);
      bool any_smaller = false;
      for (size_t i = 0; i < fitted.sizes.size(); ++i) {
        const uint64_t piece =
            PieceOfAtMost(fitted.sizes[i] + kTrailerBytes + slack);
        EXPECT_LE(fitted.sizes[i] + kTrailerBytes, piece);
        any_smaller = any_smaller || fitted.sizes[i] < plain.sizes[i];
      }
      EXPECT_GE(fitted.sizes[0], plain.sizes[0]);
      EXPECT_TRUE(any_smaller);
      EXPECT_LT(fitted.rate, plain.rate * 1.1);
    }
  }
}

// An allocator gives less memory for fitted filters than for others.
TEST(MemoryFit, SavesMemory) {
  const auto handed_out = [](const Outcome& outcome) {
    uint64_t bytes = 0;
    for (const uint64_t size : outcome.sizes) {
      bytes += PieceOfAtLeast(size + kTrailerBytes);
    }
    return bytes;
  };
  uint64_t plain = 0;
  uint64_t fitted = 0;
  for (uint64_t n = 2000; n < 4000; n += 130) {
    plain += handed_out(BuildMany(FilterType::kBloom, n, 10, false));
    fitted += handed_out(BuildMany(FilterType::kBloom, n, 10, true));
  }
  EXPECT_LT(static_cast<double>(fitted), 0.95 * static_cast<double>(plain));
}

TEST(MemoryFit, TablesOfEqualInputAreEqual) {
  TableOptions options;
  options.optimize_filters_for_memory = true;
  options.index_type = IndexType::kTwoLevelIndexSearch;
  options.partition_filters = true;
  options.block_size = 300;
  const std::vector<Entry> entries = SomeEntries(20000);
  const std::string table = BuildTable(options, entries);
  BuildOptions build = FixedBuild();
  build.workers = 2;
  EXPECT_TRUE(BuildTable(options, entries, build) == table);
  const auto reader = OpenTable(table);
  for (size_t i = 0; i < entries.size(); i += 100) {
    GetResult result;
    Require(reader->Get(UserKeyOf(entries[i].key), &result));
    ASSERT_EQ(result.filter, GetResult::Filter::kMaybe);
    ASSERT_EQ(result.state, GetResult::State::kFound);
  }
  TableInspection inspection;
  Require(InspectTable(*NewMemoryFile("t", table), {}, &inspection));
  EXPECT_TRUE(inspection.faults.empty());
  options.optimize_filters_for_memory = false;
  EXPECT_FALSE(BuildTable(options, entries) == table);
}

}  // namespace
}  // namespace ashlar::testing
