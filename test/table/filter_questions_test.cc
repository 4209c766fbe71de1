// Tests questions to a table's filter alone: KeyMayMatch, KeysMayMatch and
// PrefixMayMatch; and skip_filters.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/multi_table_get.h"
#include "ashlar/table/statistics.h"
#include "ashlar/table/table_reader.h"
#include "test/support/random_table.h"
#include "test/support/resign.h"
#include "test/support/small_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using Filter = GetResult::Filter;

std::vector<std::string> UserKeysOf(const TableReader& reader) {
  const size_t size = reader.comparator()->timestamp_size();
  std::vector<std::string> keys;
  Iterator it = reader.NewIterator({.ignore_range_deletions = true});
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    keys.push_back(WithoutTimestamp(it.user_key(), size).ToString());
  }
  Require(it.status());
  return keys;
}

// Keys of the table, and others.
std::vector<std::string> SomeKeys(const TableReader& reader, Random* random) {
  std::vector<std::string> keys = UserKeysOf(reader);
  const size_t n = keys.size();
  for (size_t i = 0; i < n; ++i) keys.push_back(keys[i] + random->Text(3));
  for (int i = 0; i < 20; ++i) keys.push_back(random->Text(random->Below(6)));
  return keys;
}

Result<std::unique_ptr<TableReader>> OpenAny(const SmallTable& table,
                                             ReaderOptions options) {
  auto reader = OpenBytes(table.bytes, options);
  if (!reader.status().IsNotSupported()) return reader;
  options.comparator = ShorterFirstComparator();
  return OpenBytes(table.bytes, options);
}

ReaderOptions RandomOptions(Random* random) {
  ReaderOptions options;
  options.block_cache = AnyBlockCache(random->Next());
  options.cache_index_and_filter_blocks =
      options.block_cache != nullptr && random->OneIn(2);
  if (random->OneIn(3)) options.load_index_and_filter = LoadTime::kAtFirstUse;
  return options;
}

// They answer as the filter answers a Get of each key.
TEST(FilterQuestions, AboutKeysAreThoseOfGet) {
  uint64_t absent = 0;
  ForEachSeed(1, 500, [&](uint64_t seed) {
    Random random(seed);
    const SmallTable table = MakeSmallTable(&random);
    SCOPED_TRACE(table.description);
    auto opened = OpenAny(table, RandomOptions(&random));
    Require(opened.status());
    const TableReader& reader = **opened;
    const std::vector<std::string> keys = SomeKeys(reader, &random);
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<Filter> answers(keys.size());
    std::vector<Status> statuses(keys.size());
    reader.KeysMayMatch({}, slices, answers, statuses);
    for (size_t i = 0; i < keys.size(); ++i) {
      Require(statuses[i]);
      Filter answer = Filter::kMaybe;
      Require(reader.KeyMayMatch({}, keys[i], &answer));
      GetResult result;
      Require(reader.Get({}, keys[i], kMaxSequenceNumber, &result,
                         [](const auto&, SequenceNumber) { return true; }));
      ASSERT_EQ(answer, result.filter) << Hex(keys[i]);
      ASSERT_EQ(answers[i], result.filter) << Hex(keys[i]);
      absent += answer == Filter::kAbsent ? 1 : 0;
    }
  });
  EXPECT_GT(absent, 50U);
}

// kAbsent is certain, and comes where the filter has prefixes.
TEST(FilterQuestions, AboutPrefixes) {
  TableOptions options;
  options.filter = FilterType::kBloom;
  options.prefix_extractor = NewFixedPrefixExtractor(3);
  for (const bool whole_keys : {false, true}) {
    options.whole_key_filtering = whole_keys;
    for (const bool partitioned : {false, true}) {
      options.partition_filters = partitioned;
      options.index_type = partitioned ? IndexType::kTwoLevelIndexSearch
                                       : IndexType::kBinarySearch;
      options.metadata_block_size = 100;
      options.block_size = 100;
      std::vector<Entry> entries;
      for (int i = 0; i < 300; i += 2) {
        entries.push_back(Value(std::to_string(100 + i) + "key", 1, "v"));
      }
      const auto reader = OpenTable(BuildTable(options, entries));
      int absent = 0;
      for (int i = 0; i < 300; ++i) {
        const std::string prefix = std::to_string(100 + i);
        for (const char* rest : {"", "a"}) {
          Filter answer = Filter::kNone;
          Require(reader->PrefixMayMatch({}, prefix + rest, &answer));
          if (i % 2 == 0) {
            ASSERT_EQ(answer, Filter::kMaybe) << prefix;
          } else {
            absent += answer == Filter::kAbsent ? 1 : 0;
          }
        }
      }
      EXPECT_GT(absent, 280) << whole_keys << partitioned;
      Filter answer = Filter::kMaybe;
      Require(reader->PrefixMayMatch({}, "10", &answer));
      EXPECT_EQ(answer, Filter::kNone);  // no prefix
    }
  }
  options = {};
  options.filter = FilterType::kBloom;
  Filter answer = Filter::kMaybe;
  const auto whole_keys_alone = OpenTable(BuildTable(options, SomeEntries(9)));
  Require(whole_keys_alone->PrefixMayMatch({}, "key", &answer));
  EXPECT_EQ(answer, Filter::kNone);
}

