// Tests readers with a tiered block cache. They give the same answers, from the
// second tier if it has the block, and from the file otherwise.

#include "ashlar/cache/tiered_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/statistics.h"
#include "ashlar/table/table_reader.h"
#include "test/cache/pieces_of_tier.h"
#include "test/cache/slow_tier.h"
#include "test/support/faulty_file.h"
#include "test/support/random_table.h"
#include "test/support/scoped_perf_level.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr int kEntries = 3000;
constexpr uint64_t kHashSeed = 1;

std::string SomeTable() {
  TableOptions options;
  options.block_size = 256;
  return BuildTable(options, SomeEntries(kEntries));
}

// A tiered cache remembers keys that it saw once, in buckets of four, and
// forgets one if a fifth comes. For these tables, this charge makes enough
// buckets that none overflows.
constexpr size_t kChargeForRoomyMemory = 64;

struct Tiers {
  Tiers(size_t capacity, std::shared_ptr<SecondaryCache> tier,
        uint64_t hash_seed = kHashSeed)
      : second(std::move(tier)),
        cache(NewTieredCache(
                  {.primary = NewHyperClockCache({.capacity = capacity,
                                                  .estimated_entry_charge = 512,
                                                  .hash_seed = hash_seed})
                                  .value(),
                   .secondary = second,
                   .adm_policy = TieredAdmissionPolicy::kAdmPolicyAllowAll,
                   .estimated_entry_charge = kChargeForRoomyMemory,
                   .hash_seed = hash_seed})
                  .value()) {}

  // Moves all blocks of the first tier to the second.
  void EvictAll() const {
    const size_t capacity = cache->GetCapacity();
    cache->SetCapacity(0);
    cache->SetCapacity(capacity);
  }

  std::shared_ptr<SecondaryCache> second;
  std::shared_ptr<TieredCache> cache;
};

std::shared_ptr<SecondaryCache> Compressed(
    size_t capacity, CompressionType type = CompressionType::kLZ4Compression) {
  return NewCompressedSecondaryCache({.capacity = capacity,
                                      .compression_type = type,
                                      .hash_seed = kHashSeed})
      .value();
}

// A reader that counts its reads of the file, and its hits in each tier.
struct Counted {
  explicit Counted(const std::string& table, std::shared_ptr<Cache> cache) {
    ReaderOptions options;
    options.block_cache = std::move(cache);
    options.statistics = std::make_shared<Statistics>();
    statistics = options.statistics;
    auto opened =
        TableReader::Open(NewFaultyFile("test.sst", table, &plan), options);
    Require(opened.status());
    reader = std::move(opened).value();
    plan.operations = 0;
  }
  uint64_t Of(Ticker ticker) const {
    return statistics->GetTickerCount(ticker);
  }

  FaultPlan plan;
  std::shared_ptr<Statistics> statistics;
  std::unique_ptr<TableReader> reader;
};

std::vector<Entry> AllOf(const TableReader& reader) {
  std::vector<Entry> entries;
  Require(ReadForward(reader, {}, &entries));
  return entries;
}

std::vector<std::string> KeysOf(int first, int step, int n) {
  std::vector<std::string> keys;
  static const std::vector<Entry> entries = SomeEntries(kEntries);
  for (int i = 0; i < n; ++i) {
    const auto place = static_cast<size_t>(first) +
                       static_cast<size_t>(i) * static_cast<size_t>(step);
    const std::string& key = entries[place].key;
    keys.push_back(key.substr(0, key.size() - kInternalKeyTailBytes));
  }
  return keys;
}

void ExpectMultiGet(const TableReader& reader, int first, int step, int n) {
  const std::vector<std::string> keys = KeysOf(first, step, n);
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  reader.MultiGet(slices, results, statuses);
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_TRUE(statuses[i].ok());
    EXPECT_EQ(results[i].value.ToString(),
              "value" + std::to_string(first + static_cast<int>(i) * step));
  }
}

void ExpectGet(const TableReader& reader, int i) {
  GetResult result;
  Require(reader.Get(KeysOf(i, 1, 1)[0], &result));
  EXPECT_EQ(result.value.ToString(), "value" + std::to_string(i));
}

std::shared_ptr<SlowTier> RoomySlowTier() {
  auto tier = std::make_shared<SlowTier>();
  tier->SetCapacity(size_t{8} << 20);
  return tier;
}

// Puts every block of the table into the second tier, and leaves none in the
// first.
void FillSecondTier(const Counted& counted, const Tiers& tiers) {
  EXPECT_EQ(AllOf(*counted.reader), SomeEntries(kEntries));
  tiers.EvictAll();
}

