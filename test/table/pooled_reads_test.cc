// Tests ReadOptions::worker_pool. Batches with a pool answer as without one,
// and many threads may share one pool. Under TSan, the tests report no data
// race.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/multi_table_get.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/util/worker_pool.h"
#include "test/support/folder.h"
#include "test/support/many_blocks.h"

namespace ashlar::testing {
namespace {

std::string Told(const std::vector<GetResult>& results,
                 const std::vector<Status>& statuses) {
  std::string told;
  for (size_t i = 0; i < results.size(); ++i) {
    told += statuses[i].ToString() + " " +
            std::to_string(static_cast<int>(results[i].state)) + " " +
            Hex(results[i].value.ToString()) + "\n";
  }
  return told;
}

std::string Batched(const TableReader& reader, const ReadOptions& options,
                    const std::vector<Slice>& keys) {
  std::vector<GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  reader.MultiGet(options, keys, kMaxSequenceNumber, results, statuses);
  return Told(results, statuses);
}

TEST(PooledBatches, AnswerTheSame) {
  ForEachSeed(1, 60, [](uint64_t seed) {
    Random random(seed);
    WorkerPool pool(static_cast<uint32_t>(random.Below(4)));
    std::string bytes = ManyBlocks(&random, 1000);
    if (random.OneIn(2)) {
      for (const BlockInfo& block : DataBlocksOf(bytes)) {
        if (random.OneIn(5))
          bytes[block.offset + random.Below(block.size)] ^= 8;
      }
    }
    PooledOptions options = AnyOptions(&random);
    const auto plain = OpenTable(bytes);
    const auto pooled = OpenTable(bytes, options.reader);
    for (int round = 0; round < 5; ++round) {
      std::vector<std::string> names;
      const uint64_t n = random.Below(100);
      for (uint64_t i = 0; i < n; ++i) {
        names.push_back(KeyOf(static_cast<int>(random.Below(2010))));
      }
      const std::vector<Slice> keys(names.begin(), names.end());
      options.read.worker_pool = nullptr;
      const std::string expected = Batched(*plain, options.read, keys);
      options.read.worker_pool = &pool;
      ASSERT_EQ(Batched(*pooled, options.read, keys), expected);

      const std::string smallest = KeyOf(0);
      const std::string largest = KeyOf(2010);
      const TableRange range{pooled.get(), smallest, largest};
      const TableLevel level{std::span(&range, 1), true};
      std::vector<GetResult> results(keys.size());
      std::vector<Status> statuses(keys.size());
      MultiGetFromTables(options.read, std::span(&level, 1), keys,
                         kMaxSequenceNumber, results, statuses);
      ASSERT_EQ(Told(results, statuses), expected);
    }
  });
}

// Files of the operating system: reads by the page cache, by rings, and past
// the page cache.
TEST(PooledBatches, FilesOnDisk) {
  Random random(10);
  const TestFolder folder;
  const std::string path = folder / "t.sst";
  const std::string bytes = ManyBlocks(&random, 1000);
  WriteFile(path, bytes);
  const auto plain = OpenTable(bytes);
  const std::string forward = Walked(*plain, {}, true);
  const std::string backward = Walked(*plain, {}, false);
  std::vector<std::string> names;
  names.reserve(100);
  for (int i = 0; i < 100; ++i) {
    names.push_back(KeyOf(static_cast<int>(random.Below(2000))));
  }
  const std::vector<Slice> keys(names.begin(), names.end());
  const std::string batched = Batched(*plain, {}, keys);
  WorkerPool pool(2);
  for (const bool direct : {false, true}) {
    ReaderOptions reader_options;
    reader_options.use_direct_reads = direct;
    auto reader = TableReader::Open(path, reader_options);
    if (reader.status().IsNotSupported()) break;
    Require(reader.status());
    ReadOptions options;
    for (const bool async : {false, true}) {
      options.async_io = async;
      options.worker_pool = nullptr;
      EXPECT_EQ(Walked(**reader, options, true), forward);
      EXPECT_EQ(Batched(**reader, options, keys), batched);
      options.worker_pool = &pool;
      EXPECT_EQ(Walked(**reader, options, true), forward);
      EXPECT_EQ(Walked(**reader, options, false), backward);
      EXPECT_EQ(Batched(**reader, options, keys), batched);
    }
  }
  ReaderOptions both;
  both.use_direct_reads = true;
  both.allow_mmap_reads = true;
  EXPECT_TRUE(TableReader::Open(path, both).status().IsInvalidArgument());
}

TEST(PooledReads, ShareOnePoolAndOneCache) {
  Random random(9);
  const std::string bytes = ManyBlocks(&random, 2000);
  const auto plain = OpenTable(bytes);
  const std::string forward = Walked(*plain, {}, true);
  const std::string backward = Walked(*plain, {}, false);
  WorkerPool pool(2);
  LruCacheOptions of_cache;
  of_cache.capacity = 60000;
  ReaderOptions reader_options;
  reader_options.block_cache = NewLruCache(of_cache).value();
  const auto reader = OpenTable(bytes, reader_options);
  ReadOptions options;
  options.worker_pool = &pool;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Random mine(static_cast<uint64_t>(t) + 100);
      for (int round = 0; round < 6; ++round) {
        const uint64_t what = mine.Below(4);
        if (what == 0) {
          EXPECT_EQ(Walked(*reader, options, true), forward);
        } else if (what == 1) {
          EXPECT_EQ(Walked(*reader, options, false), backward);
        } else if (what == 2) {
          std::vector<std::string> names;
          names.reserve(40);
          for (int i = 0; i < 40; ++i) {
            names.push_back(KeyOf(static_cast<int>(mine.Below(4000))));
          }
          const std::vector<Slice> keys(names.begin(), names.end());
          EXPECT_EQ(Batched(*reader, options, keys),
                    Batched(*plain, ReadOptions(), keys));
        } else {
          // A builder takes turns with the reads.
          BuildOptions build = FixedBuild();
          build.worker_pool = &pool;
          build.workers = 2;
          TableOptions table_options;
          table_options.compression = CompressionType::kZSTD;
          EXPECT_EQ(BuildTable(table_options, SomeEntries(500), build),
                    BuildTable(table_options, SomeEntries(500)));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace ashlar::testing