TEST(FilterQuestions, ErrorsAreThoseOfTheFilter) {
  TableOptions options;
  options.filter = FilterType::kBloom;
  const std::string bytes = BuildTable(options, SomeEntries(100));
  const auto reader = OpenTable(bytes);
  ReadOptions read;
  read.timestamp = "12345678";
  Filter answer;
  EXPECT_TRUE(reader->KeyMayMatch(read, "key1", &answer).IsInvalidArgument());
  EXPECT_TRUE(
      reader->PrefixMayMatch(read, "key1", &answer).IsInvalidArgument());
  const Slice keys[] = {"key1", "key2"};
  Filter answers[2];
  Status statuses[2];
  reader->KeysMayMatch(read, keys, answers, statuses);
  EXPECT_TRUE(statuses[1].IsInvalidArgument());
  ReaderOptions late;
  late.load_index_and_filter = LoadTime::kAtFirstUse;
  ReadOptions from_memory;
  from_memory.read_tier = ReadTier::kBlockCacheTier;
  EXPECT_TRUE(OpenTable(bytes, late)
                  ->KeyMayMatch(from_memory, "key1", &answer)
                  .IsIncomplete());
}

// With skip_filters a table answers as one without a filter, and keeps none.
TEST(SkippedFilters, AreNotAskedNorLoaded) {
  uint64_t saved = 0;
  ForEachSeed(1, 300, [&](uint64_t seed) {
    Random random(seed);
    const SmallTable table = MakeSmallTable(&random);
    SCOPED_TRACE(table.description);
    ReaderOptions options = RandomOptions(&random);
    auto asking = OpenAny(table, options);
    options.skip_filters = true;
    auto skipping = OpenAny(table, options);
    Require(asking.status());
    Require(skipping.status());
    for (const std::string& key : SomeKeys(**asking, &random)) {
      GetResult results[2];
      int i = 0;
      for (const auto* reader : {asking->get(), skipping->get()}) {
        Require(reader->Get({}, key, kMaxSequenceNumber, &results[i++],
                            [](const auto&, SequenceNumber) { return true; }));
      }
      ASSERT_EQ(results[0].state, results[1].state);
      ASSERT_EQ(results[0].value.ToString(), results[1].value.ToString());
      ASSERT_EQ(results[1].filter, Filter::kNone);
    }
    ASSERT_LE((*skipping)->MemoryUsage(), (*asking)->MemoryUsage());
    saved += (*asking)->MemoryUsage() - (*skipping)->MemoryUsage();
    EXPECT_TRUE((*skipping)->VerifyChecksum().ok());
  });
  EXPECT_GT(saved, 0U);
}

// Reads every key in each way that asks filters, and checks that the answers
// are those of reads that ask none.
void CompareWithSkipping(const TableReader& reader,
                         const std::vector<std::string>& keys) {
  const std::vector<Slice> slices(keys.begin(), keys.end());
  const auto operands = [](const auto&, SequenceNumber) { return true; };
  const auto batch_operands = [](size_t, const auto&, SequenceNumber) {
    return true;
  };
  const auto [least, most] = std::minmax_element(
      slices.begin(), slices.end(), [&](const Slice& a, const Slice& b) {
        return reader.comparator()->CompareWithoutTimestamp(a, b) < 0;
      });
  const TableRange range = {&reader, *least, *most};
  std::vector<GetResult> of_gets;
  for (const bool skip : {false, true}) {
    const ReadOptions options = {.skip_filters = skip};
    std::vector<GetResult> gets(keys.size());
    std::vector<GetResult> batch(keys.size());
    std::vector<GetResult> tables(keys.size());
    std::vector<Status> statuses(keys.size());
    reader.MultiGet(options, slices, kMaxSequenceNumber, batch, statuses,
                    batch_operands);
    for (const Status& status : statuses) Require(status);
    const TableLevel level = {std::span(&range, 1)};
    MultiGetFromTables(options, std::span(&level, 1), slices,
                       kMaxSequenceNumber, tables, statuses, batch_operands);
    for (size_t i = 0; i < keys.size(); ++i) {
      Require(statuses[i]);
      Require(
          reader.Get(options, keys[i], kMaxSequenceNumber, &gets[i], operands));
      if (skip) {
        ASSERT_EQ(gets[i].state, of_gets[i].state) << Hex(keys[i]);
        ASSERT_EQ(gets[i].value.ToString(), of_gets[i].value.ToString());
      }
      for (const auto* results : {&batch, &tables}) {
        const GetResult& found = (*results)[i];
        ASSERT_EQ(found.state, gets[i].state) << Hex(keys[i]);
        ASSERT_EQ(found.filter, gets[i].filter) << Hex(keys[i]);
        ASSERT_EQ(found.value.ToString(), gets[i].value.ToString());
      }
      if (skip) {
        ASSERT_EQ(gets[i].filter, Filter::kNone) << Hex(keys[i]);
      }
    }
    if (!skip) of_gets = std::move(gets);
  }
}