void CheckThatWhatWasEvictedIsNotReadAgain(uint64_t hash_seed) {
  const Tiers tiers(size_t{8} << 20, Compressed(size_t{8} << 20), hash_seed);
  const Counted counted(SomeTable(), tiers.cache);
  const TableReader& reader = *counted.reader;
  const uint64_t blocks = reader.properties().num_data_blocks;
  EXPECT_EQ(AllOf(reader), SomeEntries(kEntries));
  const uint64_t reads = counted.plan.operations;
  EXPECT_EQ(counted.Of(Ticker::kSecondaryCacheHits), 0u);
  tiers.EvictAll();
  EXPECT_EQ(tiers.second->GetStats().entries, blocks);

  GetPerfContext()->Reset();
  const uint64_t hits = counted.Of(Ticker::kBlockCacheDataHit);
  {
    const ScopedPerfLevel level(PerfLevel::kEnableCount);
    ExpectGet(reader, 7);
  }
  EXPECT_EQ(counted.Of(Ticker::kSecondaryCacheDataHits), 1u);
  EXPECT_EQ(counted.Of(Ticker::kBlockCacheDataHit), hits + 1);
  EXPECT_EQ(GetPerfContext()->secondary_cache_hit_count, 1u);
  EXPECT_EQ(GetPerfContext()->block_cache_hit_count, 1u);

  // Two rounds, so that all blocks come back to the first tier.
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(AllOf(reader), SomeEntries(kEntries));
    ExpectMultiGet(reader, 5, 97, 30);
  }
  EXPECT_EQ(counted.plan.operations, reads);
  EXPECT_EQ(tiers.cache->GetOccupancyCount(), blocks);
  const uint64_t from_second = counted.Of(Ticker::kSecondaryCacheHits);
  EXPECT_EQ(from_second, tiers.cache->GetStats().hits);
  EXPECT_EQ(AllOf(reader), SomeEntries(kEntries));
  EXPECT_EQ(counted.Of(Ticker::kSecondaryCacheHits), from_second);
}

TEST(TieredBlockCache, WhatWasEvictedIsNotReadAgain) {
  ForEachSeed(1, 5, CheckThatWhatWasEvictedIsNotReadAgain);
}

TEST(TieredBlockCache, AScanThatFillsNothingLeavesTheFirstTierAlone) {
  const Tiers tiers(size_t{8} << 20, Compressed(size_t{8} << 20));
  const Counted counted(SomeTable(), tiers.cache);
  FillSecondTier(counted, tiers);
  const uint64_t reads = counted.plan.operations;
  ReadOptions options;
  options.fill_cache = false;
  const std::vector<std::string> keys = KeysOf(5, 97, 30);
  const std::vector<Slice> slices(keys.begin(), keys.end());
  for (int i = 0; i < 3; ++i) {
    std::vector<Entry> entries;
    Require(ReadForward(*counted.reader, options, &entries));
    EXPECT_EQ(entries, SomeEntries(kEntries));
    std::vector<GetResult> results(keys.size());
    std::vector<Status> statuses(keys.size());
    counted.reader->MultiGet(options, slices, kMaxSequenceNumber, results,
                             statuses);
    GetResult result;
    Require(
        counted.reader->Get(options, slices[0], kMaxSequenceNumber, &result));
  }
  EXPECT_EQ(counted.plan.operations, reads);
  EXPECT_EQ(tiers.cache->GetOccupancyCount(), 0u);
  EXPECT_EQ(tiers.cache->GetStats().promotions, 0u);
}

TEST(TieredBlockCache, ABatchWaitsOnceForASlowTier) {
  const auto slow = RoomySlowTier();
  const Tiers tiers(size_t{8} << 20, slow);
  const Counted counted(SomeTable(), tiers.cache);
  FillSecondTier(counted, tiers);
  slow->arrival = Arrival::kOnWait;
  slow->TakeLog();
  const uint64_t reads = counted.plan.operations;
  ExpectMultiGet(*counted.reader, 0, 100, 20);
  EXPECT_EQ(counted.plan.operations, reads);
  const std::vector<std::string> log = slow->TakeLog();
  EXPECT_EQ(std::count(log.begin(), log.end(), "lookup"), 20);
  EXPECT_EQ(std::count(log.begin(), log.end(), "wait all"), 1);
  EXPECT_TRUE(std::all_of(log.begin(), log.begin() + 20,
                          [](const auto& e) { return e == "lookup"; }));
}

