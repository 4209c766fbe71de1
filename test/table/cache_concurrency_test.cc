// Tests readers that share a block cache on several threads: the entry words
// that one thread adds to a cached block for the others, and index and filter
// blocks that enter and leave the cache.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/table_reader.h"
#include "test/support/random.h"
#include "test/support/run_together.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr int kThreads = 4;
constexpr int kEntries = 1500;

std::shared_ptr<Cache> NewCache(bool clock, size_t capacity) {
  if (clock) {
    HyperClockCacheOptions options;
    options.capacity = capacity;
    options.estimated_entry_charge = 1000;
    return std::move(NewHyperClockCache(options)).value();
  }
  LruCacheOptions options;
  options.capacity = capacity;
  return std::move(NewLruCache(options)).value();
}

std::string KeyNumber(uint64_t number) {
  return "key" + std::to_string(100000 + number).substr(1);
}

std::string ValueNumber(uint64_t number) {
  return std::to_string(number) + std::string(100, 'v');
}

std::string SomeTable(const TableOptions& options) {
  std::vector<Entry> entries;
  entries.reserve(kEntries);
  for (uint64_t i = 0; i < kEntries; ++i) {
    entries.push_back(Value(KeyNumber(i), 1, ValueNumber(i)));
  }
  return BuildTable(options, entries);
}

// Does a Get, a MultiGet, or a walk of a few entries. Returns what was wrong,
// or nothing.
std::string ReadSome(const TableReader& reader, Random* random) {
  const uint64_t number = random->Below(kEntries - 8);
  if (random->OneIn(3)) {
    Iterator it = reader.NewIterator();
    it.Seek(KeyNumber(number));
    for (uint64_t i = number; i < number + 8; ++i) {
      if (!it.Valid()) return it.status().ToString();
      if (it.value().ToString() != ValueNumber(i)) return "wrong entry";
      it.Next();
    }
    return {};
  }
  const std::string keys[] = {KeyNumber(number), KeyNumber(number) + "x",
                              KeyNumber(number + 1)};
  const Slice slices[] = {keys[0], keys[1], keys[2]};
  GetResult results[3];
  Status statuses[3];
  reader.MultiGet(slices, results, statuses);
  if (random->OneIn(2)) statuses[0] = reader.Get(keys[0], &results[0]);
  for (const Status& status : statuses) {
    if (!status.ok()) return status.ToString();
  }
  if (results[0].value.ToString() != ValueNumber(number) ||
      results[2].value.ToString() != ValueNumber(number + 1)) {
    return "wrong value";
  }
  return results[1].state == GetResult::State::kNotFound ? "" : "absent";
}

// All threads find each block for the first time at once, and add its entry
// words.
TEST(CacheConcurrency, WordsAreMadeByWhoComesFirst) {
  TableOptions table;
  table.block_size = 2000;
  ReaderOptions options;
  const std::string bytes = SomeTable(table);
  for (const bool clock : {true, false}) {
    options.block_cache = NewCache(clock, size_t{4} << 20);
    const auto reader = OpenTable(bytes, options);
    for (int round = 0; round < 3; ++round) {
      options.block_cache->EraseUnRefEntries();
      std::vector<Entry> all;
      Require(ReadForward(*reader, {}, &all));
      ASSERT_EQ(all.size(), size_t{kEntries});
      RunTogether(kThreads, [&](int) -> std::string {
        for (uint64_t i = 0; i < kEntries; i += 5) {
          GetResult result;
          const Status status = reader->Get(KeyNumber(i), &result);
          if (!status.ok()) return status.ToString();
          if (result.value.ToString() != ValueNumber(i)) return "wrong value";
        }
        return {};
      });
    }
  }
}

// Several threads read index and filter again and again, while other threads
// still use blocks that the cache evicted.
TEST(CacheConcurrency, IndexAndFilterInACacheWithoutRoom) {
  for (const bool partitioned : {false, true}) {
    TableOptions table;
    table.block_size = 500;
    table.metadata_block_size = 300;
    table.filter = FilterType::kBloom;
    if (partitioned) {
      table.index_type = IndexType::kTwoLevelIndexSearch;
      table.partition_filters = true;
    }
    const std::string bytes = SomeTable(table);
    for (const bool clock : {true, false}) {
      ReaderOptions options;
      options.block_cache = NewCache(clock, 20000);
      options.cache_index_and_filter_blocks = true;
      options.cache_index_and_filter_blocks_with_high_priority = false;
      const auto reader = OpenTable(bytes, options);
      RunTogether(kThreads, [&](int thread) {
        Random random(static_cast<uint64_t>(thread));
        std::string complaint;
        for (int i = 0; i < 300 && complaint.empty(); ++i) {
          complaint = ReadSome(*reader, &random);
          if (random.OneIn(50)) options.block_cache->EraseUnRefEntries();
        }
        return complaint;
      });
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
