// Replays count what a plain LRU list misses, by caller, kind and level, and
// know of a trace what its records say.

#include "tools/replay/replay_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cache/trace/trace_format.h"
#include "test/support/folder.h"
#include "test/support/random.h"
#include "test/support/rocksdb_trace.h"

#if ASHLAR_HAVE_ZSTD
#include <zstd.h>
#endif

namespace ashlar::sim {

namespace {

using ::testing::HasSubstr;
using testing::RocksDBAccess;

// A list of blocks, the last used one first. Written for this test.
class NaiveLru {
 public:
  explicit NaiveLru(uint64_t capacity) : capacity_(capacity) {}

  bool Access(const RocksDBAccess& access) {
    const auto found = std::ranges::find(list_, access.block, &Entry::first);
    const bool hit = found != list_.end();
    if (hit) {
      list_.splice(list_.begin(), list_, found);
    } else if (!access.no_insert) {
      list_.emplace_front(access.block, access.bytes);
      bytes_ += access.bytes;
      while (bytes_ > capacity_) {
        bytes_ -= list_.back().second;
        list_.pop_back();
      }
    }
    return hit;
  }

 private:
  using Entry = std::pair<std::string, uint64_t>;
  const uint64_t capacity_;
  std::list<Entry> list_;
  uint64_t bytes_ = 0;
};

constexpr uint8_t kTypes[] = {9, 7, 8, 10, 11};

// Accesses to blocks of which each has a kind, a level and a size of its own.
std::vector<RocksDBAccess> SomeAccesses(int count, bool with_no_insert,
                                        uint64_t seed = 1) {
  testing::Random random(seed);
  std::vector<RocksDBAccess> accesses;
  for (int i = 0; i < count; ++i) {
    const uint64_t block = random.Below(random.Below(3) == 0 ? 500 : 40);
    const uint64_t mixed = block * 0x9e3779b97f4a7c15;
    accesses.push_back({.type = kTypes[mixed >> 8 & 1 ? 0 : mixed % 5],
                        .block = "block" + std::to_string(block),
                        .bytes = 100 + (mixed >> 20) % 9000,
                        .level = block % 11 == 0
                                     ? 0xffffffff
                                     : static_cast<uint32_t>(block % 7),
                        .caller = static_cast<uint8_t>(random.Below(15)),
                        .hit = random.Below(3) != 0,
                        .no_insert = with_no_insert && random.Below(4) == 0,
                        .micros = 1000 + static_cast<uint64_t>(i)});
  }
  return accesses;
}

std::string TraceOf(const std::vector<RocksDBAccess>& accesses) {
  std::string bytes = testing::RocksDBTraceHeader();
  for (const RocksDBAccess& each : accesses) {
    bytes += testing::TracedByRocksDB(each);
  }
  return bytes;
}

// Counts by (group, number), where the group is 'c', 'k' or 'l'. Unknown levels
// are 99.
using Counts = std::map<std::pair<char, int>, uint64_t>;

void Count(const RocksDBAccess& access, Counts* counts) {
  ++(*counts)[{'c', access.caller}];
  ++(*counts)[{'k', access.type}];
  ++(*counts)[{
      'l', access.level == 0xffffffff ? 99 : static_cast<int>(access.level)}];
}

Counts CountsOf(const AccessCounts& from) {
  Counts counts;
  const auto put = [&](char group, int number, uint64_t count) {
    if (count != 0) counts[{group, number}] = count;
  };
  for (size_t i = 0; i < kBlockAccessCallers; ++i) {
    put('c', static_cast<int>(i), from.by_caller[i]);
  }
  for (size_t i = 0; i < kBlockAccessKinds; ++i) {
    put('k', kTypes[i], from.by_kind[i]);
  }
  for (size_t i = 0; i < AccessCounts::kLevels; ++i) {
    put('l', i == AccessCounts::kUnknownLevel ? 99 : static_cast<int>(i),
        from.by_level[i]);
  }
  return counts;
}

class ReplayTraceTest : public ::testing::Test {
 protected:
  static ReplayOptions Options(const std::string& caches,
                               std::vector<uint64_t> sizes) {
    ReplayOptions options;
    options.sizes = std::move(sizes);
    options.charge_metadata = false;
    EXPECT_TRUE(FindSimulatedCaches(caches, &options.caches).ok());
    return options;
  }
  TraceReplay Replayed(const std::string& bytes, const ReplayOptions& options) {
    TraceReplay replay;
    status_ = Replay(bytes, options, &replay);
    EXPECT_TRUE(status_.ok()) << status_.ToString();
    return replay;
  }
  Status Replay(const std::string& bytes, const ReplayOptions& options,
                TraceReplay* replay) {
    testing::WriteFile(folder_ / "trace", bytes);
    return ReplayTrace(folder_ / "trace", options, replay);
  }

