// A trace of a table reader, replayed through a cache of the same kind and
// size, misses what the reader's own cache missed, with the charges of real
// blocks and of the cache's own table.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/cache/block_cache_tracer.h"
#include "ashlar/cache/cache_options.h"
#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/table_reader.h"
#include "test/support/folder.h"
#include "test/support/random.h"
#include "tools/replay/replay_trace.h"

namespace ashlar::sim {

namespace {

constexpr int kEntries = 4000;
constexpr int kEntriesOfBlock = 16;

std::string KeyAt(uint64_t i) {
  char key[16];
  std::snprintf(key, sizeof key, "key%07u", static_cast<unsigned>(i));
  return key;
}

void WriteTable(const std::string& path) {
  TableOptions table;
  table.block_size = 2048;
  auto writer = ExternalFileWriter::Open(path, table);
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  testing::Random random(5);
  for (int i = 0; i < kEntries; ++i) {
    ASSERT_TRUE((*writer)
                    ->Put(KeyAt(static_cast<uint64_t>(i)),
                          random.Bytes(50 + random.Below(200)))
                    .ok());
  }
  ASSERT_TRUE((*writer)->Finish().ok());
}

void ReadAt(const TableReader& reader, uint64_t i) {
  GetResult result;
  ASSERT_TRUE(reader.Get(KeyAt(i), &result).ok());
}

TEST(TracedReader, IsReplayedAsItWas) {
  const testing::TestFolder folder;
  WriteTable(folder / "t.sst");
  for (const size_t capacity : {30000, 100000, 300000}) {
    auto cache = NewLruCache(
        {.capacity = capacity, .num_shard_bits = 0, .high_pri_pool_ratio = 0});
    ASSERT_TRUE(cache.ok());
    const auto tracer = std::make_shared<BlockCacheTracer>();
    ReaderOptions options;
    options.block_cache = *cache;
    options.block_cache_tracer = tracer;
    auto reader = TableReader::Open(folder / "t.sst", options);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    auto file = OpenWritableFile(folder / "trace");
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(tracer->StartTrace({}, std::move(file).value()).ok());
    testing::Random random(capacity);
    for (int i = 0; i < 20000; ++i) {
      ReadAt(**reader,
             std::min(random.Below(kEntries), random.Below(kEntries)));
    }
    // Each block is found at least once, so the trace has all charges.
    for (uint64_t i = 0; i < kEntries; i += kEntriesOfBlock / 4) {
      ReadAt(**reader, i);
      ReadAt(**reader, i);
    }
    ASSERT_TRUE(tracer->EndTrace().ok());
    ReplayOptions replay_options;
    replay_options.sizes = {capacity};
    ASSERT_TRUE(FindSimulatedCaches("lru", &replay_options.caches).ok());
    TraceReplay replay;
    ASSERT_TRUE(ReplayTrace(folder / "trace", replay_options, &replay).ok());
    EXPECT_EQ(replay.accesses.all, tracer->traced());
    EXPECT_EQ(replay.unknown_sizes, 0U);
    EXPECT_GT(replay.blocks, 200U);
    EXPECT_GT(replay.recorded_misses.all, replay.blocks);
    // A block is not charged quite the same each time that it is loaded, since
    // a reader learns how much room the entry words of a block need. The trace
    // lacks the charge if the block is evicted before it is found.
    const auto recorded = static_cast<double>(replay.recorded_misses.all);
    EXPECT_NEAR(static_cast<double>(replay.results[0].misses.all), recorded,
                recorded / 400);
  }
}

}  // namespace

}  // namespace ashlar::sim
