// The FIFO cache and its write buffer in one thread: their order against an
// oracle, their memory to the byte, and what a change of capacity keeps.

#include "ashlar/cache/fifo_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "ashlar/cache/concurrent_write_buffer.h"

namespace ashlar::internal {
namespace {

using BlockMemory = FifoCache<CacheKey, uint64_t>;
using Buffer = ConcurrentWriteBuffer<BlockMemory::Entry>;

constexpr size_t kCapacity = 64 << 10;

CacheKey KeyOf(uint64_t n) { return {n * 0x9e3779b97f4a7c15, n}; }

std::vector<BlockMemory::Entry> Entries(uint64_t first, uint64_t end) {
  std::vector<BlockMemory::Entry> entries;
  for (uint64_t n = first; n < end; ++n) entries.push_back({KeyOf(n), n});
  return entries;
}

// Looks up every key. EntryCount() of them must be found, and these must be the
// newest.
void ExpectNewest(const BlockMemory& memory, uint64_t recorded) {
  const uint64_t there = memory.EntryCount();
  ASSERT_LE(there, recorded);
  for (uint64_t n = 0; n < recorded; ++n) {
    const auto value = memory.Lookup(KeyOf(n));
    ASSERT_EQ(value.has_value(), n >= recorded - there) << n;
    ASSERT_EQ(value.value_or(n), n);
  }
}

TEST(FifoCache, KeepsTheNewestByWholeBlocks) {
  BlockMemory memory;
  ASSERT_TRUE(memory.SetCapacity(kCapacity).ok());
  const uint64_t most = memory.MostEntries();
  // A block is one page: 24 bytes per entry and 4 per link, and 8 for the
  // ordinal.
  constexpr uint64_t kBlock = (4096 - 8) / (24 + 4);
  ASSERT_EQ(most % kBlock, 0U);
  memory.Add(Entries(0, most));
  EXPECT_EQ(memory.EntryCount(), most);
  ExpectNewest(memory, most);
  memory.Add(Entries(most, most + 1));
  EXPECT_EQ(memory.EntryCount(), most - kBlock + 1);
  ExpectNewest(memory, most + 1);
  memory.Add(Entries(most + 1, most + kBlock));
  EXPECT_EQ(memory.EntryCount(), most);
  memory.Add(Entries(most + kBlock, 5 * most));
  ExpectNewest(memory, 5 * most);
}

// Compares with a list: random keys, many of them twice, in runs of random
// length.
TEST(FifoCache, GoesByTheOrderOfArrival) {
  BlockMemory memory;
  ASSERT_TRUE(memory.SetCapacity(kCapacity).ok());
  std::mt19937_64 random(7);
  std::deque<std::pair<uint64_t, uint64_t>> oracle;
  uint64_t number = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<BlockMemory::Entry> piece(random() % 169);
    for (BlockMemory::Entry& entry : piece) {
      const uint64_t key = random() % 3000;
      entry = {KeyOf(key), ++number};
      oracle.emplace_back(key, number);
    }
    memory.Add(piece);
    while (oracle.size() > memory.EntryCount()) oracle.pop_front();
    ASSERT_EQ(oracle.size(), memory.EntryCount());
    if (round % 20 != 0) continue;
    size_t at = 0;
    memory.ForEach([&](const BlockMemory::Entry& entry) {
      ASSERT_EQ(entry.value, oracle[at++].second);
    });
    std::map<uint64_t, uint64_t> newest;
    for (const auto& [key, value] : oracle) newest[key] = value;
    for (uint64_t key = 0; key < 3000; ++key) {
      const auto value = memory.Lookup(KeyOf(key));
      ASSERT_EQ(value.has_value(), newest.contains(key)) << key;
      if (value.has_value()) {
        ASSERT_EQ(*value, newest[key]);
      }
    }
  }
}

TEST(FifoCache, AKeyRecordedTwiceSurvivesItsOlderRecord) {
  BlockMemory memory;
  ASSERT_TRUE(memory.SetCapacity(kCapacity).ok());
  const uint64_t most = memory.MostEntries();
  const BlockMemory::Entry older = {KeyOf(1 << 30), 1};
  const BlockMemory::Entry newer = {KeyOf(1 << 30), 2};
  memory.Add({&older, 1});
  memory.Add(Entries(0, most / 2));
  EXPECT_EQ(memory.Lookup(newer.key), 1U);
  memory.Add({&newer, 1});
  EXPECT_EQ(memory.Lookup(newer.key), 2U);
  memory.Add(Entries(most / 2, most));  // evicts the block of the older entry
  EXPECT_EQ(memory.Lookup(newer.key), 2U);
  memory.Add(Entries(most, most + most / 2));
  EXPECT_EQ(memory.Lookup(newer.key), std::nullopt);
}

// No value has a special meaning. In another FIFO cache an id of zero ended a
// block, and later entries were lost (cockroachdb/cockroach#77371).
TEST(FifoCache, ZerosAreEntriesAsAnyOthers) {
  BlockMemory memory;
  ASSERT_TRUE(memory.SetCapacity(kCapacity).ok());
  EXPECT_EQ(memory.Lookup(CacheKey{}), std::nullopt);
  auto made = Buffer::Make({}, [&](auto entries) { memory.Add(entries); });
  ASSERT_TRUE(made.ok());
  Buffer& buffer = **made;
  buffer.Record({KeyOf(1), 1});
  buffer.Record({CacheKey{}, 0});
  buffer.Record({KeyOf(2), 2});
  buffer.Flush();
  EXPECT_EQ(memory.EntryCount(), 3U);
  EXPECT_EQ(memory.Lookup(CacheKey{}), 0U);
  EXPECT_EQ(memory.Lookup(KeyOf(1)), 1U);
  EXPECT_EQ(memory.Lookup(KeyOf(2)), 2U);
}

TEST(FifoCache, TheCapacityCountsEverything) {
  BlockMemory memory;
  EXPECT_EQ(memory.MemoryBytes(), sizeof memory);
  for (const size_t capacity : {20U << 10, 64U << 10, (1U << 20) + 13}) {
    ASSERT_TRUE(memory.SetCapacity(capacity).ok());
    EXPECT_EQ(memory.GetCapacity(), capacity);
    const size_t empty = memory.MemoryBytes();
    EXPECT_LE(empty, capacity);
    constexpr size_t kBytesPerBlock = 4096 + 4 * 146;
    EXPECT_GT(empty + kBytesPerBlock, capacity);
    // The memory is that of blocks and tables, whatever was added and evicted.
    memory.Add(Entries(0, 3 * memory.MostEntries()));
    EXPECT_EQ(memory.MemoryBytes(), empty);
  }
}

TEST(FifoCache, AChangeOfCapacityHasEffectAtOnce) {
  BlockMemory memory;
  memory.Add(Entries(0, 10));
  EXPECT_EQ(memory.Lookup(KeyOf(1)), std::nullopt) << "it is off at first";
  ASSERT_TRUE(memory.SetCapacity(kCapacity).ok());
  const uint64_t recorded = 2 * memory.MostEntries();
  memory.Add(Entries(0, recorded));
  const size_t before = memory.EntryCount();
  ASSERT_TRUE(memory.SetCapacity(2 * kCapacity).ok());
  EXPECT_EQ(memory.EntryCount(), before);
  ExpectNewest(memory, recorded);
  ASSERT_TRUE(memory.SetCapacity(kCapacity / 2).ok());
  EXPECT_LE(memory.MemoryBytes(), kCapacity / 2);
  EXPECT_GT(memory.EntryCount(), memory.MostEntries() / 2);
  ExpectNewest(memory, recorded);
  ASSERT_TRUE(memory.SetCapacity(0).ok());
  EXPECT_EQ(memory.MemoryBytes(), sizeof memory);
  EXPECT_EQ(memory.EntryCount(), 0U);
  memory.Add(Entries(0, 10));
  EXPECT_EQ(memory.Lookup(KeyOf(9)), std::nullopt);
  ASSERT_TRUE(memory.SetCapacity(kCapacity).ok());
  memory.Add(Entries(0, 10));
  EXPECT_EQ(memory.Lookup(KeyOf(9)), 9U);
}

// User-defined keys and values with the provided hash. Consecutive keys, or
// keys that count in their upper bits, must not cluster in few buckets.
// Otherwise only lookup times would show it.
TEST(FifoCache, TakesKeysAndValuesOfAnyKind) {
  struct Name {
    std::array<char, 20> text;
    bool operator==(const Name&) const = default;
  };
  struct NameHash {
    uint64_t operator()(const Name& name) const {
      return internal::MultiplyFold(
          static_cast<uint64_t>(name.text[0]) << 8 | name.text[1],
          ~uint64_t{2});
    }
  };
  FifoCache<Name, uint8_t, NameHash> names;
  FifoCache<uint32_t, std::array<uint64_t, 500>> large;
  FifoCache<uint64_t, bool> small;
  ASSERT_TRUE(names.SetCapacity(kCapacity).ok());
  ASSERT_TRUE(large.SetCapacity(kCapacity).ok());
  ASSERT_TRUE(small.SetCapacity(kCapacity).ok());
  for (char i = 0; i < 100; ++i) {
    names.Add({{{Name{{'n', i}}, static_cast<uint8_t>(i)}}});
  }
  for (char i = 0; i < 100; ++i) EXPECT_EQ(names.Lookup({{'n', i}}), i);
  EXPECT_EQ(names.Lookup({{'m', 1}}), std::nullopt);
  // One entry fills a block.
  EXPECT_EQ(large.MostEntries(), (kCapacity - sizeof large) / (4032 + 4));
  for (uint32_t i = 0; i < 100; ++i) large.Add({{{i, {i, i + 1}}}});
  EXPECT_EQ(large.Lookup(99U)->at(1), 100U);
  EXPECT_EQ(large.Lookup(99U)->at(499), 0U);
  EXPECT_EQ(large.EntryCount(), large.MostEntries());
  for (uint64_t i = 0; i < 1000; ++i) small.Add({{{i << 40, i % 2 == 0}}});
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(small.Lookup(i << 40), i % 2 == 0);
  }
  const FifoKeyHash<uint64_t> hash;
  for (const int shift : {0, 12, 32, 54}) {
    std::map<uint64_t, int> buckets;
    for (uint64_t i = 0; i < 1024; ++i) ++buckets[hash(i << shift) >> 54];
    EXPECT_GT(buckets.size(), 400U) << shift;  // random keys fill 647
  }
}