  testing::TestFolder folder_;
  Status status_;
};

TEST_F(ReplayTraceTest, MissesAreThoseOfAList) {
  testing::ForEachSeed(1, 6, [&](uint64_t seed) {
    const bool with_no_insert = seed % 2 == 0;
    const auto accesses = SomeAccesses(4000, with_no_insert, seed);
    const std::vector<uint64_t> sizes = {10000, 50000, 300000, 100000000};
    const TraceReplay replay =
        Replayed(TraceOf(accesses), Options("lru", sizes));
    ASSERT_EQ(replay.results.size(), sizes.size());
    for (size_t i = 0; i < sizes.size(); ++i) {
      NaiveLru naive(sizes[i]);
      Counts misses;
      uint64_t all = 0;
      for (const RocksDBAccess& each : accesses) {
        if (naive.Access(each)) continue;
        ++all;
        Count(each, &misses);
      }
      EXPECT_EQ(replay.results[i].size, sizes[i]);
      EXPECT_EQ(replay.results[i].misses.all, all);
      EXPECT_EQ(CountsOf(replay.results[i].misses), misses);
    }
    Counts asked;
    Counts recorded;
    for (const RocksDBAccess& each : accesses) {
      Count(each, &asked);
      if (!each.hit) Count(each, &recorded);
    }
    EXPECT_EQ(CountsOf(replay.accesses), asked);
    EXPECT_EQ(CountsOf(replay.recorded_misses), recorded);
  });
}

// The limits of bins are sizes for which the histogram is exact.
TEST_F(ReplayTraceTest, DistancesGiveTheMissesOfLru) {
  const auto accesses = SomeAccesses(6000, false);
  std::vector<uint64_t> sizes;
  std::vector<size_t> bins;
  for (const uint64_t size : {5000, 20000, 100000, 400000, 5000000}) {
    bins.push_back(ReuseHistogram::BinOf(size));
    sizes.push_back(ReuseHistogram::LimitOf(bins.back()));
  }
  const TraceReplay replay = Replayed(TraceOf(accesses), Options("lru", sizes));
  for (size_t i = 0; i < sizes.size(); ++i) {
    uint64_t missed = replay.reuse.accesses();
    for (size_t bin = 0; bin <= bins[i]; ++bin) {
      missed -= replay.reuse.CountIn(bin);
    }
    EXPECT_EQ(missed, replay.results[i].misses.all) << sizes[i];
  }
}

TEST_F(ReplayTraceTest, EveryCacheThatHoldsAllMissesFirstUsesOnly) {
  const auto accesses = SomeAccesses(3000, false);
  std::map<std::string, uint64_t> blocks;
  for (const RocksDBAccess& each : accesses) blocks[each.block] = each.bytes;
  uint64_t bytes = 0;
  for (const auto& [block, size] : blocks) bytes += size;
  ReplayOptions options =
      Options("clock,clock_admission,lru,lru_pools", {uint64_t{64} << 20});
  options.charge_metadata = true;
  const TraceReplay replay = Replayed(TraceOf(accesses), options);
  EXPECT_EQ(replay.blocks, blocks.size());
  EXPECT_EQ(replay.block_bytes, bytes);
  EXPECT_EQ(replay.reuse.first_uses(), blocks.size());
  EXPECT_EQ(replay.unknown_sizes, 0U);
  EXPECT_EQ(replay.first_micros, 1000U);
  EXPECT_EQ(replay.last_micros, 3999U);
  ASSERT_EQ(replay.results.size(), 4U);
  for (const CacheMisses& result : replay.results) {
    EXPECT_EQ(result.misses.all, blocks.size()) << result.cache->name;
  }
}

// Caches differ, and the table of a cache takes part of its capacity.
TEST_F(ReplayTraceTest, SmallCachesMissMore) {
  const std::string trace = TraceOf(SomeAccesses(6000, false));
  ReplayOptions options =
      Options("clock,clock_admission,lru,lru_pools", {100000});
  const TraceReplay without = Replayed(trace, options);
  options.charge_metadata = true;
  const TraceReplay with = Replayed(trace, options);
  std::map<uint64_t, int> different;
  for (size_t i = 0; i < with.results.size(); ++i) {
    EXPECT_GT(without.results[i].misses.all, without.reuse.first_uses());
    EXPECT_GT(with.results[i].misses.all, without.results[i].misses.all);
    ++different[without.results[i].misses.all];
  }
  EXPECT_EQ(different.size(), 4U);
}

TEST_F(ReplayTraceTest, ASampledTraceStandsForLargerCaches) {
  const std::string trace = TraceOf(SomeAccesses(4000, false));
  const TraceReplay whole = Replayed(trace, Options("lru", {50000}));
  ReplayOptions options = Options("lru", {500000});
  options.sampling_frequency = 10;
  const TraceReplay sampled = Replayed(trace, options);
  EXPECT_EQ(whole.sampling_frequency, 1U);
  EXPECT_EQ(sampled.sampling_frequency, 10U);
  EXPECT_EQ(sampled.results[0].size, 500000U);
  EXPECT_EQ(sampled.results[0].misses.all, whole.results[0].misses.all);
  EXPECT_GT(ReuseHistogram::LimitOf(sampled.reuse.end_bin() - 1),
            7 * ReuseHistogram::LimitOf(whole.reuse.end_bin() - 1));
}

TEST_F(ReplayTraceTest, ABlockHasTheLastSizeThatIsKnown) {
  const auto access = [](const char* block, uint64_t bytes) {
    return RocksDBAccess{.block = block, .bytes = bytes};
  };
  const std::string trace =
      TraceOf({access("a", 0), access("b", 300), access("b", 0), access("c", 0),
               access("c", 50), access("a", 0)});
  ReplayOptions options = Options("lru", {1000});
  options.unknown_block_bytes = 7;
  const TraceReplay replay = Replayed(trace, options);
  EXPECT_EQ(replay.blocks, 3U);
  EXPECT_EQ(replay.block_bytes, 7U + 300 + 50);
  EXPECT_EQ(replay.unknown_sizes, 3U);
  EXPECT_EQ(replay.reuse.CountIn(ReuseHistogram::BinOf(300)), 1U);
  EXPECT_EQ(replay.reuse.CountIn(ReuseHistogram::BinOf(50)), 1U);
  EXPECT_EQ(replay.reuse.CountIn(ReuseHistogram::BinOf(357)), 1U);
}

TEST_F(ReplayTraceTest, AReadThatFillsNoCacheIsNoUse) {
  const auto access = [](const char* block, bool no_insert) {
    return RocksDBAccess{.block = block, .bytes = 100, .no_insert = no_insert};
  };
  const TraceReplay replay = Replayed(
      TraceOf({access("a", true), access("a", false), access("b", false),
               access("a", true), access("a", false)}),
      Options("lru", {100}));
  // The distance of the last two is that of both blocks.
  EXPECT_EQ(replay.reuse.first_uses(), 3U);
  EXPECT_EQ(replay.reuse.CountIn(ReuseHistogram::BinOf(200)), 2U);
  EXPECT_EQ(replay.results[0].misses.all, 5U);
}

TEST_F(ReplayTraceTest, KnowsWhatTheGoldenTraceIs) {
  TraceReplay replay;
  ASSERT_TRUE(ReplayTrace(testing::GoldenPath("trace/trace.bin"),
                          Options("lru", {1 << 20}), &replay)
                  .ok());
  EXPECT_EQ(replay.header.rocksdb_major, 11U);
  EXPECT_EQ(replay.accesses.all, 50U);
  EXPECT_EQ(CountsOf(replay.accesses), (Counts{{{'c', 1}, 16},
                                               {{'c', 2}, 6},
                                               {{'c', 3}, 5},
                                               {{'c', 9}, 2},
                                               {{'c', 10}, 20},
                                               {{'c', 11}, 1},
                                               {{'k', 7}, 12},
                                               {{'k', 8}, 11},
                                               {{'k', 9}, 27},
                                               {{'l', 0}, 44},
                                               {{'l', 6}, 6}}));
  EXPECT_EQ(replay.recorded_misses.all, 22U);
  EXPECT_FALSE(replay.is_cut_off);
}

TEST_F(ReplayTraceTest, WhatComesBeforeDamageCounts) {
  const auto accesses = SomeAccesses(10, false);
  const std::string good = TraceOf(accesses);
  TraceReplay replay;
  Status status = Replay(good + "x", Options("lru", {1000}), &replay);
  EXPECT_TRUE(status.IsCorruption());
  EXPECT_THAT(status.ToString(),
              HasSubstr("byte " + std::to_string(good.size()) + ": "));
  EXPECT_TRUE(replay.is_cut_off);
  EXPECT_EQ(replay.accesses.all, 10U);
  TraceReplay other;
  status = Replay(good + testing::TraceFrame(3, "x"), Options("lru", {1000}),
                  &other);
  EXPECT_TRUE(status.IsCorruption());
  EXPECT_FALSE(other.is_cut_off);
  EXPECT_EQ(other.accesses.all, 10U);
}

TEST_F(ReplayTraceTest, TracesOfAshlarAreSortedByTime) {
  std::string bytes;
  internal::AppendTraceHeader({.sampling_frequency = 4}, &bytes);
  // By time: a, b, a. In the file: b, a, a. Only the hit has a size.
  const internal::TracedAccess accesses[] = {
      {.key = {1, 2}, .micros = 50, .kind = TracedBlockKind::kIndex},
      {.key = {1, 1}, .micros = 40, .caller = TracedCaller::kGet},
      {.key = {1, 1}, .micros = 60, .hit = true, .charge = 20}};
  internal::AppendTraceChunk(accesses, &bytes);
  internal::AppendTraceEnd({.traced = 3}, &bytes);
  ReplayOptions options = Options("lru", {80, 120});
  options.unknown_block_bytes = 10;
  const TraceReplay replay = Replayed(bytes, options);
  EXPECT_EQ(replay.sampling_frequency, 4U);
  EXPECT_EQ(replay.blocks, 2U);
  EXPECT_EQ(replay.unknown_sizes, 1U);
  EXPECT_EQ(replay.block_bytes, 30U);
  EXPECT_EQ(replay.results[0].misses.all, 3U) << "one block has room";
  EXPECT_EQ(replay.results[1].misses.all, 2U);
  EXPECT_EQ(replay.reuse.CountIn(ReuseHistogram::BinOf(120)), 1U);
}

#if ASHLAR_HAVE_ZSTD
TEST_F(ReplayTraceTest, CompressedTracesNeedNoSuffix) {
  const std::string trace = TraceOf(SomeAccesses(100, false));
  std::string compressed(ZSTD_compressBound(trace.size()), '\0');
  compressed.resize(ZSTD_compress(compressed.data(), compressed.size(),
                                  trace.data(), trace.size(), 1));
  EXPECT_EQ(Replayed(compressed, Options("lru", {1000})).accesses.all, 100U);
}
#endif

TEST_F(ReplayTraceTest, CanBeStopped) {
  ReplayOptions options = Options("lru", {1000});
  int looks = 0;
  options.on_progress = [&](uint64_t) { return ++looks < 3; };
  TraceReplay replay;
  const std::string trace = TraceOf(SomeAccesses(20000, false));
  EXPECT_TRUE(Replay(trace, options, &replay).ok());
  EXPECT_TRUE(replay.was_stopped);
  EXPECT_LT(replay.accesses.all, 20000U);
  EXPECT_GT(replay.accesses.all, 0U);
}

TEST_F(ReplayTraceTest, UnknownCachesAreNamed) {
  std::vector<const SimulatedCacheKind*> kinds;
  EXPECT_THAT(FindSimulatedCaches("lru,fifo", &kinds).ToString(),
              HasSubstr("unknown cache 'fifo'"));
  kinds.clear();
  EXPECT_THAT(FindSimulatedCaches("lru,lru", &kinds).ToString(),
              HasSubstr("cache 'lru' is listed twice"));
}

}  // namespace

}  // namespace ashlar::sim
