// Tests that an inspection asks the filter about every key, or about the first
// keys only, as its options say. It reports exactly the data blocks with a key
// that a damaged filter denies, wherever in the block that key is.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "table/inspect/filter_questions.h"
#include "test/support/random.h"
#include "test/support/resign.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using internal::Buffer;
using internal::FilterBitsBuilder;
using internal::FilterBitsReader;
using internal::FilterQuestions;

using FilterKeys = InspectOptions::FilterKeys;

// Returns the data blocks with a key that a reader does not find. With kFirst,
// only the first 8 keys of a block count.
std::set<uint64_t> BlocksWithLostKeys(const std::string& table,
                                      FilterKeys keys) {
  const auto reader = OpenTable(table);
  std::set<uint64_t> blocks;
  std::map<uint64_t, int> met;
  InspectOptions options;
  options.on_entry = [&](const BlockInfo& block, const Slice& key,
                         const Slice&) {
    if (block.kind != BlockKind::kData) return;
    if (++met[block.index] > 8 && keys == FilterKeys::kFirst) return;
    GetResult result;
    Require(reader->Get(UserKeyOf(key), &result));
    if (result.state == GetResult::State::kNotFound) blocks.insert(block.index);
  };
  TableInspection inspection;
  Require(InspectTable(*NewMemoryFile("t", table), options, &inspection));
  return blocks;
}

// Returns the data blocks with a fault. With `one_by_one` a callback is passed,
// so that blocks are checked one by one.
std::set<uint64_t> BlocksWithFaults(const std::string& table, FilterKeys keys,
                                    bool one_by_one) {
  TableInspection inspection;
  InspectOptions options;
  options.filter_keys = keys;
  if (one_by_one) options.on_block = [](const BlockInfo&) {};
  Require(InspectTable(*NewMemoryFile("t", table), options, &inspection));
  std::set<uint64_t> blocks;
  for (const TableFault& fault : inspection.faults) {
    EXPECT_EQ(fault.kind, BlockKind::kData);
    EXPECT_NE(fault.status.message().find("filter does not match a key"),
              std::string_view::npos);
    blocks.insert(fault.index);
  }
  return blocks;
}

// Clears a few bits of most filter blocks, so that they deny a few keys. Some
// filter blocks match everything instead.
void DamageFilters(std::string* table, Random* random) {
  for (const BlockInfo& block : BlocksOf(*table)) {
    if (block.kind != BlockKind::kFilter &&
        block.kind != BlockKind::kFilterPartition) {
      continue;
    }
    if (block.name.starts_with("partitionedfilter")) continue;
    const size_t lines = block.size - 5;
    if (random->OneIn(3)) {
      table->replace(block.offset, lines, lines, '\xff');
    } else {
      for (uint64_t n = random->Between(1, 6); n > 0; --n) {
        const size_t at = block.offset + random->Below(lines);
        const char byte = (*table)[at];
        (*table)[at] = static_cast<char>(byte & (byte - 1));
      }
    }
    Resign(block, table);
  }
}

std::vector<Entry> Entries(size_t key_size) {
  std::vector<Entry> entries;
  for (int i = 0; i < 600; ++i) {
    std::string key = std::to_string(100000 + i);
    key.insert(3, key_size > key.size() ? key_size - key.size() : 0, '-');
    entries.push_back(Value(key, 7, "value"));
  }
  return entries;
}

void ExpectLostKeysAreTold(const TableOptions& options, size_t key_size,
                           uint64_t first_seed) {
  const std::string sound = BuildTable(options, Entries(key_size));
  size_t lost = 0;
  size_t lost_first = 0;
  ForEachSeed(first_seed, 40, [&](uint64_t seed) {
    Random random(seed);
    std::string table = sound;
    DamageFilters(&table, &random);
    for (const FilterKeys keys : {FilterKeys::kAll, FilterKeys::kFirst}) {
      const std::set<uint64_t> expected = BlocksWithLostKeys(table, keys);
      for (const bool one_by_one : {false, true}) {
        ASSERT_EQ(BlocksWithFaults(table, keys, one_by_one), expected);
        ASSERT_TRUE(BlocksWithFaults(sound, keys, one_by_one).empty());
      }
      (keys == FilterKeys::kAll ? lost : lost_first) += expected.size();
    }
  });
  EXPECT_GT(lost, lost_first);
  EXPECT_GT(lost_first, 3u);
}

TEST(FilterCheck, EveryKeyIsAsked) {
  TableOptions options;
  options.block_size = 700;
  ExpectLostKeysAreTold(options, 6, 41000);
}

TEST(FilterCheck, LongKeysAreAsked) {
  TableOptions options;
  options.block_size = 700;
  ExpectLostKeysAreTold(options, 60, 41100);
}

// Each key has a prefix of its own.
TEST(FilterCheck, EveryPrefixIsAsked) {
  TableOptions options;
  options.block_size = 700;
  options.prefix_extractor = NewFixedPrefixExtractor(6);
  options.whole_key_filtering = false;
  ExpectLostKeysAreTold(options, 6, 41200);
}

// Some data blocks have keys of two filter partitions.
TEST(FilterCheck, EveryKeyIsAskedOfItsPartition) {
  TableOptions options;
  options.block_size = 700;
  options.metadata_block_size = 200;
  options.index_type = IndexType::kTwoLevelIndexSearch;
  options.partition_filters = true;
  options.decouple_partitioned_filters = true;
  ExpectLostKeysAreTold(options, 6, 41300);
}

// The unknown hash is found anywhere in a batch, however many hashes are added
// at once.
TEST(FilterCheck, NoQuestionIsLeftOut) {
  FilterBitsBuilder builder(FilterType::kBloom, 10);
  Random random(41400);
  std::vector<uint64_t> known;
  for (int i = 0; i < 300; ++i) {
    known.push_back(random.Next());
    builder.Add(known.back());
  }
  Buffer payload;
  ASSERT_TRUE(builder.Finish(&payload).ok());
  const FilterBitsReader filter(payload.slice());
  uint64_t unknown = random.Next();
  while (filter.MayMatch(unknown)) unknown = random.Next();

  FilterQuestions questions;
  const auto ask = [&](const std::vector<uint64_t>& hashes, size_t at_once) {
    questions.Clear();
    for (size_t i = 0; i < hashes.size(); i += at_once) {
      const size_t n = std::min(at_once, hashes.size() - i);
      if (!questions.Add(filter, {hashes.data() + i, n})) return false;
    }
    return questions.AskRest(filter);
  };
  for (const size_t at_once : {1, 7, 16, 32}) {
    for (const size_t n : {1, 63, 64, 65, 127, 128, 129, 300}) {
      std::vector<uint64_t> hashes(known.begin(),
                                   known.begin() + static_cast<ptrdiff_t>(n));
      ASSERT_TRUE(ask(hashes, at_once)) << n << " by " << at_once;
      for (size_t i = 0; i < n; ++i) {
        hashes[i] = unknown;
        ASSERT_FALSE(ask(hashes, at_once)) << i << " of " << n;
        hashes[i] = known[i];
      }
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