// The same table, read with its filter and without.
TEST(SkippedFilters, OfSingleReadsChangeNoAnswer) {
  ForEachSeed(1, 300, [&](uint64_t seed) {
    Random random(seed);
    const SmallTable table = MakeSmallTable(&random);
    SCOPED_TRACE(table.description);
    auto opened = OpenAny(table, RandomOptions(&random));
    Require(opened.status());
    CompareWithSkipping(**opened, SomeKeys(**opened, &random));
  });
}

// A damaged partition of the filter answers for no key. All other partitions
// answer.
TEST(FilterQuestions, OfADamagedPartitionAreErrorsForItsKeys) {
  TableOptions options;
  options.compression = CompressionType::kNoCompression;
  options.index_type = IndexType::kTwoLevelIndexSearch;
  options.partition_filters = true;
  options.metadata_block_size = 100;
  std::string table = BuildTable(options, SomeEntries(1000));
  const BlockInfo block =
      FindBlock(BlocksOf(table), BlockKind::kFilterPartition, 1);
  table[block.offset] ^= 1;
  const auto reader = OpenTable(table);
  std::vector<std::string> keys = UserKeysOf(*reader);
  ASSERT_EQ(keys.size(), 1000u);
  const std::vector<Slice> asked(keys.begin(), keys.end());
  std::vector<Filter> answers(keys.size());
  std::vector<Status> statuses(keys.size());
  reader->KeysMayMatch({}, asked, answers, statuses);
  size_t failed = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    Filter answer;
    const Status alone = reader->KeyMayMatch({}, keys[i], &answer);
    EXPECT_EQ(statuses[i].ToString(), alone.ToString());
    EXPECT_EQ(answers[i], alone.ok() ? Filter::kMaybe : Filter::kNone);
    if (alone.ok()) continue;
    ++failed;
    EXPECT_TRUE(alone.message().starts_with(
        "test.sst: block checksum mismatch in filter-partition block #1 "))
        << alone.ToString();
  }
  EXPECT_GT(failed, 0u);
  EXPECT_LT(failed, keys.size() / 2);
}

// A filter that was never loaded need not be in memory.
TEST(SkippedFilters, OfSingleReadsAreNotLoaded) {
  TableOptions options;
  options.filter = FilterType::kBloom;
  const auto reader =
      OpenTable(BuildTable(options, SomeEntries(1000)),
                {.load_index_and_filter = LoadTime::kAtFirstUse});
  GetResult result;
  Require(reader->Get({.skip_filters = true}, "key00003", kMaxSequenceNumber,
                      &result));
  EXPECT_EQ(result.value.ToString(), "value3");
  const uint64_t before = reader->MemoryUsage();
  Require(reader->Get({}, "key00003", kMaxSequenceNumber, &result));
  EXPECT_GT(reader->MemoryUsage(), before + 1000);
}

TEST(SkippedFilters, OfSeeksLetAllPrefixesPass) {
  TableOptions options;
  options.filter = FilterType::kBloom;
  options.prefix_extractor = NewFixedPrefixExtractor(4);
  const auto statistics = std::make_shared<Statistics>();
  const auto reader = OpenTable(BuildTable(options, SomeEntries(1000)),
                                {.statistics = statistics});
  for (const bool skip : {false, true}) {
    Iterator it = reader->NewIterator(
        {.prefix_same_as_start = true, .skip_filters = skip});
    it.Seek("key1");
    EXPECT_FALSE(it.Valid());
    it.Seek("key00003");
    EXPECT_TRUE(it.Valid());
    Require(it.status());
    EXPECT_EQ(statistics->GetTickerCount(Ticker::kBloomFilterPrefixChecked),
              2U);
  }
}

}  // namespace
}  // namespace ashlar::testing
