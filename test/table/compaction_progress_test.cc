// Progress of compactions, and compactions that are cancelled.

#include "ashlar/table/compaction_progress.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/table/merge_operator.h"
#include "test/support/map_source.h"
#include "test/support/memory_outputs.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr uint64_t kStep = CompactionIteratorOptions::kProgressBytes;
constexpr int kValueBytes = 100;

std::string Key(int i) { return "key" + std::to_string(10000 + i); }

Entry Of(ValueType type, const std::string& key, SequenceNumber sequence) {
  return {
      MakeInternalKey(key, sequence, type),
      type == ValueType::kTypeDeletion ? "" : std::string(kValueBytes, 'v')};
}

// Counts its moves, and cancels at one of them.
struct Moves {
  CompactionProgress* progress = nullptr;
  uint64_t cancel_at = 0;
  uint64_t moves = 0;
};

class CancellingSource final : public MapSource {
 public:
  CancellingSource(const EntryMap* map, Moves* moves)
      : MapSource(map), moves_(*moves) {}
  bool SeekToFirst(EntrySource::Entry* entry) override {
    Count();
    return MapSource::SeekToFirst(entry);
  }
  bool Next(EntrySource::Entry* entry) override {
    Count();
    return MapSource::Next(entry);
  }

 private:
  void Count() {
    if (++moves_.moves == moves_.cancel_at) moves_.progress->Cancel();
  }
  Moves& moves_;
};

// Kinds of entries that different loops take.
std::vector<Entry> Entries(const std::string& kind) {
  constexpr int kCount = 400;
  std::vector<Entry> entries;
  for (int i = 0; i < kCount; ++i) {
    if (kind == "kept") {
      entries.push_back(Of(ValueType::kTypeValue, Key(i), 1));
    } else if (kind == "hidden") {
      entries.push_back(Of(ValueType::kTypeValue, "key", 1 + i));
    } else if (kind == "under a deletion") {
      entries.push_back(
          Of(i + 1 == kCount ? ValueType::kTypeDeletion : ValueType::kTypeValue,
             "key", 1 + i));
    } else if (kind == "operands") {
      entries.push_back(Of(ValueType::kTypeMerge, "key", 1 + i));
    } else {
      entries.push_back(Of(ValueType::kTypeSingleDeletion, Key(i), 1));
      entries.back().value.clear();
    }
  }
  return entries;
}

class CompactionProgressTest : public ::testing::TestWithParam<const char*> {
 protected:
  CompactionProgressTest() : map_(MapOf(Entries(GetParam()))) {
    options_.iterator.bottommost = true;
    options_.iterator.merge_operator = merge_.get();
    options_.cutter.target_file_size = 10000;
    options_.build = FixedBuild();
  }

  Status Compact(Moves* moves, MemoryOutputs* outputs) {
    CompactionProgress progress;
    options_.progress = &progress;
    moves->progress = &progress;
    std::vector<CompactionMemory> memory(1);
    memory[0].entries = std::make_unique<CancellingSource>(&map_, moves);
    CompactionResult result;
    Status status =
        CompactTables(options_, {}, std::move(memory), outputs, &result);
    moves->progress = nullptr;
    const CompactionAmounts amounts = progress.Amounts();
    EXPECT_EQ(amounts.input_entries, result.counts.input_entries);
    EXPECT_EQ(amounts.outputs, outputs->files.size());
    return status;
  }

  std::shared_ptr<const MergeOperator> merge_ = NewStringAppendOperator();
  EntryMap map_;
  CompactionOptions options_;
};

