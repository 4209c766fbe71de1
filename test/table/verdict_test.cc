// Tests that a passing verdict of InspectTable holds. If it finds no fault,
// every reader reads the whole table, in both directions and by every key,
// without a cache and with one.
//
// The tables are mutants of small tables, with right checksums. This test runs
// a sample of them. ASHLAR_VERDICT_TABLES=<n> runs the mutants of n of our
// tables and of n / 4 files of other writers, 40 mutants of each: 2000 gives
// 100,000. A failure prints the seed of its table, and ASHLAR_TEST_SEED=<seed>
// runs it again.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "test/support/folder.h"
#include "test/support/random.h"
#include "test/support/small_table.h"
#include "test/support/table_mutant.h"
#include "test/support/tables.h"
#include "test/support/verdict_check.h"

namespace ashlar::testing {
namespace {

constexpr int kMutantsPerTable = 40;

uint64_t NumTables(uint64_t sample) {
  const char* const given = std::getenv("ASHLAR_VERDICT_TABLES");
  return given == nullptr ? sample : std::strtoull(given, nullptr, 0);
}

// Returns the files of the corpus that are small, sound, and readable with what
// is built in.
std::vector<std::string> SmallGoldenFiles() {
  constexpr uint64_t kMostBytes = 6000;
  std::istringstream lines(ReadFile(GoldenPath("golden.tsv")));
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(0, line.find('\t'));
    if (line.starts_with('#') || name == "r119-custom-codec.sst") continue;
    if (ReadFile(GoldenPath(name)).size() <= kMostBytes) names.push_back(name);
  }
  return names;
}

struct Counts {
  uint64_t mutants = 0;
  uint64_t passed = 0;
};

void CheckMutants(const SmallTable& table, uint64_t seed, Counts* counts) {
  const VerdictCheck sound = CheckVerdict(table.bytes);
  ASSERT_TRUE(sound.passes) << table.description << ": " << sound.fault;
  ASSERT_EQ(sound.broken_promise, "") << table.description;
  const TableMutator mutator(table.bytes);
  for (int i = 0; i < kMutantsPerTable; ++i) {
    Random random(seed * kMutantsPerTable + static_cast<uint64_t>(i));
    const TableMutant mutant = mutator.Mutate(&random);
    const VerdictCheck check = CheckVerdict(mutant.bytes);
    ++counts->mutants;
    counts->passed += check.passes ? 1 : 0;
    ASSERT_EQ(check.broken_promise, "")
        << "mutant " << i << " of a table of " << table.description << ": "
        << mutant.changes;
  }
}

void Print(const char* of, const Counts& counts) {
  std::printf("%s: %llu mutants, %llu of them passed\n", of,
              static_cast<unsigned long long>(counts.mutants),
              static_cast<unsigned long long>(counts.passed));
}

TEST(Verdict, HoldsForMutantsOfTables) {
  Counts counts;
  ForEachSeed(190200, NumTables(60), [&](uint64_t seed) {
    Random random(seed);
    CheckMutants(MakeSmallTable(&random), seed, &counts);
  });
  Print("tables", counts);
  // The test proves nothing unless some mutants pass and some fail.
  EXPECT_GT(counts.passed, counts.mutants / 50);
  EXPECT_LT(counts.passed, counts.mutants);
}

TEST(Verdict, HoldsForMutantsOfOtherWritersFiles) {
  const std::vector<std::string> names = SmallGoldenFiles();
  ASSERT_GT(names.size(), 40u);
  Counts counts;
  ForEachSeed(290000, NumTables(20) / 4 + 1, [&](uint64_t seed) {
    const std::string& name = names[seed % names.size()];
    CheckMutants({ReadFile(GoldenPath(name)), name}, seed, &counts);
  });
  Print("files of other writers", counts);
}

// The index has no data blocks, so the blocks that it stores in addition may
// have no bytes.
TEST(Verdict, RangeDeletionsAloneUnderEveryIndex) {
  using enum IndexType;
  for (const IndexType type : {kBinarySearch, kHashSearch, kTwoLevelIndexSearch,
                               kBinarySearchWithFirstKey}) {
    for (uint32_t version = 2; version <= 7; ++version) {
      TableOptions options;
      options.format_version = version;
      options.index_type = type;
      options.prefix_extractor = NewFixedPrefixExtractor(1);
      options.partition_filters = type == kTwoLevelIndexSearch;
      const VerdictCheck check =
          CheckVerdict(BuildTable(options, {RangeDeleted("a", 5, "d")}));
      EXPECT_TRUE(check.passes)
          << check.fault << ", index type " << static_cast<int>(type);
      EXPECT_EQ(check.broken_promise, "");
    }
  }
}

// The verdicts on the following files were once wrong.
TEST(Verdict, ARestartPointThatIsNoEntry) {
  const VerdictCheck check =
      CheckVerdict(ReadFile(GoldenPath("verdicts/restart.sst")));
  EXPECT_FALSE(check.passes);
  EXPECT_NE(check.fault.find("bad restart point in data block #0 offset 0 size "
                             "3551: number 3 is byte 2697, expected"),
            std::string::npos)
      << check.fault;
}

TEST(Verdict, ATopLevelOfAnIndexThatDoesNotFitTheKeys) {
  const VerdictCheck check =
      CheckVerdict(ReadFile(GoldenPath("verdicts/verify-misses.sst")));
  EXPECT_FALSE(check.passes);
  EXPECT_NE(check.fault.find("key on the wrong side of its index separator in "
                             "data block #6"),
            std::string::npos)
      << check.fault;
  EXPECT_TRUE(check.fault.ends_with(
      "is not larger than the separator of the index partition "
      "before it in the top-level index"))
      << check.fault;
}

TEST(Verdict, RangeDeletionsAloneUnderAHashSearchIndex) {
  const VerdictCheck check =
      CheckVerdict(ReadFile(GoldenPath("verdicts/rocksdb-rangedel-hash.sst")));
  EXPECT_TRUE(check.passes) << check.fault;
  EXPECT_EQ(check.broken_promise, "");
}

}  // namespace
}  // namespace ashlar::testing