TEST(TieredBlockCache, ADamagedTierChangesNoAnswer) {
  const auto slow = RoomySlowTier();
  const Tiers tiers(size_t{8} << 20, slow);
  const Counted counted(SomeTable(), tiers.cache);
  FillSecondTier(counted, tiers);
  slow->damages = true;
  EXPECT_EQ(AllOf(*counted.reader), SomeEntries(kEntries));
  EXPECT_EQ(counted.Of(Ticker::kSecondaryCacheHits), 0u);
  EXPECT_EQ(tiers.cache->GetStats().damaged,
            counted.reader->properties().num_data_blocks);
}

// The damaged blocks are read from the file again, and come back to the tier
// with the next eviction.
TEST(TieredBlockCache, DamageWithinTheCompressedTierHealsItself) {
  for (const CompressionType type :
       {CompressionType::kLZ4Compression, CompressionType::kNoCompression}) {
    SCOPED_TRACE(CompressionTypeName(type));
    const Tiers tiers(size_t{8} << 20, Compressed(size_t{8} << 20, type));
    const Counted counted(SomeTable(), tiers.cache);
    const uint64_t blocks = counted.reader->properties().num_data_blocks;
    FillSecondTier(counted, tiers);
    const uint64_t reads = counted.plan.operations;
    EXPECT_EQ(DamagePieces(tiers.second.get()), blocks);

    EXPECT_EQ(AllOf(*counted.reader), SomeEntries(kEntries));
    EXPECT_GT(counted.plan.operations, reads);
    EXPECT_EQ(counted.Of(Ticker::kSecondaryCacheHits), 0u);
    EXPECT_EQ(tiers.second->GetStats().entries, 0u);

    tiers.EvictAll();
    EXPECT_EQ(tiers.second->GetStats().entries, blocks);
    const uint64_t reads_again = counted.plan.operations;
    EXPECT_EQ(AllOf(*counted.reader), SomeEntries(kEntries));
    EXPECT_EQ(counted.plan.operations, reads_again);
    EXPECT_EQ(counted.Of(Ticker::kSecondaryCacheHits), blocks);
  }
}

// Two readers of one file. Cached blocks have entry words for one of them only.
TEST(TieredBlockCache, BlocksComeBackWithAndWithoutWords) {
  for (const bool saved_with : {false, true}) {
    const Tiers tiers(size_t{8} << 20, Compressed(size_t{8} << 20));
    ReaderOptions options;
    options.block_cache = tiers.cache;
    options.cache_entry_words = saved_with;
    const auto saver = OpenTable(SomeTable(), options);
    EXPECT_EQ(AllOf(*saver), SomeEntries(kEntries));
    tiers.EvictAll();
    options.cache_entry_words = !saved_with;
    const auto finder = OpenTable(SomeTable(), options);
    for (int i = 0; i < kEntries; i += 11) ExpectGet(*finder, i);
    for (int i = 0; i < kEntries; i += 11) ExpectGet(*saver, i);
    EXPECT_EQ(tiers.cache->GetStats().refused, 0u);
    EXPECT_GT(tiers.cache->GetStats().hits, 0u);
  }
}

TEST(TieredBlockCache, AnswersAreThoseOfTheModelWithRoomForFewBlocks) {
  uint64_t hits = 0;
  ForEachSeed(1, 60, [&](uint64_t seed) {
    Random random(seed);
    const RandomTable table = MakeRandomTable(&random);
    const auto slow = std::make_shared<SlowTier>();
    constexpr Arrival kArrivals[] = {Arrival::kAtOnce, Arrival::kOnWait,
                                     Arrival::kLater};
    slow->arrival = random.Pick(kArrivals);
    slow->is_full = random.OneIn(8);
    slow->damages = random.OneIn(8);
    const Tiers tiers(random.Below(4) * 3000,
                      random.OneIn(2)
                          ? std::static_pointer_cast<SecondaryCache>(slow)
                          : Compressed(random.Below(3) * 5000));
    ReaderOptions options;
    options.block_cache = tiers.cache;
    options.comparator = table.options.comparator;
    options.prefix_extractor = table.options.prefix_extractor;
    const auto reader =
        OpenTable(BuildTable(table.options, table.model.entries()), options);
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(AllOf(*reader), table.model.entries());
      for (int i = 0; i < 40; ++i) {
        const std::string key = RandomTarget(table.model, &random);
        const ModelAnswer expected = table.model.Get(key, kMaxSequenceNumber);
        GetResult got;
        const Status status = reader->Get(key, &got);
        // Merge operands need a callback.
        if (status.IsMergeInProgress()) continue;
        Require(status);
        ASSERT_EQ(got.state, expected.state);
        EXPECT_EQ(got.value.ToString(), expected.value);
      }
    }
    hits += tiers.cache->GetStats().hits;
  });
  EXPECT_GT(hits, 500u);
}

}  // namespace
}  // namespace ashlar::testing