TEST(FifoCache, PartFilledBlocksArePackedTogether) {
  BlockMemory memory;
  ASSERT_TRUE(memory.SetCapacity(kCapacity).ok());
  auto made = Buffer::Make({}, [&](auto entries) { memory.Add(entries); });
  ASSERT_TRUE(made.ok());
  Buffer& buffer = **made;
  const uint64_t most = memory.MostEntries();
  for (uint64_t n = 0; n < most; ++n) {
    buffer.Record({KeyOf(n), n});
    buffer.Flush();  // as a timer would, with one entry each time
  }
  EXPECT_EQ(memory.EntryCount(), most);
  ExpectNewest(memory, most);
}

// --- The buffer alone ---

TEST(WriteBuffer, FillsBlocksOfAPage) {
  EXPECT_EQ(Buffer::kBlockEntries, 168U);
  std::vector<size_t> sizes;
  std::vector<uint64_t> values;
  auto made = Buffer::Make({}, [&](auto entries) {
    sizes.push_back(entries.size());
    for (const auto& entry : entries) values.push_back(entry.value);
  });
  ASSERT_TRUE(made.ok());
  Buffer& buffer = **made;
  buffer.Flush();
  EXPECT_TRUE(sizes.empty());
  for (uint64_t n = 0; n < 168; ++n) buffer.Record({KeyOf(n), n});
  EXPECT_EQ(sizes, std::vector<size_t>({168})) << "at once, without a flush";
  for (uint64_t n = 168; n < 340; ++n) buffer.Record({KeyOf(n), n});
  EXPECT_EQ(sizes, std::vector<size_t>({168, 168}));
  buffer.Flush();
  buffer.Flush();
  EXPECT_EQ(sizes, std::vector<size_t>({168, 168, 4}));
  for (uint64_t n = 0; n < values.size(); ++n) EXPECT_EQ(values[n], n);
  EXPECT_EQ(buffer.dropped(), 0U);
}

TEST(WriteBuffer, HasTheBlocksThatItSays) {
  // The number of shards is a power of two and at most 16. There are at least 2
  // blocks more than shards.
  const auto bytes = [](const WriteBufferOptions& options) {
    return Buffer::Make(options, [](auto) {}).value()->memory_bytes();
  };
  const size_t a_block = bytes({.blocks = 10}) - bytes({.blocks = 9});
  EXPECT_EQ(a_block, 4096U);
  EXPECT_EQ(bytes({}), bytes({.shards = 0, .blocks = 5}));
  EXPECT_EQ(bytes({.blocks = 1}), bytes({.blocks = 3}));
  EXPECT_EQ(bytes({.blocks = 1000}), bytes({.blocks = 64}));
  EXPECT_EQ(bytes({.shards = 3}), bytes({.shards = 4, .blocks = 14}));
  EXPECT_EQ(bytes({.shards = 99}), bytes({.shards = 16, .blocks = 50}));
}

}  // namespace
}  // namespace ashlar::internal