TEST_P(CompactionProgressTest, StopsWithinABlockWhereverItIsCancelled) {
  Moves all;
  MemoryOutputs whole;
  ASSERT_TRUE(Compact(&all, &whole).ok());
  ASSERT_GT(all.moves, 300U);
  const uint64_t most =
      kStep / (map_.begin()->first.size() + map_.begin()->second.size());
  for (uint64_t n = 1; n < all.moves; n += 7) {
    SCOPED_TRACE(n);
    Moves moves;
    moves.cancel_at = n;
    MemoryOutputs outputs;
    const Status status = Compact(&moves, &outputs);
    EXPECT_TRUE(status.IsIncomplete()) << status.ToString();
    EXPECT_EQ(status.message(), "manual compaction paused");
    EXPECT_LE(moves.moves, n + most + 2);
    EXPECT_EQ(outputs.open, 0);
    ASSERT_LE(outputs.files.size(), whole.files.size());
    for (size_t i = 0; i < outputs.files.size(); ++i) {
      EXPECT_EQ(outputs.files[i].bytes, whole.files[i].bytes);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, CompactionProgressTest,
                         ::testing::Values("kept", "hidden", "under a deletion",
                                           "operands", "single deletions"));

struct TwoTables {
  TwoTables() {
    std::vector<Entry> older;
    std::vector<Entry> newer;
    for (int i = 0; i < 500; ++i) {
      older.push_back(Of(ValueType::kTypeValue, Key(i), 1 + i));
      if (i % 3 == 0) {
        newer.push_back(Of(ValueType::kTypeDeletion, Key(i), 1000 + i));
      }
    }
    const TableOptions table;
    readers.push_back(OpenTable(BuildTable(table, older)));
    readers.push_back(OpenTable(BuildTable(table, newer)));
    for (const auto& reader : readers) runs.push_back({{reader.get(), "", ""}});
  }
  std::vector<std::unique_ptr<TableReader>> readers;
  std::vector<CompactionRun> runs;
};

TEST(CompactionProgress, AmountsAreThoseOfInputsAndOutputs) {
  const TwoTables tables;
  CompactionProgress progress;
  CompactionOptions options;
  options.cutter.target_file_size = 5000;
  options.build = FixedBuild();
  options.progress = &progress;
  uint64_t calls = 0;
  CompactionAmounts last;
  options.iterator.on_progress = [&](const CompactionCounts& counts) {
    const CompactionAmounts now = progress.Amounts();
    EXPECT_EQ(now.input_entries, counts.input_entries);
    EXPECT_EQ(now.output_entries, counts.output_entries);
    EXPECT_LE(now.input_bytes - last.input_bytes, kStep + kValueBytes + 20);
    EXPECT_GE(now.output_bytes, last.output_bytes);
    EXPECT_EQ(now.RestBytes(), now.expected_bytes - now.input_bytes);
    last = now;
    ++calls;
    return true;
  };
  MemoryOutputs outputs;
  CompactionResult result;
  ASSERT_TRUE(CompactTables(options, tables.runs, {}, &outputs, &result).ok());
  const CompactionAmounts end = progress.Amounts();
  EXPECT_GT(calls, end.input_bytes / (kStep + kValueBytes + 20));
  EXPECT_GT(last.output_bytes, 0U);
  EXPECT_EQ(end.input_entries, result.counts.input_entries);
  EXPECT_EQ(end.input_bytes, end.expected_bytes);
  EXPECT_EQ(end.RestBytes(), 0U);
  EXPECT_EQ(end.output_entries, result.counts.output_entries);
  uint64_t bytes = 0;
  for (const MemoryOutputs::File& file : outputs.files) {
    bytes += file.bytes.size();
  }
  EXPECT_EQ(end.output_bytes, bytes);
  EXPECT_EQ(end.outputs, outputs.files.size());
  // A second compaction adds to the first one's amounts.
  options.iterator.on_progress = {};
  ASSERT_TRUE(CompactTables(options, tables.runs, {}, &outputs, &result).ok());
  EXPECT_EQ(progress.Amounts().input_bytes, 2 * end.input_bytes);
}

TEST(CompactionProgress, APartExpectsItsShare) {
  const TwoTables tables;
  uint64_t expected = 0;
  uint64_t whole = 0;
  for (const auto& reader : tables.readers) {
    whole +=
        reader->properties().raw_key_size + reader->properties().raw_value_size;
  }
  const std::vector<std::string> borders = {"", Key(100), Key(350), ""};
  for (size_t i = 0; i + 1 < borders.size(); ++i) {
    CompactionProgress progress;
    CompactionOptions options;
    options.start = borders[i];
    options.end = borders[i + 1];
    options.progress = &progress;
    MemoryOutputs outputs;
    CompactionResult result;
    ASSERT_TRUE(
        CompactTables(options, tables.runs, {}, &outputs, &result).ok());
    const CompactionAmounts amounts = progress.Amounts();
    // Two tables, each off by a block at each border.
    EXPECT_NEAR(static_cast<double>(amounts.expected_bytes),
                static_cast<double>(amounts.input_bytes), 4 * 5000);
    expected += amounts.expected_bytes;
  }
  EXPECT_NEAR(static_cast<double>(expected), static_cast<double>(whole), 100);
}

TEST(CompactionProgress, ACompactionThatIsCancelledBeforeDoesNotBegin) {
  const TwoTables tables;
  CompactionProgress progress;
  progress.Cancel();
  EXPECT_TRUE(progress.IsCanceled());
  CompactionOptions options;
  options.progress = &progress;
  MemoryOutputs outputs;
  CompactionResult result;
  const Status status =
      CompactTables(options, tables.runs, {}, &outputs, &result);
  EXPECT_TRUE(status.IsIncomplete()) << status.ToString();
  EXPECT_EQ(outputs.dropped, 0);
  EXPECT_EQ(result.counts.input_entries, 0U);
}

TEST(CompactionProgress, TheIteratorStopsIfTheApplicationSaysSo) {
  const TwoTables tables;
  CompactionIteratorOptions options;
  uint64_t calls = 0;
  options.on_progress = [&](const CompactionCounts&) { return ++calls < 3; };
  std::vector<Iterator> inputs;
  inputs.push_back(tables.readers[0]->NewIterator());
  CompactionIterator it(options, std::move(inputs));
  uint64_t shown = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next()) ++shown;
  EXPECT_TRUE(it.status().IsIncomplete()) << it.status().ToString();
  EXPECT_EQ(calls, 3U);
  EXPECT_EQ(shown, it.counts().output_entries);
  EXPECT_LT(shown, 3 * kStep / kValueBytes);
}

}  // namespace
}  // namespace ashlar::testing
