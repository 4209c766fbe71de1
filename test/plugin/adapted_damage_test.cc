// Damaged tables: a read by Ashlar succeeds wherever RocksDB's own does.
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plugin/rocksdb/ashlar_rocksdb.h"

namespace ashlar::testing {
namespace {

using rocksdb::Slice;
using rocksdb::Status;

constexpr int kKeys = 1500;
const char* const kFolder = "/damaged";

void Require(const Status& status) {
  ASSERT_TRUE(status.ok()) << status.ToString();
}
std::string KeyNumber(int number) {
  return "key" + std::to_string(10000 + number);
}

rocksdb::Options OptionsOf(rocksdb::Env* env, bool on_ashlar) {
  rocksdb::BlockBasedTableOptions table;
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.metadata_block_size = 256;
  table.cache_index_and_filter_blocks = true;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(20));
  table.block_cache = rocksdb::NewLRUCache(4 << 20);
  ashlar_rocksdb::AshlarTableOptions ashlar;
  ashlar.allow_fallback = false;
  ashlar.build = on_ashlar;
  ashlar.read = on_ashlar;
  rocksdb::Options options;
  options.table_factory.reset(
      ashlar_rocksdb::NewAshlarTableFactory(table, ashlar));
  options.env = env;
  options.create_if_missing = true;
  options.compression = rocksdb::kNoCompression;
  options.statistics = rocksdb::CreateDBStatistics();
  return options;
}

// Makes a database of one table. Returns the path of that.
std::string MakeTable(rocksdb::Env* env) {
  std::unique_ptr<rocksdb::DB> db;
  Require(rocksdb::DB::Open(OptionsOf(env, true), kFolder, &db));
  for (int i = 0; i < kKeys; ++i) Require(db->Put({}, KeyNumber(i), "value"));
  Require(db->Flush({}));
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  EXPECT_EQ(files.size(), 1U);
  return files[0].db_path + files[0].name;
}

// What reads of some keys gave.
struct Outcome {
  bool opened = false;
  std::vector<bool> are_found;
  bool saw_damage = false;

  bool all_found() const {
    for (const bool found : are_found) {
      if (!found) return false;
    }
    return true;
  }
};

Outcome Read(rocksdb::Env* env, bool on_ashlar) {
  Outcome outcome;
  const rocksdb::Options options = OptionsOf(env, on_ashlar);
  std::unique_ptr<rocksdb::DB> db;
  outcome.opened = rocksdb::DB::OpenForReadOnly(options, kFolder, &db).ok();
  if (!outcome.opened) return outcome;
  std::vector<std::string> keys;
  for (int i = 0; i < kKeys; i += 50) keys.push_back(KeyNumber(i));
  const auto add = [&outcome](const Status& status, const Slice& value) {
    outcome.are_found.push_back(status.ok() && value == "value");
  };
  for (const std::string& key : keys) {
    std::string value;
    const Status status = db->Get({}, key, &value);
    add(status, value);
  }
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<Status> statuses(keys.size());
  db->MultiGet({}, db->DefaultColumnFamily(), keys.size(), slices.data(),
               values.data(), statuses.data());
  for (size_t i = 0; i < keys.size(); ++i) add(statuses[i], values[i]);
  outcome.saw_damage = options.statistics->getTickerCount(
                           rocksdb::BLOCK_CHECKSUM_MISMATCH_COUNT) > 0;
  return outcome;
}

// Flips a bit here and there behind the data blocks, one at a time.
TEST(AdaptedDamage, FailsNoReadThatStockDoes) {
  const std::unique_ptr<rocksdb::Env> env(
      rocksdb::NewMemEnv(rocksdb::Env::Default()));
  const std::string path = MakeTable(env.get());
  std::string sound;
  Require(rocksdb::ReadFileToString(env.get(), path, &sound));
  constexpr size_t kTail = 12000;
  constexpr size_t kStep = 41;
  ASSERT_GT(sound.size(), kTail);
  // Damage that RocksDB has seen, and that did no harm; the same of Ashlar.
  int harmless_to_stock = 0;
  int harmless = 0;
  for (size_t at = sound.size() - kTail; at < sound.size(); at += kStep) {
    std::string damaged = sound;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    Require(rocksdb::WriteStringToFile(env.get(), damaged, path));
    const Outcome stock = Read(env.get(), /*on_ashlar=*/false);
    const Outcome ashlar = Read(env.get(), /*on_ashlar=*/true);
    if (!stock.opened) continue;
    ASSERT_TRUE(ashlar.opened) << at;
    for (size_t i = 0; i < stock.are_found.size(); ++i) {
      EXPECT_TRUE(ashlar.are_found[i] || !stock.are_found[i])
          << "byte " << at << ", read " << i;
    }
    harmless_to_stock += stock.saw_damage && stock.all_found() ? 1 : 0;
    harmless += ashlar.saw_damage && ashlar.all_found() ? 1 : 0;
  }
  EXPECT_GT(harmless_to_stock, 5) << harmless << " to Ashlar";
  EXPECT_GT(harmless, 0);
}

}  // namespace
}  // namespace ashlar::testing
