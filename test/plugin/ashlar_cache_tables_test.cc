// Tables whose blocks are in a cache that RocksDB's readers and Ashlar's share:
// one of NewAshlarCache, or one of RocksDB's with a ForeignCache over it.

#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <rocksdb/write_buffer_manager.h>

#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ashlar/table/table_reader.h"
#include "plugin/rocksdb/cache/ashlar_cache.h"
#include "plugin/rocksdb/cache/foreign_cache.h"
#include "test/plugin/rocksdb_values.h"
#include "test/support/folder.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

constexpr uint64_t kRows = 10'000;

std::string RowKey(uint64_t n) {
  std::string key = std::to_string(n);
  return "key" + std::string(8 - key.size(), '0') + key;
}
std::string RowValue(uint64_t n) {
  Random random(n);
  return random.Text(50 + n % 50);
}

// A cache as RocksDB sees it, and as Ashlar does.
struct SharedCache {
  std::shared_ptr<rocksdb::Cache> theirs;
  std::shared_ptr<Cache> ours;
};

SharedCache OfAshlar(const rocksdb::HyperClockCacheOptions& options) {
  SharedCache shared;
  ashlar_rocksdb::AshlarCacheOptions made;
  made.hyper_clock = options;
  EXPECT_TRUE(ashlar_rocksdb::NewAshlarCache(made, &shared.theirs).ok());
  shared.ours = ashlar_rocksdb::UnderlyingCache(shared.theirs.get());
  return shared;
}
SharedCache Over(std::shared_ptr<rocksdb::Cache> theirs) {
  auto ours = ashlar_rocksdb::NewForeignCache(theirs);
  return {.theirs = std::move(theirs), .ours = std::move(ours).value()};
}

// Returns the keys that RocksDB sees by role. (If two readers load a block at
// once, its hyper clock cache may have both.)
std::map<rocksdb::CacheEntryRole, std::set<std::string>> KeysByRole(
    const SharedCache& cache) {
  std::map<rocksdb::CacheEntryRole, std::set<std::string>> keys;
  cache.theirs->ApplyToAllEntries(
      [&](const rocksdb::Slice& key, void*, size_t,
          const RocksDbItemOps* helper) {
        keys[helper->role].insert(key.ToString());
      },
      {});
  return keys;
}

struct Kind {
  const char* name;
  SharedCache (*make)(size_t capacity);
  // Whether a walk shows all entries. With RocksDB's hyper clock cache, after
  // several threads made it grow, it may pass over an entry that is there.
  bool lists_all = true;
};
const Kind kKinds[] = {
    {"Ashlar",
     [](size_t capacity) {
       return OfAshlar(rocksdb::HyperClockCacheOptions(capacity, 0, 0));
     }},
    {"AshlarWithTier",
     [](size_t capacity) {
       rocksdb::HyperClockCacheOptions options(capacity, 0, 0);
       options.secondary_cache = rocksdb::NewCompressedSecondaryCache(1 << 20);
       ashlar_rocksdb::AshlarCacheOptions made;
       made.hyper_clock = options;
       std::shared_ptr<rocksdb::Cache> cache;
       EXPECT_TRUE(ashlar_rocksdb::NewAshlarCache(made, &cache).ok());
       return Over(cache);
     }},
    {"Lru",
     [](size_t capacity) { return Over(rocksdb::NewLRUCache(capacity, 0)); }},
    {"HyperClock",
     [](size_t capacity) {
       return Over(
           rocksdb::HyperClockCacheOptions(capacity, 0, 0).MakeSharedCache());
     },
     /*lists_all=*/false},
    {"LruWithTier",
     [](size_t capacity) {
       rocksdb::LRUCacheOptions options;
       options.capacity = capacity;
       options.num_shard_bits = 0;
       options.secondary_cache = rocksdb::NewCompressedSecondaryCache(1 << 20);
       return Over(options.MakeSharedCache());
     }},
};

