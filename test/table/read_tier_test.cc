// Tests ReadOptions::read_tier: reads of what is in memory alone.

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/multi_table_get.h"
#include "ashlar/table/table_reader.h"
#include "test/support/faulty_file.h"
#include "test/support/gated_file.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using State = GetResult::State;

ReadOptions InMemory() {
  ReadOptions options;
  options.read_tier = ReadTier::kBlockCacheTier;
  return options;
}

std::shared_ptr<Cache> LargeCache() {
  return std::move(NewLruCache({.capacity = size_t{8} << 20})).value();
}

// A table in whose file every read is counted.
struct CountedTable {
  CountedTable(const TableOptions& options, const std::vector<Entry>& entries,
               const ReaderOptions& reader_options) {
    reader = std::move(
        TableReader::Open(
            NewFaultyFile("t.sst", BuildTable(options, entries), &plan),
            reader_options)
            .value());
  }

  Status Get(const Slice& key, GetResult* result,
             const ReadOptions& options = InMemory()) const {
    return reader->Get(options, key, kMaxSequenceNumber, result);
  }

  FaultPlan plan;
  std::unique_ptr<TableReader> reader;
};

TableOptions SmallBlocks() {
  TableOptions options;
  options.block_size = 200;
  return options;
}

TEST(ReadTier, AGetFindsWhatIsInTheCacheAndNothingElse) {
  ReaderOptions options;
  options.block_cache = LargeCache();
  options.load_index_and_filter = LoadTime::kAtOpen;
  CountedTable table(SmallBlocks(), SomeEntries(300), options);
  GetResult result;
  Require(table.Get("key00100", &result, {}));
  const uint64_t reads = table.plan.operations;

  Require(table.Get("key00100", &result));
  EXPECT_EQ(result.value.ToString(), "value100");
  const Status status = table.Get("key00200", &result);
  EXPECT_TRUE(status.IsIncomplete()) << status.ToString();
  EXPECT_TRUE(status.message().starts_with("t.sst: what is at offset "))
      << status.ToString();
  EXPECT_EQ(result.state, State::kNotFound);
  EXPECT_TRUE(result.value.empty());
  // The filter is in memory.
  Require(table.Get("absent", &result));
  EXPECT_EQ(result.filter, GetResult::Filter::kAbsent);
  EXPECT_EQ(table.plan.operations, reads);
}

TEST(ReadTier, WithoutACacheNoBlockIsInMemory) {
  CountedTable table(SmallBlocks(), SomeEntries(300), {});
  GetResult result;
  Require(table.Get("key00100", &result, {}));
  EXPECT_TRUE(table.Get("key00100", &result).IsIncomplete());
  Iterator it = table.reader->NewIterator(InMemory());
  it.SeekToFirst();
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().IsIncomplete());
}

TEST(ReadTier, WhatWasNeverLoadedIsIncomplete) {
  ReaderOptions options;
  options.block_cache = LargeCache();
  options.load_index_and_filter = LoadTime::kAtFirstUse;
  CountedTable table(SmallBlocks(), SomeEntries(300), options);
  const uint64_t reads = table.plan.operations;
  GetResult result;
  std::vector<GetResult> results(2);
  std::vector<Status> statuses(2);
  const std::vector<Slice> keys = {"key00100", "absent"};
  EXPECT_TRUE(table.Get("key00100", &result).IsIncomplete());
  table.reader->MultiGet(InMemory(), keys, kMaxSequenceNumber, results,
                         statuses);
  EXPECT_TRUE(statuses[0].IsIncomplete() && statuses[1].IsIncomplete());
  Iterator it = table.reader->NewIterator(InMemory());
  it.Seek("key00100");
  EXPECT_TRUE(it.status().IsIncomplete());
  EXPECT_EQ(table.plan.operations, reads);
  // That has spoiled nothing.
  Require(table.Get("key00100", &result, {}));
  Require(table.Get("key00100", &result));
  EXPECT_EQ(result.state, State::kFound);
  it.Seek("key00100");
  EXPECT_TRUE(it.Valid());
}

TEST(ReadTier, AnEstimateSaysWhatItCouldNotRead) {
  CountedTable table(SmallBlocks(), SomeEntries(300),
                     {.load_index_and_filter = LoadTime::kAtFirstUse});
  const TableReader& reader = *table.reader;
  uint64_t offset = 1;
  const Status status =
      reader.ApproximateOffsetOf(InMemory(), "key00100", &offset);
  EXPECT_TRUE(status.IsIncomplete()) << status.ToString();
  EXPECT_TRUE(status.message().starts_with("t.sst: ")) << status.ToString();
  EXPECT_EQ(offset, 0u);
  EXPECT_EQ(reader.ApproximateOffsetOf(InMemory(), "key00100"), 0u);
  Require(reader.ApproximateOffsetOf({}, "key00100", &offset));
  EXPECT_GT(offset, 0u);
  EXPECT_EQ(reader.ApproximateOffsetOf("key00100"), offset);
  Require(reader.ApproximateOffsetOf({}, "zzz", &offset));
  EXPECT_EQ(offset, reader.properties().data_size);
}

