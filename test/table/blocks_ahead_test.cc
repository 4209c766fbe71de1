// Tests the blocks that an iterator looks up in the cache before it reaches
// them: how much they pin, and that they change no result.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/table_reader.h"
#include "test/support/faulty_file.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr int kEntries = 3000;
constexpr size_t kCapacity = size_t{8} << 20;

struct CachedTable {
  explicit CachedTable(std::shared_ptr<Cache> cache_in)
      : cache(std::move(cache_in)) {
    TableOptions options;
    options.block_size = 256;
    ReaderOptions reader_options;
    reader_options.block_cache = cache;
    auto opened = TableReader::Open(
        NewFaultyFile("test.sst", BuildTable(options, SomeEntries(kEntries)),
                      &plan),
        reader_options);
    Require(opened.status());
    reader = std::move(opened).value();
    plan.operations = 0;
  }

  std::vector<Entry> Forward() const {
    std::vector<Entry> entries;
    Require(ReadForward(*reader, {}, &entries));
    return entries;
  }

  FaultPlan plan;
  std::shared_ptr<Cache> cache;
  std::unique_ptr<TableReader> reader;
};

std::shared_ptr<Cache> LruOf(size_t capacity) {
  LruCacheOptions options;
  options.capacity = capacity;
  return std::move(NewLruCache(options)).value();
}

// Returns the bytes of cached blocks that are in use.
size_t Pinned(const CachedTable& table) {
  return table.cache->GetPinnedUsage();
}

TEST(BlocksAhead, AWalkHoldsAFewBlocksAndASeekLetsThemGo) {
  CachedTable table(LruOf(kCapacity));
  EXPECT_EQ(table.Forward(), SomeEntries(kEntries));
  Iterator it = table.reader->NewIterator();
  it.Seek("key00500");
  const size_t one = Pinned(table);
  ASSERT_GT(one, 0u);
  // A few steps, which cross the end of one block.
  for (int i = 0; i < 12; ++i) it.Next();
  EXPECT_LE(Pinned(table), one * 2);
  size_t most = 0;
  for (; it.Valid(); it.Next()) most = std::max(most, Pinned(table));
  EXPECT_GT(most, 4 * one);
  EXPECT_LT(most, 20 * one);
  for (it.SeekToLast(); it.Valid(); it.Prev()) {
    most = std::max(most, Pinned(table));
  }
  EXPECT_LT(most, 20 * one);
  it.Seek("key00500");
  EXPECT_LE(Pinned(table), one * 2);
  it.SeekToFirst();
  EXPECT_LE(Pinned(table), one * 2);
}

TEST(BlocksAhead, AtEitherEndNothingIsHeld) {
  CachedTable table(LruOf(kCapacity));
  table.Forward();
  Iterator it = table.reader->NewIterator();
  for (it.SeekToFirst(); it.Valid();) it.Next();
  Iterator other = table.reader->NewIterator();
  for (other.SeekToLast(); other.Valid();) other.Prev();
  EXPECT_EQ(Pinned(table), 0u);
}

// Blocks enter and leave the cache during a walk.
TEST(BlocksAhead, WhateverIsInTheCacheTheWalkIsTheSame) {
  ForEachSeed(23000, 30, [](uint64_t seed) {
    Random random(seed);
    CachedTable table(LruOf(random.OneIn(2) ? kCapacity : 3000));
    const std::vector<Entry> expected = SomeEntries(kEntries);
    Iterator it = table.reader->NewIterator();
    for (int walk = 0; walk < 20; ++walk) {
      const size_t first = random.Below(kEntries);
      it.Seek(UserKeyOf(expected[first].key));
      auto at = static_cast<int64_t>(first);
      for (uint64_t turns = random.Below(4); turns > 0; --turns) {
        const bool forward = random.OneIn(2);
        for (uint64_t n = random.Below(400); n > 0 && it.Valid(); --n) {
          const Entry& entry = expected[static_cast<size_t>(at)];
          ASSERT_TRUE(it.key() == Slice(entry.key));
          ASSERT_TRUE(it.value() == Slice(entry.value));
          if (forward) {
            it.Next();
          } else {
            it.Prev();
          }
          at += forward ? 1 : -1;
          if (random.OneIn(200)) table.cache->EraseUnRefEntries();
        }
        ASSERT_TRUE(it.status().ok());
        ASSERT_EQ(it.Valid(), at >= 0 && at < kEntries);
        if (!it.Valid()) break;
      }
    }
  });
}

TEST(BlocksAhead, NothingIsReadForThem) {
  CachedTable table(LruOf(kCapacity));
  table.Forward();
  const uint64_t reads = table.plan.operations;
  EXPECT_EQ(table.Forward(), SomeEntries(kEntries));
  EXPECT_EQ(table.plan.operations, reads);
  // No block is in the cache now. The walk reads each block when it reaches it,
  // and reports the read error then.
  table.cache->EraseUnRefEntries();
  Iterator it = table.reader->NewIterator({.fill_cache = false});
  it.Seek("key00500");
  ASSERT_TRUE(it.Valid());
  table.plan.fail_at = table.plan.operations + 1;
  while (it.Valid()) it.Next();
  EXPECT_TRUE(it.status().IsIOError());
}

}  // namespace
}  // namespace ashlar::testing
