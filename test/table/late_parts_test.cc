// Index and filter that are loaded at open, or by the first read that needs
// them: each is loaded once, by whichever read comes first, with the same
// answers and the same errors.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/perf_context.h"
#include "ashlar/table/table_reader.h"
#include "test/support/faulty_file.h"
#include "test/support/tables.h"

namespace ashlar {

using namespace testing;

namespace {

constexpr int kEntries = 2000;
constexpr LoadTime kLoadTimes[] = {
    LoadTime::kAtOpen, LoadTime::kIndexAtFirstUse, LoadTime::kAtFirstUse};

struct Kind {
  const char* name;
  IndexType index;
  bool partition_filters;
  bool cached;
};
constexpr Kind kKinds[] = {
    {"whole", IndexType::kBinarySearch, false, false},
    {"whole, in the cache", IndexType::kBinarySearch, false, true},
    {"partitioned index", IndexType::kTwoLevelIndexSearch, false, false},
    {"all partitioned", IndexType::kTwoLevelIndexSearch, true, false},
    {"all partitioned, in the cache", IndexType::kTwoLevelIndexSearch, true,
     true},
};

std::string TableOf(const Kind& kind) {
  TableOptions options;
  options.block_size = 512;
  options.filter = FilterType::kBloom;
  options.index_type = kind.index;
  options.partition_filters = kind.partition_filters;
  options.metadata_block_size = 512;
  return BuildTable(options, SomeEntries(kEntries), FixedBuild());
}

ReaderOptions OptionsOf(const Kind& kind, LoadTime when) {
  ReaderOptions options;
  options.load_index_and_filter = when;
  if (kind.cached) {
    options.block_cache =
        std::move(NewLruCache({.capacity = size_t{4} << 20})).value();
    options.cache_index_and_filter_blocks = true;
  }
  return options;
}

std::string KeyNumber(int i) {
  return SomeEntries(i + 1).back().key.substr(0, 8);
}

// Counts the blocks of index and filter that this thread reads.
struct MetadataReads {
  MetadataReads() {
    SetPerfLevel(PerfLevel::kEnableCount);
    GetPerfContext()->Reset();
  }
  ~MetadataReads() { SetPerfLevel(PerfLevel::kDisable); }
  static uint64_t index() { return GetPerfContext()->index_block_read_count; }
  static uint64_t filter() { return GetPerfContext()->filter_block_read_count; }
};

// One way to read, which returns what it found.
struct Read {
  const char* name;
  std::function<Status(const TableReader& reader, std::string* found)> run;
  // Whether it reads index and filter from the file each time.
  bool reads_again = false;
};

const std::vector<Read>& Reads() {
  static const std::vector<Read> reads = {
      {"Get",
       [](const TableReader& reader, std::string* found) {
         GetResult result;
         Status status = reader.Get(KeyNumber(777), &result);
         *found = result.value.ToString();
         return status;
       }},
      {"MultiGet",
       [](const TableReader& reader, std::string* found) {
         const std::string names[] = {KeyNumber(5), KeyNumber(1500)};
         const Slice keys[] = {names[0], names[1]};
         GetResult results[2];
         Status statuses[2];
         reader.MultiGet({}, keys, kMaxSequenceNumber, results, statuses);
         for (const GetResult& result : results) {
           *found += result.value.ToString() + ",";
         }
         return statuses[0].ok() ? statuses[1] : statuses[0];
       }},
      {"a walk forward",
       [](const TableReader& reader, std::string* found) {
         std::vector<Entry> entries;
         Status status = ReadForward(reader, {}, &entries);
         for (const Entry& entry : entries) *found += entry.value;
         return status;
       }},
      {"a seek",
       [](const TableReader& reader, std::string* found) {
         Iterator it = reader.NewIterator();
         it.Seek(KeyNumber(999));
         if (it.Valid()) *found = it.value().ToString();
         return it.status();
       }},
      {"VerifyChecksum",
       [](const TableReader& reader, std::string*) {
         return reader.VerifyChecksum();
       },
       true},
  };
  return reads;
}

TEST(LateParts, WhatOpeningReads) {
  for (const Kind& kind : kKinds) {
    const std::string table = TableOf(kind);
    for (const LoadTime when : kLoadTimes) {
      SCOPED_TRACE(std::string(kind.name) + " " +
                   std::to_string(static_cast<int>(when)));
      const MetadataReads counted;
      const auto reader = OpenTable(table, OptionsOf(kind, when));
      const bool all = when == LoadTime::kAtOpen;
      EXPECT_EQ(counted.index(), all ? 1u : 0u);
      const bool filter = when == LoadTime::kIndexAtFirstUse && !kind.cached &&
                          !kind.partition_filters;
      EXPECT_EQ(counted.filter(), all || filter ? 1u : 0u);
    }
  }
}

TEST(LateParts, EveryFirstReadFindsTheSame) {
  for (const Kind& kind : kKinds) {
    const std::string table = TableOf(kind);
    for (const Read& read : Reads()) {
      SCOPED_TRACE(std::string(kind.name) + ", " + read.name);
      std::string expected;
      Require(read.run(*OpenTable(table, OptionsOf(kind, LoadTime::kAtOpen)),
                       &expected));
      for (const LoadTime when : kLoadTimes) {
        const auto reader = OpenTable(table, OptionsOf(kind, when));
        std::string found;
        Require(read.run(*reader, &found));
        EXPECT_EQ(found, expected);
        const MetadataReads counted;
        found.clear();
        Require(read.run(*reader, &found));
        EXPECT_EQ(found, expected);
        if (read.reads_again) continue;
        EXPECT_EQ(counted.index() + counted.filter(), 0u) << "read again";
      }
    }
  }
}

// The index is in a cache without room, so that each step to another partition
// reads it. Whichever read fails, a check of all entries says so.
TEST(LateParts, ACheckReadsPartitionsAgain) {
  const Kind& kind = kKinds[4];
  const std::string table = TableOf(kind);
  ReaderOptions options = OptionsOf(kind, LoadTime::kAtFirstUse);
  options.block_cache =
      std::move(NewLruCache({.capacity = 1, .strict_capacity_limit = true}))
          .value();
  int failures = 0;
  for (uint64_t n = 1;; ++n) {
    FaultPlan plan;
    auto reader =
        TableReader::Open(NewFaultyFile("f.sst", table, &plan), options);
    Require(reader.status());
    plan = {.fail_at = n};
    uint64_t entries = 0;
    const Status status = (*reader)->CheckEntries({}, nullptr, {}, &entries);
    if (plan.faults == 0) {
      Require(status);
      EXPECT_EQ(entries, static_cast<uint64_t>(kEntries));
      break;
    }
    // A read ahead that fails is done again.
    if (status.ok()) continue;
    ++failures;
    EXPECT_EQ(status.message(), "read f.sst: injected");
  }
  EXPECT_GT(failures, 5);
}

// An index or filter that is not partitioned is not loaded because partitions
// are pinned. To erase the blocks of a table, its filter is not read.
TEST(LateParts, WhatIsNotNeededIsNotRead) {
  const std::string table = TableOf(kKinds[0]);
  ReaderOptions options = OptionsOf(kKinds[0], LoadTime::kAtFirstUse);
  options.partition_pinning = PinningTier::kAll;
  options.block_cache =
      std::move(NewLruCache({.capacity = size_t{4} << 20})).value();
  const MetadataReads counted;
  const auto reader = OpenTable(table, options);
  EXPECT_EQ(counted.index() + counted.filter(), 0u);
  EXPECT_GT(reader->EraseFromBlockCache(), 0u);
  EXPECT_EQ(counted.filter(), 0u);
}

// Which tables of an engine hold their blocks in the cache.
TEST(LateParts, PinnedByTier) {
  using enum PinningTier;
  const std::string table = TableOf(kKinds[1]);
  struct Case {
    PinningTier tier;
    bool pin_l0;
    bool flushed;
    bool pinned;
  };
  constexpr Case kCases[] = {
      {kFallback, false, true, false},
      {kFallback, true, true, true},
      {kFallback, true, false, false},
      {kNone, true, true, false},
      {kFlushedAndSimilar, false, true, true},
      {kFlushedAndSimilar, false, false, false},
      {kAll, false, false, true},
  };
  for (const Case& c : kCases) {
    ReaderOptions options = OptionsOf(kKinds[1], LoadTime::kAtFirstUse);
    options.unpartitioned_pinning = c.tier;
    options.pin_l0_filter_and_index_blocks_in_cache = c.pin_l0;
    options.flushed_or_similar = c.flushed;
    const auto reader = OpenTable(table, options);
    options.block_cache->EraseUnRefEntries();
    EXPECT_EQ(options.block_cache->GetOccupancyCount(), c.pinned ? 2u : 0u)
        << static_cast<int>(c.tier) << c.pin_l0 << c.flushed;
  }
}

// Whatever the size of the tail that is read at first, the table is the same.
// If it is known, opening reads the file once.
TEST(LateParts, AnyTailSize) {
  for (const Kind& kind : {kKinds[0], kKinds[1]}) {
    const std::string table = TableOf(kind);
    const uint64_t known =
        table.size() - OpenTable(table)->properties().tail_start_offset;
    ASSERT_GT(known, 2000u);
    for (const uint64_t tail : {uint64_t{1}, uint64_t{100}, known / 2, known,
                                uint64_t{table.size()}, ~uint64_t{0}}) {
      SCOPED_TRACE(tail);
      FaultPlan plan;
      ReaderOptions options = OptionsOf(kind, LoadTime::kAtOpen);
      options.tail_size = tail;
      const auto reader =
          TableReader::Open(NewFaultyFile("f.sst", table, &plan), options);
      Require(reader.status());
      if (!kind.cached) {
        EXPECT_EQ(plan.operations == 1, tail >= known) << plan.operations;
      }
      std::vector<Entry> entries;
      Require(ReadForward(**reader, {}, &entries));
      EXPECT_EQ(entries, SomeEntries(kEntries));
    }
  }
}

// A read that the filter ends leaves the index unread.
TEST(LateParts, AnAbsentKeyNeedsNoIndex) {
  const auto reader = OpenTable(
      TableOf(kKinds[0]), OptionsOf(kKinds[0], LoadTime::kIndexAtFirstUse));
  const MetadataReads counted;
  GetResult result;
  int ruled_out = 0;
  for (int i = 0; i < 20; ++i) {
    Require(reader->Get("absent" + std::to_string(i), &result));
    if (result.filter != GetResult::Filter::kAbsent) break;
    ++ruled_out;
    EXPECT_EQ(counted.index(), 0u);
  }
  EXPECT_GT(ruled_out, 0);
  EXPECT_EQ(counted.filter(), 0u);
}

// Whichever read of the file fails, the error is that of one call, and the next
// call tries again.
TEST(LateParts, AnErrorIsNotKept) {
  for (const Kind& kind : kKinds) {
    const std::string table = TableOf(kind);
    for (const Read& read : Reads()) {
      SCOPED_TRACE(std::string(kind.name) + ", " + read.name);
      std::string expected;
      Require(read.run(*OpenTable(table), &expected));
      uint64_t failures = 0;
      for (uint64_t n = 1;; ++n) {
        FaultPlan plan;
        auto reader = TableReader::Open(NewFaultyFile("f.sst", table, &plan),
                                        OptionsOf(kind, LoadTime::kAtFirstUse));
        Require(reader.status());
        plan = {.fail_at = n};
        std::string found;
        const Status status = read.run(**reader, &found);
        if (plan.faults == 0) break;
        if (!status.ok()) {
          ++failures;
          EXPECT_TRUE(status.IsIOError()) << status.ToString();
          EXPECT_EQ(status.message(), "read f.sst: injected");
        }
        plan = {};
        found.clear();
        Require(read.run(**reader, &found));
        EXPECT_EQ(found, expected);
        if (n > 20) break;
      }
      EXPECT_GT(failures, 0u);
    }
  }
}

// Any byte of index or filter that is damaged is named by the first read that
// needs it, in the words of an opening that loads all.
TEST(LateParts, DamageIsNamedByTheFirstRead) {
  for (const Kind& kind : {kKinds[0], kKinds[1], kKinds[3], kKinds[4]}) {
    const std::string table = TableOf(kind);
    TableInspection inspection;
    Require(InspectTable(*NewMemoryFile("t.sst", table), {}, &inspection));
    int refused = 0;
    for (const BlockInfo& block : inspection.blocks) {
      if (block.kind != BlockKind::kIndex && block.kind != BlockKind::kFilter) {
        continue;
      }
      std::string damaged = table;
      char& byte = damaged[static_cast<size_t>(block.offset + block.size / 2)];
      byte = static_cast<char>(byte ^ 1);
      SCOPED_TRACE(std::string(kind.name) + ", block at " +
                   std::to_string(block.offset));
      const auto open = [&](LoadTime when) {
        return TableReader::Open(NewMemoryFile("t.sst", damaged),
                                 OptionsOf(kind, when));
      };
      const Status expected = open(LoadTime::kAtOpen).status();
      EXPECT_TRUE(expected.IsCorruption()) << expected.ToString();
      ++refused;
      auto late = open(LoadTime::kAtFirstUse);
      Require(late.status());
      for (int again = 0; again < 2; ++again) {
        GetResult result;
        const Status status = (*late)->Get(KeyNumber(3), &result);
        EXPECT_EQ(status.ToString(), expected.ToString());
      }
    }
    EXPECT_EQ(refused, 2);
  }
}

}  // namespace

}  // namespace ashlar