// A scan brings index and data to the cache, but not the filter. The answers
// do not need it.
TEST(ReadTier, AFilterThatIsNotInMemoryIsNotAsked) {
  for (const bool partitioned : {true, false}) {
    TableOptions options = SmallBlocks();
    options.filter = FilterType::kBloom;
    options.index_type = partitioned ? IndexType::kTwoLevelIndexSearch
                                     : IndexType::kBinarySearch;
    options.partition_filters = partitioned;
    options.metadata_block_size = 300;
    ReaderOptions reader_options;
    reader_options.block_cache = LargeCache();
    reader_options.cache_index_and_filter_blocks = true;
    if (!partitioned) {
      reader_options.load_index_and_filter = LoadTime::kAtFirstUse;
    }
    CountedTable table(options, SomeEntries(3000), reader_options);
    std::vector<Entry> found;
    Require(ReadForward(*table.reader, {}, &found));
    GetResult result;
    // Loads what a filter in parts has at its top.
    if (partitioned) Require(table.Get("key00000", &result, {}));
    const uint64_t reads = table.plan.operations;
    Require(table.Get("key02000", &result));
    EXPECT_EQ(result.state, State::kFound);
    EXPECT_EQ(result.filter, GetResult::Filter::kNone);
    Require(table.Get("key02000x", &result));
    EXPECT_EQ(result.state, State::kNotFound);
    EXPECT_EQ(result.data_blocks_read, 1u);
    std::vector<GetResult> results(2);
    std::vector<Status> statuses(2);
    const std::vector<Slice> keys = {"key02000", "key02000x"};
    table.reader->MultiGet(InMemory(), keys, kMaxSequenceNumber, results,
                           statuses);
    Require(statuses[0]);
    Require(statuses[1]);
    EXPECT_EQ(results[0].state, State::kFound);
    EXPECT_EQ(results[1].state, State::kNotFound);
    EXPECT_EQ(table.plan.operations, reads);
  }
}

TEST(ReadTier, AnIteratorEndsWhereTheCacheDoes) {
  for (const bool has_snapshot : {false, true}) {
    ReaderOptions options;
    options.block_cache = LargeCache();
    CountedTable table(SmallBlocks(), SomeEntries(300), options);
    GetResult result;
    Require(table.Get("key00100", &result, {}));
    const uint64_t reads = table.plan.operations;
    ReadOptions in_memory = InMemory();
    if (has_snapshot) in_memory.snapshot = 1000;
    Iterator it = table.reader->NewIterator(in_memory);
    for (const bool forward : {true, false}) {
      it.Seek("key00100");
      ASSERT_TRUE(it.Valid());
      EXPECT_EQ(it.value(), Slice("value100"));
      int steps = 0;
      for (; it.Valid(); forward ? it.Next() : it.Prev()) ++steps;
      EXPECT_TRUE(it.status().IsIncomplete()) << it.status().ToString();
      EXPECT_LT(steps, 20);
    }
    it.SeekToFirst();
    EXPECT_TRUE(!it.Valid() && it.status().IsIncomplete());
    it.SeekToLast();
    EXPECT_TRUE(!it.Valid() && it.status().IsIncomplete());
    it.SeekForPrev("key00100");
    EXPECT_TRUE(it.Valid());
    EXPECT_EQ(table.plan.operations, reads);
  }
}

TEST(ReadTier, ChecksEndToo) {
  ReaderOptions options;
  options.block_cache = LargeCache();
  CountedTable table(SmallBlocks(), SomeEntries(300), options);
  std::vector<Entry> found;
  Require(ReadForward(*table.reader, {}, &found));
  const uint64_t reads = table.plan.operations;
  uint64_t entries = 0;
  Require(table.reader->CheckEntries(InMemory(), nullptr, {}, &entries));
  EXPECT_EQ(entries, 300u);
  EXPECT_TRUE(table.reader->VerifyChecksum(InMemory()).IsIncomplete());
  EXPECT_EQ(table.plan.operations, reads);
}

