// Tests MultiGetFromTables without memory. Each allocation fails once, and then
// all allocations from each one on. Every key gets its answer or MemoryLimit.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/multi_table_get.h"
#include "test/support/random_levels.h"
#include "test/support/scarcity.h"

namespace ashlar::testing {
namespace {

class ScarceTables {
 public:
  ScarceTables(uint64_t seed, bool cached) : random_(seed), made_(&random_) {
    for (int i = 0; i < 70; ++i) keys_.push_back(made_.AnyKey(&random_));
    for (const std::string& key : keys_) {
      slices_.emplace_back(key);
      expected_.push_back(
          made_.Expected(key, kMaxSequenceNumber, Slice(), false));
    }
    results_.resize(keys_.size());
    statuses_.resize(keys_.size());
    operands_.resize(keys_.size());
    ReaderOptions options;
    options.comparator = &made_.comparator();
    options.cache_index_and_filter_blocks = cached;
    for (const RandomLevels::Level& level : made_.levels()) {
      std::vector<TableRange>& of_level = ranges_.emplace_back();
      for (const RandomLevels::Table& table : level.tables) {
        if (cached)
          options.block_cache = NewLruCache({.capacity = 3000}).value();
        readers_.push_back(OpenTable(table.bytes, options));
        of_level.push_back({readers_.back().get(), table.smallest,
                            table.largest, table.excludes_largest});
      }
      levels_.push_back({of_level, level.sorted});
    }
  }

  // Returns the first error.
  Status Run() {
    FailingMemory::Hold();
    for (auto& of_key : operands_) of_key.clear();
    FailingMemory::Resume();
    MultiGetFromTables(ReadOptions(), levels_, slices_, kMaxSequenceNumber,
                       results_, statuses_,
                       [&](size_t k, const Slice& operand, SequenceNumber) {
                         FailingMemory::Hold();
                         operands_[k].push_back(operand.ToString());
                         FailingMemory::Resume();
                         return true;
                       });
    FailingMemory::Hold();
    Status first;
    for (size_t k = 0; k < keys_.size(); ++k) {
      if (!statuses_[k].ok()) {
        EXPECT_TRUE(statuses_[k].IsMemoryLimit()) << statuses_[k].ToString();
        EXPECT_EQ(results_[k].state, GetResult::State::kNotFound);
        if (first.ok()) first = statuses_[k];
        continue;
      }
      EXPECT_EQ(results_[k].state, expected_[k].state) << keys_[k];
      EXPECT_EQ(operands_[k], expected_[k].operands);
      if (results_[k].state == GetResult::State::kFound) {
        EXPECT_EQ(results_[k].value.ToString(), expected_[k].value);
      }
    }
    FailingMemory::Resume();
    return first;
  }

 private:
  Random random_;
  const RandomLevels made_;
  std::vector<std::string> keys_;
  std::vector<Slice> slices_;
  std::vector<LevelsAnswer> expected_;
  std::vector<std::unique_ptr<TableReader>> readers_;
  std::vector<std::vector<TableRange>> ranges_;
  std::vector<TableLevel> levels_;
  std::vector<GetResult> results_;
  std::vector<Status> statuses_;
  std::vector<std::vector<std::string>> operands_;
};

TEST(ScarceTables, EveryKeyGetsItsAnswerOrMemoryLimit) {
  uint64_t failures = 0;
  for (const bool cached : {false, true}) {
    ForEachSeed(1, 12, [&](uint64_t seed) {
      ScarceTables tables(seed, cached);
      failures +=
          ForEachFailure([&] { return tables.Run(); }, [] {}, 3).failures;
    });
  }
  EXPECT_GT(failures, 50u);
}

}  // namespace
}  // namespace ashlar::testing
