// Tests readers that share a block cache. A cached reader gives the same
// answers as an uncached one, reads less of the file, and needs no room in the
// cache: with a full cache it still works.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/table_reader.h"
#include "test/support/faulty_file.h"
#include "test/support/folder.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr int kEntries = 3000;

std::shared_ptr<Cache> ClockOf(size_t capacity, bool strict = false) {
  HyperClockCacheOptions options;
  options.capacity = capacity;
  options.estimated_entry_charge = 512;
  options.strict_capacity_limit = strict;
  return std::move(NewHyperClockCache(options)).value();
}

std::shared_ptr<Cache> LruOf(size_t capacity, bool strict) {
  LruCacheOptions options;
  options.capacity = capacity;
  options.strict_capacity_limit = strict;
  return std::move(NewLruCache(options)).value();
}

TableOptions SmallBlocks() {
  TableOptions options;
  options.block_size = 256;
  return options;
}

std::string SomeTable(std::string_view seed = "test") {
  return BuildTable(SmallBlocks(), SomeEntries(kEntries), FixedBuild(seed));
}

ReaderOptions With(std::shared_ptr<Cache> cache) {
  ReaderOptions options;
  options.block_cache = std::move(cache);
  return options;
}

// Opens a reader whose file counts its reads in `plan`. The reads of opening
// are not counted.
std::unique_ptr<TableReader> OpenCounted(const std::string& table,
                                         std::shared_ptr<Cache> cache,
                                         FaultPlan* plan) {
  ReaderOptions options = With(std::move(cache));
  options.load_index_and_filter = LoadTime::kAtOpen;
  auto opened =
      TableReader::Open(NewFaultyFile("test.sst", table, plan), options);
  Require(opened.status());
  plan->operations = 0;
  return std::move(opened).value();
}

std::vector<Entry> AllOf(const TableReader& reader, ReadOptions options = {}) {
  std::vector<Entry> entries;
  Require(ReadForward(reader, options, &entries));
  return entries;
}

std::string ValueOf(const TableReader& reader, const std::string& key) {
  GetResult result;
  Require(reader.Get(key, &result));
  return result.value.ToString();
}

TEST(BlockCache, ABlockIsReadOnceWhoeverAsks) {
  const auto cache = ClockOf(size_t{8} << 20);
  FaultPlan plan;
  const auto reader = OpenCounted(SomeTable(), cache, &plan);
  EXPECT_EQ(ValueOf(*reader, "key00007"), "value7");
  EXPECT_EQ(plan.operations, 1U);
  EXPECT_EQ(ValueOf(*reader, "key00007"), "value7");
  EXPECT_EQ(plan.operations, 1U);

  EXPECT_EQ(AllOf(*reader), SomeEntries(kEntries));
  const uint64_t reads = plan.operations;
  EXPECT_EQ(AllOf(*reader), SomeEntries(kEntries));
  std::vector<Entry> backward;
  Require(ReadBackward(*reader, {}, &backward));
  EXPECT_EQ(backward.size(), static_cast<size_t>(kEntries));
  for (int i = 0; i < kEntries; i += 100) {
    EXPECT_EQ(
        ValueOf(*reader,
                SomeEntries(kEntries)[static_cast<size_t>(i)].key.substr(0, 8)),
        "value" + std::to_string(i));
  }
  EXPECT_EQ(plan.operations, reads);

  // Another reader of the same file finds every block in the cache.
  FaultPlan other_plan;
  const auto other = OpenCounted(SomeTable(), cache, &other_plan);
  EXPECT_EQ(AllOf(*other), SomeEntries(kEntries));
  EXPECT_EQ(other_plan.operations, 0U);
  const CacheEntryStats stats = cache->CollectEntryStats();
  EXPECT_EQ(stats.of(CacheEntryRole::kDataBlock).count,
            reader->properties().num_data_blocks);
}

TEST(BlockCache, FilesDoNotMeet) {
  const auto cache = ClockOf(size_t{8} << 20);
  const auto first = OpenTable(SomeTable("one"), With(cache));
  std::vector<Entry> entries = SomeEntries(kEntries);
  for (Entry& entry : entries) entry.value = "other";
  const auto second = OpenTable(
      BuildTable(SmallBlocks(), entries, FixedBuild("two")), With(cache));
  EXPECT_EQ(AllOf(*first), SomeEntries(kEntries));
  EXPECT_EQ(AllOf(*second), entries);
  EXPECT_EQ(AllOf(*first), SomeEntries(kEntries));
}

// LevelDB's files store no identity, so each opened file gets its own cache
// keys.
TEST(BlockCache, FilesWithoutAnIdentityDoNotMeet) {
  const auto cache = ClockOf(size_t{8} << 20);
  const std::string golden = GoldenPath("");
  for (const char* const name :
       {"ldb-plain.ldb", "ldb-snappy.ldb", "ldb-restart.ldb"}) {
    auto plain = TableReader::Open(golden + name);
    auto cached = TableReader::Open(golden + name, With(cache));
    Require(plain.status());
    Require(cached.status());
    const std::vector<Entry> entries = AllOf(*plain.value());
    EXPECT_FALSE(entries.empty());
    EXPECT_EQ(AllOf(*cached.value()), entries);
    EXPECT_EQ(AllOf(*cached.value()), entries);
  }
}