// Such a read must not wait for a block that another thread is loading.
TEST(ReadTier, NobodyIsWaitedFor) {
  ReaderOptions options;
  options.block_cache = LargeCache();
  Gates gates;
  const auto reader =
      std::move(TableReader::Open(
                    std::make_unique<GatedFile>(
                        BuildTable(SmallBlocks(), SomeEntries(300)), &gates),
                    options))
          .value();
  GetResult result;
  // The key of the block to be loaded is far from this one.
  Require(reader->Get("key00001", &result));
  const uint64_t offset = reader->ApproximateOffsetOf("key00200");
  gates.Hold(offset);
  std::thread loader([&] {
    GetResult loaded;
    Require(reader->Get("key00200", &loaded));
    EXPECT_EQ(loaded.state, State::kFound);
  });
  gates.AwaitReads(offset, 1);
  EXPECT_TRUE(reader->Get(InMemory(), "key00200", kMaxSequenceNumber, &result)
                  .IsIncomplete());
  gates.Open();
  loader.join();
  Require(reader->Get(InMemory(), "key00200", kMaxSequenceNumber, &result));
}

// A nested read has options of its own.
TEST(ReadTier, ACallbackReadsByItsOwnOptions) {
  ReaderOptions options;
  options.block_cache = LargeCache();
  TableOptions table_options = SmallBlocks();
  const std::vector<Entry> entries = {Operand("a", 9, "op"),
                                      Value("a", 8, std::string(300, 'v')),
                                      Value("b", 7, std::string(300, 'w'))};
  CountedTable table(table_options, entries, options);
  GetResult result;
  Require(table.reader->Get({}, "a", kMaxSequenceNumber, &result,
                            [](const Slice&, SequenceNumber) { return true; }));
  GetResult nested;
  Status of_nested;
  const auto read_more = [&](const Slice&, SequenceNumber) {
    of_nested = table.Get("b", &nested, {});
    return true;
  };
  Require(table.reader->Get(InMemory(), "a", kMaxSequenceNumber, &result,
                            read_more));
  Require(of_nested);
  EXPECT_EQ(nested.state, State::kFound);
}

// Random tables and caches: each answer is right or Incomplete, and nothing is
// read. What a read has just brought to a cache with room is found.
TEST(ReadTier, AnswersAreRightOrIncomplete) {
  uint64_t answered = 0;
  uint64_t incomplete = 0;
  ForEachSeed(1, 150, [&](uint64_t seed) {
    Random random(seed);
    RandomTable made = MakeRandomTable(&random);
    ReaderOptions options;
    options.comparator = made.options.comparator;
    options.block_cache = AnyBlockCache(random.Next());
    options.cache_index_and_filter_blocks =
        options.block_cache != nullptr && random.OneIn(2);
    options.load_index_and_filter =
        random.OneIn(2) ? LoadTime::kAtFirstUse : LoadTime::kIndexAtFirstUse;
    FaultPlan plan;
    const auto reader = std::move(
        TableReader::Open(
            NewFaultyFile(
                "t.sst", BuildTable(made.options, made.model.entries()), &plan),
            options)
            .value());
    const auto on_operand = [](const Slice&, SequenceNumber) { return true; };
    for (int i = 0; i < 40; ++i) {
      const std::string key = RandomTarget(made.model, &random);
      GetResult result;
      if (random.OneIn(2)) {
        Require(reader->Get({}, key, kMaxSequenceNumber, &result, on_operand));
      }
      const uint64_t reads = plan.operations;
      const Status status =
          reader->Get(InMemory(), key, kMaxSequenceNumber, &result, on_operand);
      GetResult batched;
      Status batched_status;
      const Slice slice(key);
      reader->MultiGet(
          InMemory(), {&slice, 1}, kMaxSequenceNumber, {&batched, 1},
          {&batched_status, 1},
          [](size_t, const Slice&, SequenceNumber) { return true; });
      Iterator it = reader->NewIterator(InMemory());
      it.Seek(key);
      ASSERT_EQ(plan.operations, reads);
      if (it.Valid()) {
        const size_t at = made.model.Seek(key, kMaxSequenceNumber);
        ASSERT_LT(at, made.model.entries().size());
        EXPECT_EQ(it.key(), Slice(made.model.entries()[at].key));
      } else {
        EXPECT_TRUE(it.status().ok() || it.status().IsIncomplete());
      }
      const ModelAnswer expected = made.model.Get(key, kMaxSequenceNumber);
      using Answer = std::pair<const GetResult*, const Status*>;
      for (const auto& [got, of] :
           {Answer(&result, &status), Answer(&batched, &batched_status)}) {
        if (!of->ok()) {
          ASSERT_TRUE(of->IsIncomplete()) << of->ToString();
          ++incomplete;
          continue;
        }
        ++answered;
        ASSERT_EQ(got->state, expected.state) << made.description;
        ASSERT_EQ(got->value.ToString(), expected.value);
      }
    }
  });
  EXPECT_GT(answered, 1000u);
  EXPECT_GT(incomplete, 1000u);
}

}  // namespace
}  // namespace ashlar::testing
