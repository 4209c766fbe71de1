// Tests ReadOptions::value_size_soft_limit against a model: keys in the
// caller's order, up to and with the one whose value exceeds the limit.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/multi_table_get.h"
#include "ashlar/table/table_reader.h"
#include "test/support/faulty_file.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using State = GetResult::State;

std::string KeyNumber(uint64_t i) {
  return "key" + std::to_string(1000 + i).substr(1);
}

// Every other key has a value, of any size.
std::vector<Entry> AnyValues(Random* random) {
  std::vector<Entry> entries;
  for (uint64_t i = 0; i < 400; i += 2) {
    entries.push_back(
        random->OneIn(10)
            ? Deletion(KeyNumber(i), 7)
            : Value(KeyNumber(i), 7,
                    random->Text(random->OneIn(8) ? 900 : random->Below(60))));
  }
  return entries;
}

TEST(ValueSizeLimit, EndsAtTheKeyThatExceedsIt) {
  uint64_t aborted = 0;
  ForEachSeed(1, 500, [&](uint64_t seed) {
    Random random(seed);
    TableOptions options;
    options.block_size = 300;
    FaultPlan plan;
    const auto reader = std::move(
        TableReader::Open(NewFaultyFile("t.sst",
                                        BuildTable(options, AnyValues(&random)),
                                        &plan))
            .value());
    std::vector<std::string> keys;
    for (uint64_t n = random.Between(1, 200); n > 0; --n) {
      keys.push_back(KeyNumber(random.Below(400)));
    }
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<GetResult> all(keys.size());
    std::vector<Status> statuses(keys.size());
    reader->MultiGet(slices, all, statuses);
    for (const Status& status : statuses) Require(status);

    ReadOptions limited;
    limited.value_size_soft_limit = random.Below(random.OneIn(2) ? 100 : 9000);
    std::vector<GetResult> some(keys.size());
    const uint64_t before = plan.operations;
    const bool from_tables = random.OneIn(2);
    if (from_tables) {
      const TableRange table{reader.get(), "key", "kez"};
      const TableLevel level{{&table, 1}, true};
      MultiGetFromTables(limited, {&level, 1}, slices, kMaxSequenceNumber, some,
                         statuses);
    } else {
      reader->MultiGet(limited, slices, kMaxSequenceNumber, some, statuses);
    }
    uint64_t bytes = 0;
    size_t last = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (bytes > limited.value_size_soft_limit) {
        ++aborted;
        ASSERT_TRUE(statuses[i].IsAborted()) << i;
        EXPECT_EQ(some[i].state, State::kNotFound);
        EXPECT_TRUE(some[i].value.empty());
        continue;
      }
      last = i;
      Require(statuses[i]);
      ASSERT_EQ(some[i].state, all[i].state) << i;
      EXPECT_EQ(some[i].value.ToString(), all[i].value.ToString());
      bytes += all[i].value.size();
    }
    // Nothing is read for chunks after the limit.
    const size_t chunk = from_tables ? 64 : 32;
    EXPECT_LE(plan.operations - before, (last / chunk + 1) * chunk);
  });
  EXPECT_GT(aborted, 10'000u);
}

// A key that failed after the limit is to be asked again like any other.
TEST(ValueSizeLimit, ErrorsBeforeItStay) {
  TableOptions options;
  options.block_size = 100;
  options.filter = FilterType::kNone;
  const std::vector<Entry> entries = {Value("a", 1, std::string(300, 'a')),
                                      Value("b", 1, std::string(300, 'b')),
                                      Value("c", 1, std::string(300, 'c'))};
  const std::vector<Slice> keys = {"a", "b", "c"};
  ReadOptions limited;
  for (const uint64_t limit : {uint64_t{299}, uint64_t{300}, uint64_t{600}}) {
    FaultPlan plan;
    const auto reader = std::move(
        TableReader::Open(
            NewFaultyFile("t.sst", BuildTable(options, entries), &plan))
            .value());
    std::vector<GetResult> results(3);
    std::vector<Status> statuses(3);
    reader->MultiGet(keys, results, statuses);
    limited.value_size_soft_limit = limit;
    plan.fail_at = plan.operations + 1;
    plan.persistent = true;
    reader->MultiGet(limited, keys, kMaxSequenceNumber, results, statuses);
    // Nothing is found, so the limit is not reached.
    for (const Status& status : statuses) EXPECT_TRUE(status.IsIOError());
    plan = {};
    reader->MultiGet(limited, keys, kMaxSequenceNumber, results, statuses);
    Require(statuses[0]);
    EXPECT_EQ(statuses[1].ok(), limit >= 300);
    EXPECT_EQ(statuses[2].ok(), limit >= 600);
  }
}

}  // namespace
}  // namespace ashlar::testing
