// Tests blocks that several threads miss in the cache at once. One thread reads
// each block, and no thread waits for a block that does not come.

#include <gtest/gtest.h>

#include <barrier>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "test/support/gated_file.h"
#include "test/support/random.h"
#include "test/support/tables.h"
#include "test/support/watched_cache.h"

namespace ashlar::testing {
namespace {

constexpr int kEntries = 2000;

class LoadOnce : public ::testing::Test {
 protected:
  LoadOnce() {
    for (int i = 0; i < kEntries; ++i) {
      keys_.push_back(entries_[static_cast<size_t>(i)].key.substr(0, 8));
    }
    Open(size_t{8} << 20);
  }

  void Open(size_t capacity, bool strict = false) {
    HyperClockCacheOptions cache;
    cache.capacity = capacity;
    cache.strict_capacity_limit = strict;
    cache.estimated_entry_charge = 512;
    cache_ = std::make_shared<WatchedCache>(
        std::move(NewHyperClockCache(cache)).value());
    reader_options_.block_cache = cache_;
    auto opened = TableReader::Open(
        std::make_unique<GatedFile>(contents_, &gates_), reader_options_);
    Require(opened.status());
    reader_ = std::move(opened).value();
  }

  static TableOptions SmallBlocks() {
    TableOptions options;
    options.block_size = 300;
    return options;
  }

  const std::string& key(int i) const { return keys_[static_cast<size_t>(i)]; }
  // Returns the offset of the block that has the key.
  uint64_t OffsetOf(const std::string& key) {
    GetResult result;
    ReadOptions options;
    options.fill_cache = false;
    Require(reader_->Get(options, key, kMaxSequenceNumber, &result));
    ++misses_before_;
    return gates_.last_offset();
  }

  Status Get(int i, std::string* value, ReadOptions options = {}) const {
    GetResult result;
    Status status = reader_->Get(options, key(i), kMaxSequenceNumber, &result);
    *value = result.value.ToString();
    return status;
  }
  void ExpectGet(int i, ReadOptions options = {}) const {
    std::string value;
    const Status status = Get(i, &value, options);
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(value, "value" + std::to_string(i));
  }
  void ExpectMultiGet(const std::vector<int>& numbers,
                      const ReadOptions& options = {}) const {
    std::vector<Slice> asked;
    asked.reserve(numbers.size());
    for (const int i : numbers) asked.emplace_back(key(i));
    std::vector<GetResult> results(asked.size());
    std::vector<Status> statuses(asked.size());
    reader_->MultiGet(options, asked, kMaxSequenceNumber, results, statuses);
    for (size_t k = 0; k < asked.size(); ++k) {
      EXPECT_TRUE(statuses[k].ok()) << statuses[k].ToString();
      EXPECT_EQ(results[k].value.ToString(),
                "value" + std::to_string(numbers[k]));
    }
  }
  void ExpectSeek(int i) const {
    Iterator it = reader_->NewIterator();
    it.Seek(key(i));
    ASSERT_TRUE(it.Valid()) << it.status().ToString();
    EXPECT_EQ(it.value().ToString(), "value" + std::to_string(i));
  }
  // Waits until n lookups missed the cache. Misses of OffsetOf do not count.
  void AwaitMisses(int n) { cache_->AwaitMisses(n + misses_before_); }

  const std::vector<Entry> entries_ = SomeEntries(kEntries);
  std::string contents_ = BuildTable(SmallBlocks(), entries_);
  std::vector<std::string> keys_;
  Gates gates_;
  ReaderOptions reader_options_;
  std::shared_ptr<WatchedCache> cache_;
  std::unique_ptr<TableReader> reader_;
  int misses_before_ = 0;
};

TEST_F(LoadOnce, WhoeverMissesABlockWaitsForOneRead) {
  const uint64_t block = OffsetOf(key(1000));
  const uint64_t other = OffsetOf(key(10));
  gates_.Hold(block);
  std::vector<std::thread> threads;
  threads.emplace_back([&] { ExpectGet(1000); });
  gates_.AwaitReads(block, 2);
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] { ExpectGet(1000); });
    threads.emplace_back([&] { ExpectMultiGet({1000, 10, 1000}); });
    threads.emplace_back([&] { ExpectSeek(1000); });
  }
  // Each thread has asked the cache. It waits now, or will find the block in
  // the cache.
  AwaitMisses(1 + 3 + 2 + 3);
  gates_.Open();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(gates_.Reads(block), 2) << "one of them by OffsetOf";
  EXPECT_EQ(gates_.Reads(other), 2);
}

