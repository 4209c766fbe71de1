// Threads that call MultiGetFromTables at once, over the same tables with one
// small cache. They claim blocks of several tables at a time, and wait for each
// other's. Every answer is that of the model, and no thread waits for ever.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/multi_table_get.h"
#include "test/support/random_levels.h"
#include "test/support/run_together.h"

namespace ashlar::testing {
namespace {

struct SharedLevels {
  SharedLevels(const RandomLevels& made, const ReaderOptions& options) {
    for (const RandomLevels::Level& level : made.levels()) {
      std::vector<TableRange>& of_level = ranges.emplace_back();
      for (const RandomLevels::Table& table : level.tables) {
        readers.push_back(OpenTable(table.bytes, options));
        of_level.push_back({readers.back().get(), table.smallest, table.largest,
                            table.excludes_largest});
      }
      levels.push_back({of_level, level.sorted});
    }
  }

  std::vector<std::unique_ptr<TableReader>> readers;
  std::vector<std::vector<TableRange>> ranges;
  std::vector<TableLevel> levels;
};

std::string Check(const RandomLevels& made, const SharedLevels& shared,
                  Random* random) {
  std::vector<std::string> keys(random->Between(1, 100));
  std::vector<Slice> slices;
  slices.reserve(keys.size());
  for (std::string& key : keys) slices.emplace_back(key = made.AnyKey(random));
  std::vector<GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  std::vector<std::vector<std::string>> operands(keys.size());
  const SequenceNumber snapshot = random->Below(made.last_sequence() + 2);
  MultiGetFromTables(ReadOptions(), shared.levels, slices, snapshot, results,
                     statuses,
                     [&](size_t k, const Slice& operand, SequenceNumber) {
                       operands[k].push_back(operand.ToString());
                       return true;
                     });
  for (size_t k = 0; k < keys.size(); ++k) {
    if (!statuses[k].ok()) return statuses[k].ToString();
    const LevelsAnswer expected =
        made.Expected(keys[k], snapshot, Slice(), false);
    if (results[k].state != expected.state ||
        operands[k] != expected.operands ||
        (expected.state == GetResult::State::kFound &&
         results[k].value.ToString() != expected.value)) {
      return "wrong answer for " + keys[k];
    }
  }
  return "";
}

TEST(MultiTableGetConcurrency, ThreadsShareTablesAndCache) {
  ForEachSeed(1, 12, [](uint64_t seed) {
    Random random(seed);
    const RandomLevels made(&random);
    constexpr size_t kCapacities[] = {0, 1000, 4000, 1 << 20};
    ReaderOptions options;
    options.comparator = &made.comparator();
    options.block_cache =
        NewHyperClockCache({.capacity = random.Pick(kCapacities),
                            .estimated_entry_charge = 300})
            .value();
    options.cache_index_and_filter_blocks = random.OneIn(2);
    const SharedLevels shared(made, options);
    RunTogether(4, [&](int thread) {
      Random mine(seed * 100 + static_cast<uint64_t>(thread));
      std::string complaint;
      for (int i = 0; i < 30 && complaint.empty(); ++i) {
        complaint = Check(made, shared, &mine);
      }
      return complaint;
    });
  });
}

}  // namespace
}  // namespace ashlar::testing
