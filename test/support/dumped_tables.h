// What tests of cache dumps share: tables of all forms whose blocks are cached,
// caches of all kinds, and short calls to dump and load.
#ifndef ASHLAR_TEST_SUPPORT_DUMPED_TABLES_H_
#define ASHLAR_TEST_SUPPORT_DUMPED_TABLES_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/cache/tiered_cache.h"
#include "ashlar/table/cache_dump.h"
#include "ashlar/table/entry/table_identity.h"
#include "ashlar/table/table_reader.h"
#include "test/support/faulty_file.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {

inline constexpr int kDumpedEntries = 1500;

struct DumpedForm {
  const char* name;
  IndexType index;
  bool partition_filters;
};
inline constexpr DumpedForm kDumpedForms[] = {
    {"binary", IndexType::kBinarySearch, false},
    {"first keys", IndexType::kBinarySearchWithFirstKey, false},
    {"partitioned", IndexType::kTwoLevelIndexSearch, false},
    {"all partitioned", IndexType::kTwoLevelIndexSearch, true},
};

inline TableOptions OptionsOf(const DumpedForm& form) {
  TableOptions options;
  options.block_size = 300;
  options.metadata_block_size = 200;
  options.filter = FilterType::kBloom;
  options.index_type = form.index;
  options.partition_filters = form.partition_filters;
  return options;
}

// Of SomeEntries.
inline std::string KeyNumber(int number) {
  return "key" + std::to_string(100'000 + number).substr(1);
}
inline std::string ValueNumber(int number) {
  return "value" + std::to_string(number);
}

inline std::string TableOf(const DumpedForm& form,
                           std::string_view seed = "test",
                           std::string_view value = {}) {
  std::vector<Entry> entries = SomeEntries(kDumpedEntries);
  if (!value.empty()) {
    for (Entry& entry : entries) entry.value = value;
  }
  return BuildTable(OptionsOf(form), entries, FixedBuild(seed));
}

// Data blocks are in the cache.
inline ReaderOptions In(std::shared_ptr<Cache> cache) {
  ReaderOptions options;
  options.block_cache = std::move(cache);
  return options;
}
// Blocks of all kinds are.
inline ReaderOptions InCache(std::shared_ptr<Cache> cache) {
  ReaderOptions options = In(std::move(cache));
  options.cache_index_and_filter_blocks = true;
  return options;
}

struct DumpedCache {
  const char* name;
  bool is_exact;  // in what it evicts
  std::shared_ptr<Cache> (*make)(size_t capacity);
};

inline std::shared_ptr<Cache> DumpedLru(size_t capacity) {
  LruCacheOptions options;
  options.capacity = capacity;
  options.num_shard_bits = 0;
  return std::move(NewLruCache(options)).value();
}
inline std::shared_ptr<Cache> DumpedClock(size_t capacity, bool admission,
                                          int num_shard_bits) {
  HyperClockCacheOptions options;
  options.capacity = capacity;
  options.estimated_entry_charge = 400;
  options.num_shard_bits = num_shard_bits;
  options.admission = admission;
  return std::move(NewHyperClockCache(options)).value();
}
inline constexpr DumpedCache kDumpedCaches[] = {
    {"Lru", true, DumpedLru},
    {"LruShards", false,
     [](size_t capacity) {
       LruCacheOptions options;
       options.capacity = capacity;
       options.num_shard_bits = 2;
       return std::move(NewLruCache(options)).value();
     }},
    {"HyperClock", true,
     [](size_t capacity) { return DumpedClock(capacity, false, 0); }},
    {"HyperClockShards", false,
     [](size_t capacity) { return DumpedClock(capacity, false, 2); }},
    {"Admission", false,
     [](size_t capacity) { return DumpedClock(capacity, true, 0); }},
    {"AutoHyperClock", false,
     [](size_t capacity) {
       HyperClockCacheOptions options;
       options.capacity = capacity;
       options.num_shard_bits = 0;
       options.min_avg_entry_charge = 200;
       return std::move(NewHyperClockCache(options)).value();
     }},
    {"Tiered", false,
     [](size_t capacity) -> std::shared_ptr<Cache> {
       auto second = NewCompressedSecondaryCache(
           {.capacity = size_t{1} << 20, .num_shard_bits = 0});
       return NewTieredCache({.primary = DumpedLru(capacity),
                              .secondary = std::move(second).value()})
           .value();
     }},
};

inline std::vector<Entry> AllEntries(const TableReader& reader) {
  std::vector<Entry> entries;
  Require(ReadForward(reader, {}, &entries));
  return entries;
}
// Returns the value, or what went wrong.
inline std::string GetOne(const TableReader& reader, int number) {
  GetResult result;
  const Status status = reader.Get(KeyNumber(number), &result);
  if (!status.ok()) return status.ToString();
  return result.state == GetResult::State::kFound ? result.value.ToString()
                                                  : "not found";
}
inline void CheckGets(const TableReader& reader) {
  for (int i = 0; i < kDumpedEntries; i += 7) {
    EXPECT_EQ(GetOne(reader, i), ValueNumber(i));
  }
  GetResult result;
  Require(reader.Get("absent", &result));
  EXPECT_EQ(result.state, GetResult::State::kNotFound);
}

// Opens a reader whose file counts its reads in `plan`, those of opening
// excepted.
inline std::unique_ptr<TableReader> OpenCounted(const std::string& table,
                                                const ReaderOptions& options,
                                                FaultPlan* plan) {
  auto opened =
      TableReader::Open(NewFaultyFile("test.sst", table, plan), options);
  Require(opened.status());
  plan->operations = 0;
  return std::move(opened).value();
}

inline CacheKey FileKeyOf(const TableReader& reader) {
  const TableProperties& p = reader.properties();
  return FileCacheKey(p.db_id, p.db_session_id, p.orig_file_number);
}

inline std::string DumpOf(Cache& cache, const CacheDumpOptions& options,
                          CacheDumpStats* stats = nullptr) {
  std::string bytes;
  CacheDumpStats ignored;
  const auto file = NewMemoryWritableFile("cache.dump", &bytes);
  Require(DumpBlockCache(cache, file.get(), options,
                         stats != nullptr ? stats : &ignored));
  return bytes;
}
inline CacheLoadStats Load(const std::string& dump, Cache* cache,
                           const CacheLoadOptions& options = {}) {
  CacheLoadStats stats;
  const auto file = NewMemoryFile("cache.dump", dump);
  Require(LoadBlockCache(*file, cache, options, &stats));
  return stats;
}
inline CacheLoadStats Warm(const std::string& dump,
                           const std::vector<const TableReader*>& tables,
                           const CacheLoadOptions& options = {}) {
  CacheLoadStats stats;
  const auto file = NewMemoryFile("cache.dump", dump);
  Require(WarmTables(*file, tables, options, &stats));
  return stats;
}

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_DUMPED_TABLES_H_