// Two readers of one file that share a cache have the same keys there.
TEST_F(LoadOnce, ReadersOfOneFileShareALoad) {
  const uint64_t block = OffsetOf(key(1000));
  ReaderOptions options;
  options.block_cache = cache_;
  auto second = TableReader::Open(
      std::make_unique<GatedFile>(contents_, &gates_), options);
  Require(second.status());
  gates_.Hold(block);
  std::thread reading([&] { ExpectGet(1000); });
  gates_.AwaitReads(block, 2);
  std::thread waiting([&] {
    GetResult result;
    Require((*second)->Get({}, key(1000), kMaxSequenceNumber, &result));
    EXPECT_EQ(result.value.ToString(), "value1000");
  });
  AwaitMisses(2);
  gates_.Open();
  reading.join();
  waiting.join();
  EXPECT_EQ(gates_.Reads(block), 2) << "one of them by OffsetOf";
}

TEST_F(LoadOnce, AnErrorIsOfTheReaderWhoseReadFailed) {
  const uint64_t block = OffsetOf(key(1000));
  gates_.Hold(block);
  gates_.Fail(block);
  std::string value;
  Status first;
  std::thread reading([&] { first = Get(1000, &value); });
  gates_.AwaitReads(block, 2);
  std::thread waiting[] = {
      std::thread([&] { ExpectGet(1000); }),
      std::thread([&] {
        ExpectMultiGet({1000, 10});
      }),
      std::thread([&] { ExpectSeek(1000); }),
  };
  AwaitMisses(1 + 1 + 2 + 1);
  gates_.Open();
  reading.join();
  for (std::thread& thread : waiting) thread.join();
  EXPECT_EQ(first.message(), "read gated.sst: failed");
  // The next reader finds the block in the cache.
  const int reads = gates_.Reads(block);
  EXPECT_GE(reads, 3);
  ExpectGet(1000);
  EXPECT_EQ(gates_.Reads(block), reads);
}

// Another thread may load the block between a thread's lookup and its claim.
TEST_F(LoadOnce, ABlockThatCameMeanwhile) {
  const uint64_t block = OffsetOf(key(1000));
  cache_->on_miss = [&] { ExpectGet(1000); };
  ExpectGet(1000);
  EXPECT_EQ(gates_.Reads(block), 2) << "one of them by OffsetOf";

  const uint64_t other = OffsetOf(key(10));
  cache_->on_miss = [&] { ExpectGet(10); };
  ExpectMultiGet({10, 1900});
  EXPECT_EQ(gates_.Reads(other), 2);
}

// If the read of one block of a batch fails, only the keys of that block fail.
// The claim ends, so later reads succeed.
TEST_F(LoadOnce, AnErrorOfABatchEndsItsClaims) {
  const uint64_t block = OffsetOf(key(1000));
  gates_.Fail(block);
  const std::vector<Slice> asked = {key(10), key(1000), key(1900)};
  std::vector<GetResult> results(3);
  std::vector<Status> statuses(3);
  reader_->MultiGet({}, asked, kMaxSequenceNumber, results, statuses);
  EXPECT_TRUE(statuses[0].ok());
  EXPECT_TRUE(statuses[1].IsIOError());
  EXPECT_TRUE(statuses[2].ok());
  ExpectGet(1000);
  ExpectMultiGet({1000, 10, 1900});
}

// If one read of neighbouring blocks fails, the batch reads them one by one,
// under the same claims.
TEST_F(LoadOnce, AReadOfManyBlocksThatFails) {
  gates_.Fail(OffsetOf(key(1000)));
  ExpectMultiGet({1000, 1010, 1020, 1030, 1040, 1050});
}

// Otherwise two batches that want each other's blocks would wait forever.
TEST_F(LoadOnce, ABatchReadsItsOwnBlocksBeforeItWaits) {
  const uint64_t awaited = OffsetOf(key(100));
  const uint64_t own = OffsetOf(key(1900));
  gates_.Hold(awaited);
  std::thread loader([&] { ExpectGet(100); });
  gates_.AwaitReads(awaited, 2);
  std::thread batch([&] { ExpectMultiGet({1900, 100}); });
  gates_.AwaitReads(own, 2);
  // This Get waits for the batch, which has not got its other block yet.
  ExpectGet(1900);
  EXPECT_EQ(gates_.Reads(own), 2);
  gates_.Open();
  loader.join();
  batch.join();
  EXPECT_EQ(gates_.Reads(awaited), 2);
}