class CacheOfTables : public ::testing::TestWithParam<Kind> {
 protected:
  CacheOfTables() : path_(folder_ / "table.sst") {
    table_.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    table_.cache_index_and_filter_blocks = true;
    table_.block_size = 1000;
    rocksdb::Options options;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table_));
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    EXPECT_TRUE(writer.Open(path_).ok());
    for (uint64_t n = 0; n < kRows; ++n) {
      EXPECT_TRUE(writer.Put(RowKey(n), RowValue(n)).ok());
    }
    EXPECT_TRUE(writer.Finish().ok());
  }

  std::unique_ptr<rocksdb::SstFileReader> OpenTheirs(
      const SharedCache& cache) const {
    rocksdb::BlockBasedTableOptions table = table_;
    table.block_cache = cache.theirs;
    rocksdb::Options options;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    auto reader = std::make_unique<rocksdb::SstFileReader>(options);
    EXPECT_TRUE(reader->Open(path_).ok());
    return reader;
  }
  std::unique_ptr<TableReader> OpenOurs(const SharedCache& cache) const {
    ReaderOptions options;
    options.block_cache = cache.ours;
    options.cache_index_and_filter_blocks = true;
    auto opened = TableReader::Open(path_, options);
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    return std::move(opened).value();
  }

  static void ReadBoth(const rocksdb::SstFileReader& theirs,
                       const TableReader& ours, uint64_t seed, int reads) {
    Random random(seed);
    std::string value;
    GetResult result;
    for (int i = 0; i < reads; ++i) {
      const uint64_t n = random.Below(kRows);
      if (random.OneIn(2)) {
        ASSERT_TRUE(const_cast<rocksdb::SstFileReader&>(theirs)
                        .Get({}, RowKey(n), &value)
                        .ok());
        ASSERT_EQ(value, RowValue(n));
      } else {
        ASSERT_TRUE(ours.Get(RowKey(n), &result).ok());
        ASSERT_EQ(result.state, GetResult::State::kFound);
        ASSERT_EQ(result.value.ToString(), RowValue(n));
      }
    }
  }

  const TestFolder folder_;
  const std::string path_;
  rocksdb::BlockBasedTableOptions table_;
};