TEST(BlockCache, WithoutRoomNothingFails) {
  const std::string table = SomeTable();
  const std::vector<std::shared_ptr<Cache>> caches = {
      ClockOf(0),       ClockOf(700),       ClockOf(0, true),
      ClockOf(1, true), ClockOf(700, true), LruOf(0, false),
      LruOf(700, true), LruOf(0, true),     LruOf(1 << 20, false)};
  for (const auto& cache : caches) {
    const auto reader = OpenTable(table, With(cache));
    std::vector<Iterator> iterators;
    for (int i = 0; i < 5; ++i) {
      iterators.push_back(reader->NewIterator());
      iterators.back().Seek("key0" + std::to_string(1000 + 200 * i));
      ASSERT_TRUE(iterators.back().Valid());
    }
    EXPECT_EQ(AllOf(*reader), SomeEntries(kEntries));
    for (Iterator& iterator : iterators) {
      iterator.Next();
      ASSERT_TRUE(iterator.Valid()) << iterator.status().ToString();
    }
    EXPECT_EQ(ValueOf(*reader, "key00042"), "value42");
    EXPECT_LE(cache->GetUsage(), cache->GetCapacity() + 5 * 2048);
    iterators.clear();
    EXPECT_EQ(cache->GetPinnedUsage(), 0U);
    cache->EraseUnRefEntries();
    EXPECT_EQ(cache->GetUsage(), 0U);
  }
}

TEST(BlockCache, ValuesOutliveTheirReader) {
  const auto cache = ClockOf(700);
  auto reader = OpenTable(SomeTable(), With(cache));
  std::vector<GetResult> results(50);
  for (size_t i = 0; i < results.size(); ++i) {
    Require(reader->Get(SomeEntries(kEntries)[i * 50].key.substr(0, 8),
                        &results[i]));
  }
  reader.reset();
  cache->EraseUnRefEntries();
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].value.ToString(), "value" + std::to_string(i * 50));
  }
  EXPECT_GT(cache->GetPinnedUsage(), 0U);
  results.clear();
  EXPECT_EQ(cache->GetPinnedUsage(), 0U);
}

TEST(BlockCache, WhatIsNotToBeKeptIsNot) {
  const auto cache = ClockOf(size_t{8} << 20);
  const auto reader = OpenTable(SomeTable(), With(cache));
  EXPECT_EQ(AllOf(*reader, {.fill_cache = false}), SomeEntries(kEntries));
  EXPECT_EQ(cache->GetOccupancyCount(), 0U);
  EXPECT_EQ(AllOf(*reader, {.verify_checksums = false}), SomeEntries(kEntries));
  EXPECT_EQ(cache->GetOccupancyCount(), 0U);
  EXPECT_EQ(AllOf(*reader), SomeEntries(kEntries));
  EXPECT_EQ(cache->GetOccupancyCount(), reader->properties().num_data_blocks);
}

TEST(BlockCache, DamageIsFoundEachTimeAndKeptNever) {
  const auto cache = ClockOf(size_t{8} << 20);
  std::string table = SomeTable();
  table[20] = static_cast<char>(table[20] ^ 1);
  const auto reader = OpenTable(table, With(cache));
  for (int i = 0; i < 3; ++i) {
    GetResult result;
    const Status status = reader->Get("key00000", &result);
    EXPECT_TRUE(status.IsCorruption());
    EXPECT_NE(status.ToString().find("block checksum mismatch"),
              std::string::npos);
  }
  EXPECT_EQ(cache->GetOccupancyCount(), 0U);
  // A failed read is not cached: the next read of the block succeeds.
  FaultPlan plan;
  const auto flaky = OpenCounted(SomeTable("flaky"), cache, &plan);
  plan.fail_at = 1;
  GetResult result;
  EXPECT_TRUE(flaky->Get("key00000", &result).IsIOError());
  EXPECT_EQ(ValueOf(*flaky, "key00000"), "value0");
  EXPECT_EQ(cache->GetOccupancyCount(), 1U);
}

TEST(BlockCache, ManyThreadsAndAFullCache) {
  for (const auto& cache : {ClockOf(3000), LruOf(3000, true)}) {
    const auto reader = OpenTable(SomeTable(), With(cache));
    std::vector<std::jthread> threads;
    constexpr int kThreads = 6;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        Random random(static_cast<uint64_t>(t));
        GetResult held;
        for (int i = 0; i < 500; ++i) {
          const uint64_t n = random.Below(100);
          const std::string digits = std::to_string(100000 + n);
          Require(reader->Get("key" + digits.substr(1), &held));
          if (held.value.ToString() != "value" + std::to_string(n)) {
            ADD_FAILURE() << n;
          }
          if (i % 100 == 0) cache->EraseUnRefEntries();
        }
        if (AllOf(*reader).size() != kEntries) ADD_FAILURE();
      });
    }
    threads.clear();
    EXPECT_EQ(cache->GetPinnedUsage(), 0U);
  }
}

}  // namespace
}  // namespace ashlar::testing