// A batch also holds no claim on a block that it could not read while it waits
// for others.
TEST_F(LoadOnce, ABatchWaitsWithoutClaims) {
  const uint64_t awaited = OffsetOf(key(100));
  const uint64_t bad = OffsetOf(key(1900));
  gates_.Hold(awaited);
  std::thread loader([&] { ExpectGet(100); });
  gates_.AwaitReads(awaited, 2);
  gates_.Fail(bad);
  const std::vector<Slice> asked = {key(1900), key(100)};
  std::vector<GetResult> results(2);
  std::vector<Status> statuses(2);
  std::thread batch([&] {
    reader_->MultiGet({}, asked, kMaxSequenceNumber, results, statuses);
  });
  gates_.AwaitReads(bad, 2);
  ExpectGet(1900);
  gates_.Open();
  loader.join();
  batch.join();
  EXPECT_TRUE(statuses[0].IsIOError());
  EXPECT_TRUE(statuses[1].ok());
}

TEST_F(LoadOnce, WhatDoesNotGoToTheCacheTakesNoPart) {
  const uint64_t block = OffsetOf(key(1000));
  gates_.Hold(block);
  std::thread loader([&] { ExpectGet(1000); });
  gates_.AwaitReads(block, 2);
  ReadOptions passing;
  passing.fill_cache = false;
  ExpectGet(1000, passing);
  ReadOptions unverified;
  unverified.verify_checksums = false;
  ExpectGet(1000, unverified);
  EXPECT_EQ(gates_.Reads(block), 4);
  gates_.Open();
  loader.join();
}

// Those of a part of the index and of a data block.
class LimitedLoadOnce : public LoadOnce {
 protected:
  static constexpr std::chrono::microseconds kNeverComes{
      std::numeric_limits<int64_t>::max() / 2};

  LimitedLoadOnce() {
    TableOptions options = SmallBlocks();
    options.index_type = IndexType::kTwoLevelIndexSearch;
    options.metadata_block_size = 300;
    contents_ = BuildTable(options, entries_);
    TableInspection found;
    Require(InspectTable(*NewMemoryFile("t.sst", contents_), {}, &found));
    for (const BlockInfo& block : found.blocks) {
      const bool is_first =
          block.kind == BlockKind::kIndexPartition || block.offset == 0;
      if (is_first && blocks_.size() < 2) blocks_.push_back(block.offset);
    }
    EXPECT_EQ(blocks_.size(), 2U);
  }

  // Holds up a read of each block in turn, and asks for its key meanwhile.
  void AskWhileHeld(const ReadOptions& held, const ReadOptions& asking) {
    reader_options_.cache_index_and_filter_blocks = true;
    for (const uint64_t block : blocks_) {
      for (const bool many : {false, true}) {
        Open(size_t{8} << 20);
        const int before = gates_.Reads(block);
        gates_.Hold(block);
        std::thread loader([&] { ExpectGet(0, held); });
        gates_.AwaitReads(block, before + 1);
        if (many) {
          ExpectMultiGet({0, 1}, asking);
        } else {
          ExpectGet(0, asking);
        }
        EXPECT_EQ(gates_.Reads(block), before + 2);
        gates_.Open();
        loader.join();
      }
    }
  }

  std::vector<uint64_t> blocks_;
};

TEST_F(LimitedLoadOnce, AReadWithALimitOfTimeWaitsForNoOther) {
  AskWhileHeld({}, {.deadline = kNeverComes});
  AskWhileHeld({}, {.io_timeout = kNeverComes});
}

TEST_F(LimitedLoadOnce, NobodyWaitsForAReadThatALimiterMayHoldBack) {
  AskWhileHeld({.rate_limiter_priority = IoPriority::kLow}, {});
}

// Several batches want the same blocks again and again. The cache has room for
// all blocks, for hardly any, or for none. Without room each waiting thread
// must read the block itself in the end.
TEST_F(LoadOnce, BatchesThatWantTheSameBlocks) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 300;
  for (const size_t capacity : {size_t{8} << 20, size_t{4000}, size_t{0}}) {
    Open(capacity, /*strict=*/true);
    std::barrier together(kThreads,
                          [&]() noexcept { cache_->EraseUnRefEntries(); });
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        Random random(static_cast<uint64_t>(t));
        for (int round = 0; round < kRounds; ++round) {
          together.arrive_and_wait();
          std::vector<int> numbers;
          numbers.reserve(8);
          for (int i = 0; i < 8; ++i) {
            numbers.push_back(static_cast<int>(random.Below(10)) * 190);
          }
          if (t == 0) {
            ExpectSeek(numbers[0]);
            ExpectGet(numbers[1]);
          } else {
            ExpectMultiGet(numbers);
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace ashlar::testing