TEST_P(CacheOfTables, ServesBothReadersOfOneFile) {
  // All blocks fit, or a tenth of them.
  for (const size_t capacity : {size_t{64} << 20, size_t{200} << 10}) {
    const SharedCache cache = GetParam().make(capacity);
    ASSERT_NE(cache.ours, nullptr);
    const auto theirs = OpenTheirs(cache);
    const auto ours = OpenOurs(cache);
    std::vector<std::thread> threads;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      threads.emplace_back(
          [&, seed] { ReadBoth(*theirs, *ours, seed, 10'000); });
    }
    for (std::thread& thread : threads) thread.join();
    if (capacity < size_t{1} << 20) {
      // By far not all blocks are there.
      EXPECT_LT(cache.ours->GetUsage(), size_t{1} << 20);
      continue;
    }
    // Each reader has its own blocks there.
    std::string value;
    GetResult result;
    for (uint64_t n = 0; n < kRows; ++n) {
      ASSERT_TRUE(theirs->Get({}, RowKey(n), &value).ok());
      ASSERT_TRUE(ours->Get(RowKey(n), &result).ok());
    }
    const uint64_t blocks = ours->properties().num_data_blocks;
    constexpr uint64_t kOthers = 4;  // two indexes and two filters
    EXPECT_GE(cache.ours->GetOccupancyCount(), 2 * blocks + kOthers);
    if (!GetParam().lists_all) continue;
    auto keys = KeysByRole(cache);
    EXPECT_EQ(keys[rocksdb::CacheEntryRole::kDataBlock].size(), 2 * blocks);
    EXPECT_EQ(keys[rocksdb::CacheEntryRole::kIndexBlock].size(), 2u);
    EXPECT_EQ(keys[rocksdb::CacheEntryRole::kFilterBlock].size(), 2u);
    const CacheEntryStats stats = cache.ours->CollectEntryStats();
    EXPECT_GE(stats.of(CacheEntryRole::kDataBlock).count, blocks);
  }
}

// No key of one library finds a value of the other, even if both are the same
// 16 bytes.
TEST_P(CacheOfTables, KeepsEqualKeysApart) {
  const SharedCache cache = GetParam().make(size_t{64} << 20);
  const auto ours = OpenOurs(cache);
  const auto theirs = OpenTheirs(cache);
  RocksDbValues values;
  ReadBoth(*theirs, *ours, 1, 1000);
  std::vector<CacheKey> keys;
  cache.ours->ForEachEntry([&](const CacheEntryView& entry) {
    if (entry.ops->role == CacheEntryRole::kDataBlock) {
      keys.push_back(entry.key);
    }
  });
  ASSERT_GT(keys.size(), 100u);
  std::vector<std::string> bytes;
  for (const CacheKey& key : keys) {
    std::string& text = bytes.emplace_back(16, '\0');
    std::memcpy(text.data(), &key.file, 8);
    std::memcpy(text.data() + 8, &key.block, 8);
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(cache.theirs->BasicLookup(bytes[i], nullptr), nullptr);
    ASSERT_TRUE(
        cache.theirs->Insert(bytes[i], values.Make(i), &kPlainValue, 100).ok());
  }
  ReadBoth(*theirs, *ours, 2, 5000);
  for (size_t i = 0; i < keys.size(); ++i) {
    rocksdb::Cache::Handle* const handle =
        cache.theirs->BasicLookup(bytes[i], nullptr);
    ASSERT_NE(handle, nullptr);
    EXPECT_EQ(RocksDbValue::Of(cache.theirs->Value(handle))->key, i);
    cache.theirs->Release(handle);
    cache.theirs->Erase(bytes[i]);
    CacheHandle* const own = cache.ours->Lookup(keys[i]);
    ASSERT_NE(own, nullptr);
    EXPECT_EQ(cache.ours->KeyOf(*own), keys[i]);
    cache.ours->Release(own);
  }
  EXPECT_TRUE(values.EachEndedOnce());
}

INSTANTIATE_TEST_SUITE_P(Kinds, CacheOfTables, ::testing::ValuesIn(kKinds),
                         [](const auto& kind) {
                           return std::string(kind.param.name);
                         });

// One budget: blocks, blobs, write buffers and reservations of a database.
TEST(CacheOfDatabase, IsOneBudget) {
  const TestFolder folder;
  const SharedCache cache =
      OfAshlar(rocksdb::HyperClockCacheOptions(size_t{64} << 20));
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache.theirs;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.cache_index_and_filter_blocks = true;
  table.cache_usage_options.options_overrides.insert(
      {rocksdb::CacheEntryRole::kBlockBasedTableReader,
       {.charged = rocksdb::CacheEntryRoleOptions::Decision::kEnabled}});
  rocksdb::Options options;
  options.create_if_missing = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.write_buffer_manager =
      std::make_shared<rocksdb::WriteBufferManager>(16 << 20, cache.theirs);
  options.enable_blob_files = true;
  options.min_blob_size = 500;
  options.blob_cache = cache.theirs;
  std::unique_ptr<rocksdb::DB> db;
  ASSERT_TRUE(rocksdb::DB::Open(options, folder.path(), &db).ok());
  for (uint64_t n = 0; n < 5000; ++n) {
    const std::string value =
        n % 10 == 0 ? std::string(1000, 'b') : RowValue(n);
    ASSERT_TRUE(db->Put({}, RowKey(n), value).ok());
  }
  // RocksDB reserves 256 KiB at a time.
  EXPECT_GE(cache.theirs->GetUsage(), size_t{256} << 10);
  ASSERT_TRUE(db->Flush({}).ok());
  std::string value;
  for (uint64_t n = 0; n < 5000; ++n) {
    ASSERT_TRUE(db->Get({}, RowKey(n), &value).ok());
    ASSERT_EQ(value, n % 10 == 0 ? std::string(1000, 'b') : RowValue(n));
  }
  uint64_t usage = 0;
  ASSERT_TRUE(
      db->GetIntProperty(rocksdb::DB::Properties::kBlockCacheUsage, &usage));
  EXPECT_EQ(usage, cache.ours->GetUsage());
  // RocksDB does not count again within 10 seconds. What it would count is
  // below.
  std::map<std::string, std::string> stats;
  ASSERT_TRUE(db->GetMapProperty(rocksdb::DB::Properties::kBlockCacheEntryStats,
                                 &stats));
  EXPECT_EQ(stats[rocksdb::BlockCacheEntryStatsMapKeys::CacheId()].rfind(
                "AshlarCache@", 0),
            0u);
  auto keys = KeysByRole(cache);
  using Role = rocksdb::CacheEntryRole;
  for (const Role role :
       {Role::kDataBlock, Role::kIndexBlock, Role::kFilterBlock,
        Role::kBlobValue, Role::kWriteBuffer, Role::kBlockBasedTableReader}) {
    EXPECT_GT(keys[role].size(), 0u) << rocksdb::GetCacheEntryRoleName(role);
  }
  db.reset();
  EXPECT_EQ(cache.theirs->GetPinnedUsage(), 0u);
}

}  // namespace
}  // namespace ashlar::testing
