// Tests MergeOperand::Pin: operands outlive the read and the reader, whatever
// becomes of the rest.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/multi_table_get.h"
#include "ashlar/table/table_reader.h"
#include "test/support/faulty_file.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// What a read has found of a key.
struct Found {
  std::vector<PinnableSlice> operands;
  GetResult result;
};

void Compare(const Found& found, const ModelAnswer& expected) {
  ASSERT_EQ(found.operands.size(), expected.operands.size());
  for (size_t i = 0; i < found.operands.size(); ++i) {
    ASSERT_EQ(found.operands[i].ToString(), expected.operands[i]);
  }
  ASSERT_EQ(found.result.state, expected.state);
  ASSERT_EQ(found.result.value.ToString(), expected.value);
}

// Some keys have many operands, over several blocks.
std::vector<Entry> EntriesWithOperands(Random* random) {
  std::vector<Entry> entries;
  for (int key = 0; key < 30; ++key) {
    const std::string name = "key" + std::to_string(100 + key);
    SequenceNumber sequence = 200;
    for (uint64_t n = random->Below(12); n > 0; --n) {
      entries.push_back(
          Operand(name, --sequence, random->Text(random->Below(80))));
    }
    if (random->OneIn(2)) {
      entries.push_back(random->OneIn(3)
                            ? Deletion(name, --sequence)
                            : Value(name, --sequence, random->Text(50)));
    }
  }
  return entries;
}

TEST(MergeOperandPins, OutliveTheReader) {
  ForEachSeed(1, 300, [&](uint64_t seed) {
    Random random(seed);
    TableOptions options;
    options.block_size = random.Between(50, 600);
    if (random.OneIn(2)) options.compression = CompressionType::kNoCompression;
    const Model model(BytewiseComparator(), EntriesWithOperands(&random));
    if (model.entries().empty()) return;
    ReaderOptions reader_options;
    reader_options.block_cache = AnyBlockCache(random.Next());
    auto reader =
        OpenTable(BuildTable(options, model.entries()), reader_options);
    std::vector<std::string> keys;
    keys.reserve(30);
    for (int key = 0; key < 30; ++key) {
      keys.push_back("key" + std::to_string(100 + key));
    }
    const std::vector<Slice> slices(keys.begin(), keys.end());
    // By Get, by MultiGet and by MultiGet of several tables.
    for (int way = 0; way < 3; ++way) {
      std::vector<Found> found(keys.size());
      std::vector<GetResult> results(keys.size());
      std::vector<Status> statuses(keys.size());
      const BatchOperandCallback take =
          [&](size_t k, const MergeOperand& operand, SequenceNumber) {
            operand.Pin(&found[k].operands.emplace_back());
            return true;
          };
      if (way == 0) {
        for (size_t k = 0; k < keys.size(); ++k) {
          statuses[k] =
              reader->Get({}, keys[k], kMaxSequenceNumber, &results[k],
                          [&](const MergeOperand& operand, SequenceNumber s) {
                            return take(k, operand, s);
                          });
        }
      } else if (way == 1) {
        reader->MultiGet({}, slices, kMaxSequenceNumber, results, statuses,
                         take);
      } else {
        const TableRange table{reader.get(), "key", "kez"};
        const TableLevel level{{&table, 1}, true};
        MultiGetFromTables({}, {&level, 1}, slices, kMaxSequenceNumber, results,
                           statuses, take);
        reader.reset();
      }
      for (size_t k = 0; k < keys.size(); ++k) {
        Require(statuses[k]);
        found[k].result = std::move(results[k]);
      }
      for (size_t k = 0; k < keys.size(); ++k) {
        Compare(found[k], model.Get(keys[k], kMaxSequenceNumber));
        // Any order of release is fine.
        if (random.OneIn(2)) found[k].result.Reset();
        if (random.OneIn(2)) found[k].operands.clear();
      }
    }
  });
}

// Operands that were pinned before an error of the read stay what they are.
TEST(MergeOperandPins, OutliveAnError) {
  TableOptions options;
  options.block_size = 50;
  std::vector<Entry> entries;
  for (size_t i = 0; i < 20; ++i) {
    entries.push_back(Operand("key", 100 - i, std::string(40, 'a' + i % 20)));
  }
  FaultPlan plan;
  const auto reader =
      std::move(TableReader::Open(
                    NewFaultyFile("t.sst", BuildTable(options, entries), &plan))
                    .value());
  GetResult result;
  Require(reader->Get({}, "key", kMaxSequenceNumber, &result,
                      [](const Slice&, SequenceNumber) { return true; }));
  plan.fail_at = plan.operations + 5;
  std::vector<PinnableSlice> operands;
  EXPECT_TRUE(reader
                  ->Get({}, "key", kMaxSequenceNumber, &result,
                        [&](const MergeOperand& operand, SequenceNumber) {
                          operand.Pin(&operands.emplace_back());
                          return true;
                        })
                  .IsIOError());
  EXPECT_FALSE(operands.empty());
  for (size_t i = 0; i < operands.size(); ++i) {
    EXPECT_EQ(operands[i].ToString(), entries[i].value);
  }
}

// The pins hold their blocks in the cache, and no others.
TEST(MergeOperandPins, HoldTheirBlocks) {
  TableOptions options;
  options.block_size = 200;
  std::vector<Entry> entries;
  for (size_t i = 0; i < 8; ++i) {
    entries.push_back(Operand("key", 100 - i, std::string(20, 'x')));
  }
  ReaderOptions reader_options;
  reader_options.block_cache =
      std::move(NewLruCache({.capacity = size_t{1} << 20})).value();
  const Cache& cache = *reader_options.block_cache;
  const auto reader = OpenTable(BuildTable(options, entries), reader_options);
  GetResult result;
  std::vector<PinnableSlice> operands;
  Require(reader->Get({}, "key", kMaxSequenceNumber, &result,
                      [&](const MergeOperand& operand, SequenceNumber) {
                        operand.Pin(&operands.emplace_back());
                        return true;
                      }));
  EXPECT_EQ(result.state, GetResult::State::kMerged);
  EXPECT_GT(cache.GetPinnedUsage(), 0u);
  while (operands.size() > 1) operands.pop_back();
  EXPECT_GT(cache.GetPinnedUsage(), 0u);
  operands.clear();
  EXPECT_EQ(cache.GetPinnedUsage(), 0u);
}

}  // namespace
}  // namespace ashlar::testing
