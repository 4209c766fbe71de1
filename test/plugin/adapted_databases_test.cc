// RocksDB's databases on Ashlar's tables against databases on RocksDB's own.
//
// Four databases get the same random operations: on RocksDB's own tables; on
// tables that Ashlar writes and RocksDB reads; the other way round; and on
// tables that Ashlar writes and reads.
// Now and then all are opened again with other factories. After each round all
// must answer alike: Get, MultiGet, and iterators in both directions, with
// bounds and at snapshots.
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <unistd.h>
#include <utilities/merge_operators.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "plugin/rocksdb/ashlar_rocksdb.h"
#include "test/plugin/from_environment.h"

namespace ashlar_rocksdb {
namespace {

namespace fs = std::filesystem;
using rocksdb::Slice;

constexpr size_t kDatabases = 4;

struct Configuration {
  const char* name;
  void (*set)(rocksdb::Options* options,
              rocksdb::BlockBasedTableOptions* table);
  const rocksdb::Comparator* comparator = rocksdb::BytewiseComparator();
};

void SetPlain(rocksdb::Options*, rocksdb::BlockBasedTableOptions* table) {
  table->filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
}
void SetPartitioned(rocksdb::Options* options,
                    rocksdb::BlockBasedTableOptions* table) {
  table->index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table->partition_filters = true;
  table->metadata_block_size = 256;
  table->cache_index_and_filter_blocks = true;
  table->filter_policy.reset(rocksdb::NewRibbonFilterPolicy(10, 1));
  options->compression = rocksdb::kZSTD;
}
void SetPrefix(rocksdb::Options* options,
               rocksdb::BlockBasedTableOptions* table) {
  options->prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(3));
  table->whole_key_filtering = false;
  table->filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table->index_type = rocksdb::BlockBasedTableOptions::kHashSearch;
  options->compression = rocksdb::kLZ4Compression;
}
void SetFirstKeys(rocksdb::Options* options,
                  rocksdb::BlockBasedTableOptions* table) {
  table->index_type =
      rocksdb::BlockBasedTableOptions::kBinarySearchWithFirstKey;
  table->data_block_index_type =
      rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
  table->no_block_cache = true;
  table->format_version = 5;
  table->checksum = rocksdb::kCRC32c;
  options->compression = rocksdb::kNoCompression;
  options->allow_mmap_reads = true;
}
void SetDictionary(rocksdb::Options* options,
                   rocksdb::BlockBasedTableOptions* table) {
  options->compression = rocksdb::kZSTD;
  options->compression_opts.max_dict_bytes = 4096;
  options->compression_opts.parallel_threads = 2;
  table->use_delta_encoding = false;
  table->format_version = 6;
  table->block_cache = rocksdb::NewLRUCache(64 << 10);
}
void SetTimestamps(rocksdb::Options*, rocksdb::BlockBasedTableOptions* table) {
  table->filter_policy.reset(rocksdb::NewBloomFilterPolicy(8));
  table->block_cache =
      rocksdb::HyperClockCacheOptions(1 << 20, 0).MakeSharedCache();
}
// Partitions of the filter, with prefixes, in an order in which a prefix comes
// after the keys that have it.
void SetReversePrefix(rocksdb::Options* options,
                      rocksdb::BlockBasedTableOptions* table) {
  options->prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(2));
  table->index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table->partition_filters = true;
  table->metadata_block_size = 128;
  table->index_shortening =
      rocksdb::BlockBasedTableOptions::IndexShorteningMode::kNoShortening;
  table->filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
}
void SetUniversal(rocksdb::Options* options,
                  rocksdb::BlockBasedTableOptions* table) {
  options->compaction_style = rocksdb::kCompactionStyleUniversal;
  options->compression = rocksdb::kSnappyCompression;
  table->block_restart_interval = 1;
  table->separate_key_value_in_data_block = true;
}

const Configuration kConfigurations[] = {
    {"plain", SetPlain},
    {"partitioned", SetPartitioned},
    {"prefix", SetPrefix},
    {"first_keys", SetFirstKeys},
    {"dictionary", SetDictionary},
    {"reverse", SetPlain, rocksdb::ReverseBytewiseComparator()},
    {"timestamps", SetTimestamps, rocksdb::BytewiseComparatorWithU64Ts()},
    {"universal", SetUniversal},
    {"reverse_prefix", SetReversePrefix, rocksdb::ReverseBytewiseComparator()},
};

void Require(const rocksdb::Status& status) {
  ASSERT_TRUE(status.ok()) << status.ToString();
}

// Four databases with the same contents.
class Databases {
 public:
  Databases(const Configuration& configuration, uint64_t seed)
      : configuration_(configuration),
        has_timestamps_(configuration.comparator->timestamp_size() > 0),
        random_(seed),
        folder_(fs::temp_directory_path() /
                ("adapted-" + std::string(configuration.name) + "-" +
                 std::to_string(seed) + "-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    Open(0);
  }
  ~Databases() {
    Close();
    fs::remove_all(folder_);
  }

  void Open(size_t shift) {
    for (size_t i = 0; i < kDatabases; ++i) {
      const size_t kind = (i + shift) % kDatabases;
      rocksdb::Options options;
      options.create_if_missing = true;
      options.comparator = configuration_.comparator;
      options.write_buffer_size = 64 << 10;
      options.target_file_size_base = 32 << 10;
      options.max_bytes_for_level_base = 128 << 10;
      options.merge_operator =
          rocksdb::MergeOperators::CreateStringAppendOperator();
      rocksdb::BlockBasedTableOptions table;
      table.block_size = 512;
      configuration_.set(&options, &table);
      AshlarTableOptions ashlar;
      ashlar.allow_fallback = false;
      ashlar.build = (kind & 1) != 0;
      ashlar.read = (kind & 2) != 0;
      options.table_factory.reset(NewAshlarTableFactory(table, ashlar));
      Require(rocksdb::DB::Open(options, (folder_ / std::to_string(i)).string(),
                                &each_[i]));
    }
  }
  void Close() {
    for (size_t i = 0; i < kDatabases; ++i) {
      for (const rocksdb::Snapshot* snapshot : snapshots_[i]) {
        each_[i]->ReleaseSnapshot(snapshot);
      }
      snapshots_[i].clear();
      each_[i].reset();
    }
  }

  uint64_t Below(uint64_t n) { return random_() % n; }
  std::string Key() {
    std::string key = "k" + std::to_string(Below(4));
    key += std::to_string(1000 + Below(600));
    // Some are much longer than those after them.
    if (Below(25) == 0) key.append(Below(400), 'x');
    return key;
  }
  std::string Timestamp() {
    std::string timestamp;
    return rocksdb::EncodeU64Ts(now_, &timestamp).ToString();
  }

  // Does one random change to all four.
  void Change() {
    const std::string key = Key();
    const std::string end = Key();
    const std::string value(Below(80), static_cast<char>('a' + Below(26)));
    const uint64_t kind = Below(20);
    ++now_;
    const std::string timestamp = Timestamp();
    for (const auto& db : each_)
      Require(ChangeOne(db.get(), kind, key, end, value, timestamp));
  }

  void Reorganise() {
    const uint64_t kind = Below(8);
    const std::string from = Key();
    const std::string to = Key();
    const std::string file = (folder_ / "ingested.sst").string();
    if (kind == 7 && !has_timestamps_) MakeFile(file);
    for (size_t i = 0; i < kDatabases; ++i) {
      rocksdb::DB* const db = each_[i].get();
      if (kind < 4) Require(db->Flush({}));
      if (kind == 4) Require(db->CompactRange({}, nullptr, nullptr));
      if (kind == 5) snapshots_[i].push_back(db->GetSnapshot());
      if (kind == 7 && !has_timestamps_) {
        rocksdb::IngestExternalFileOptions ingest;
        Require(db->IngestExternalFile({file}, ingest));
      }
    }
    if (kind == 6) {
      Close();
      Open(Below(kDatabases));
    }
  }

  // Asks all four the same, and compares.
  void Compare() {
    const size_t snapshots = snapshots_[0].size();
    const size_t at = Below(snapshots + 1);
    std::array<rocksdb::ReadOptions, kDatabases> reads;
    ++now_;
    const std::string timestamp = Timestamp();
    const Slice timestamp_slice(timestamp);
    for (size_t i = 0; i < kDatabases; ++i) {
      if (at < snapshots) reads[i].snapshot = snapshots_[i][at];
      if (has_timestamps_) reads[i].timestamp = &timestamp_slice;
    }
    CompareGets(reads);
    CompareWalks(reads);
  }

  uint64_t answers() const { return answers_; }

 private:
  rocksdb::Status ChangeOne(rocksdb::DB* db, uint64_t kind,
                            const std::string& key, const std::string& end,
                            const std::string& value,
                            const std::string& timestamp) {
    const rocksdb::WriteOptions write;
    const int order = configuration_.comparator->Compare(
        key + std::string(has_timestamps_ ? 8 : 0, '\0'),
        end + std::string(has_timestamps_ ? 8 : 0, '\0'));
    if (has_timestamps_) {
      if (kind < 11) return db->Put(write, key, timestamp, value);
      if (kind < 14) {
        return db->Merge(write, db->DefaultColumnFamily(), key, timestamp,
                         value);
      }
      if (kind < 18 || order >= 0) return db->Delete(write, key, timestamp);
      return db->DeleteRange(write, db->DefaultColumnFamily(), key, end,
                             timestamp);
    }
    if (kind < 9) return db->Put(write, key, value);
    if (kind < 12) return db->Delete(write, key);
    if (kind < 16) return db->Merge(write, key, value);
    if (kind < 18) {
      return db->PutEntity(write, db->DefaultColumnFamily(), key,
                           {{"", value}, {"column", key}});
    }
    if (order >= 0) return db->Put(write, key, value);
    return db->DeleteRange(write, db->DefaultColumnFamily(), key, end);
  }

  void MakeFile(const std::string& path) {
    rocksdb::Options options;
    options.comparator = configuration_.comparator;
    AshlarTableOptions ashlar;
    ashlar.build = Below(2) == 0;
    options.table_factory.reset(NewAshlarTableFactory({}, ashlar));
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    Require(writer.Open(path));
    std::vector<std::string> keys;
    for (int i = 0; i < 30; ++i) keys.push_back(Key());
    std::sort(keys.begin(), keys.end(),
              [this](const std::string& a, const std::string& b) {
                return configuration_.comparator->Compare(a, b) < 0;
              });
    keys.erase(std::unique(keys.begin(), keys.end(),
                           [this](const std::string& a, const std::string& b) {
                             return configuration_.comparator->Equal(a, b);
                           }),
               keys.end());
    for (const std::string& key : keys) Require(writer.Put(key, "ingested"));
    Require(writer.Finish());
  }

  void CompareGets(const std::array<rocksdb::ReadOptions, kDatabases>& reads) {
    std::vector<std::string> keys;
    for (int i = 0; i < 40; ++i) keys.push_back(Key());
    std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<std::string> expected;
    for (size_t i = 0; i < kDatabases; ++i) {
      rocksdb::DB* const db = each_[i].get();
      std::vector<std::string> found;
      for (const Slice& key : slices) {
        std::string value;
        found.push_back(db->Get(reads[i], key, &value).ToString() + value);
      }
      std::vector<rocksdb::PinnableSlice> values(keys.size());
      std::vector<rocksdb::Status> statuses(keys.size());
      db->MultiGet(reads[i], db->DefaultColumnFamily(), keys.size(),
                   slices.data(), values.data(), statuses.data());
      for (size_t k = 0; k < keys.size(); ++k) {
        found.push_back(statuses[k].ToString() + values[k].ToString());
      }
      answers_ += found.size();
      if (i == 0) expected = found;
      ASSERT_EQ(found, expected) << "database " << i;
    }
  }

  void CompareWalks(std::array<rocksdb::ReadOptions, kDatabases> reads) {
    const std::string lower = Key();
    const std::string upper = Key();
    const std::string start = Key();
    const Slice lower_slice(lower);
    const Slice upper_slice(upper);
    const uint64_t kind = Below(4);
    const uint64_t pins = Below(2);
    const uint64_t steps = 1 + Below(60);
    const uint64_t turn = Below(60);
    const bool within_prefix = Below(3) == 0;
    const bool auto_prefix = Below(2) == 0;
    std::string expected;
    for (size_t i = 0; i < kDatabases; ++i) {
      rocksdb::ReadOptions& read = reads[i];
      read.total_order_seek = !within_prefix;
      read.prefix_same_as_start = within_prefix;
      read.auto_prefix_mode = within_prefix && auto_prefix;
      read.pin_data = pins != 0;
      if ((kind & 1) != 0) read.iterate_upper_bound = &upper_slice;
      if ((kind & 2) != 0) read.iterate_lower_bound = &lower_slice;
      std::unique_ptr<rocksdb::Iterator> walk(each_[i]->NewIterator(read));
      std::string seen;
      const auto show = [&] {
        ++answers_;
        if (walk->Valid()) {
          seen += walk->key().ToString() + "=" + walk->value().ToString() + ";";
        } else {
          seen += walk->status().ToString() + ";";
        }
      };
      walk->Seek(start);
      show();
      for (uint64_t k = 0; k < steps && walk->Valid(); ++k) {
        if (k < turn) walk->Next();
        if (k >= turn) walk->Prev();
        show();
      }
      walk->SeekForPrev(start);
      show();
      for (uint64_t k = 0; k < steps && walk->Valid(); ++k, show()) {
        walk->Prev();
      }
      if (!within_prefix) {
        walk->SeekToLast();
        show();
        walk->SeekToFirst();
        show();
      }
      if (i == 0) expected = seen;
      ASSERT_EQ(seen, expected) << "database " << i;
    }
  }

  const Configuration& configuration_;
  const bool has_timestamps_;
  std::mt19937_64 random_;
  const fs::path folder_;
  uint64_t now_ = 1;
  uint64_t answers_ = 0;
  std::array<std::unique_ptr<rocksdb::DB>, kDatabases> each_;
  std::array<std::vector<const rocksdb::Snapshot*>, kDatabases> snapshots_;
};

class AdaptedDatabases : public testing::TestWithParam<size_t> {};

// ASHLAR_ADAPTED_ROUNDS: how many rounds; more find rarer faults.
TEST_P(AdaptedDatabases, AnswerAsRocksDBs) {
  const Configuration& configuration = kConfigurations[GetParam()];
  const uint64_t rounds = NumberFromEnvironment("ASHLAR_ADAPTED_ROUNDS", 60);
  const uint64_t seed = NumberFromEnvironment("ASHLAR_ADAPTED_SEED", 1);
  const TableCounts before = GetTableCounts();
  Databases databases(configuration, seed);
  for (uint64_t round = 0; round < rounds; ++round) {
    for (int i = 0; i < 60; ++i) databases.Change();
    databases.Reorganise();
    databases.Compare();
    if (HasFatalFailure()) {
      FAIL() << configuration.name << ", seed " << seed << ", round " << round;
    }
  }
  const TableCounts after = GetTableCounts();
  EXPECT_GT(after.built, before.built);
  EXPECT_GT(after.read, before.read);
  EXPECT_EQ(after.built_by_stock, before.built_by_stock);
  EXPECT_EQ(after.read_by_stock, before.read_by_stock);
  RecordProperty("answers", std::to_string(databases.answers()));
}

// Upper and lower case are equal, so that equal keys may have other bytes.
class CaselessComparator final : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "test.Caseless"; }
  int Compare(const Slice& a, const Slice& b) const override {
    return Lower(a).compare(Lower(b));
  }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  static std::string Lower(const Slice& key) {
    std::string lower = key.ToString();
    for (char& c : lower) c = static_cast<char>(std::tolower(c));
    return lower;
  }
};

// RocksDB keeps the key of each table's walk while it pins the values that
// belong together. The blocks begin with a key that is longer than those shown.
TEST(AdaptedTable, ShowsKeysThatStayWhileValuesArePinned) {
  const fs::path folder =
      fs::temp_directory_path() / ("pinned_keys-" + std::to_string(getpid()));
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = rocksdb::kNoCompression;
  options.disable_auto_compactions = true;
  rocksdb::BlockBasedTableOptions table;
  table.block_size = 64 << 10;
  options.table_factory.reset(NewAshlarTableFactory(table));
  std::unique_ptr<rocksdb::DB> db;
  Require(rocksdb::DB::Open(options, folder.string(), &db));
  for (int file = 0; file < 12; ++file) {
    Require(db->Put({}, "a" + std::string(3000, 'x'), "long"));
    for (int i = 1000; i < 1500; ++i) {
      Require(db->Put({}, "k" + std::to_string(i), std::to_string(file)));
    }
    Require(db->Flush({}));
  }
  // A thread keeps the memory of its last walk's key. This one has none.
  std::thread([&db] {
    rocksdb::ReadOptions read;
    read.fill_cache = false;
    const std::unique_ptr<rocksdb::Iterator> walk(db->NewIterator(read));
    walk->SeekForPrev("k1100");
    for (int i = 1100; i >= 1000; --i, walk->Prev()) {
      ASSERT_TRUE(walk->Valid()) << walk->status().ToString();
      ASSERT_EQ(walk->key().ToString(), "k" + std::to_string(i));
      ASSERT_EQ(walk->value().ToString(), "11");
    }
  }).join();
  db.reset();
  fs::remove_all(folder);
}

// A hash of the bytes of a key would miss the keys that are equal to it.
TEST(AdaptedTable, HasNoHashesIfKeysWithOtherBytesAreEqual) {
  const fs::path folder =
      fs::temp_directory_path() / ("caseless-" + std::to_string(getpid()));
  static const CaselessComparator caseless;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.comparator = &caseless;
  rocksdb::BlockBasedTableOptions table;
  table.data_block_index_type =
      rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
  options.table_factory.reset(NewAshlarTableFactory(table));
  std::unique_ptr<rocksdb::DB> db;
  Require(rocksdb::DB::Open(options, folder.string(), &db));
  Require(db->Put({}, "Key", "value"));
  Require(db->Flush({}));
  std::string value;
  Require(db->Get({}, "kEY", &value));
  EXPECT_EQ(value, "value");
  db.reset();
  fs::remove_all(folder);
}

// One flipped bit of a filter costs its use, and no answer.
TEST(AdaptedTable, IsReadWithoutADamagedFilter) {
  const fs::path folder =
      fs::temp_directory_path() / ("filter-" + std::to_string(getpid()));
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  options.table_factory.reset(NewAshlarTableFactory(table));
  std::unique_ptr<rocksdb::DB> db;
  Require(rocksdb::DB::Open(options, folder.string(), &db));
  for (int i = 0; i < 100; ++i) Require(db->Put({}, std::to_string(i), "v"));
  Require(db->Flush({}));
  rocksdb::TablePropertiesCollection all;
  Require(db->GetPropertiesOfAllTables(&all));
  ASSERT_EQ(all.size(), 1u);
  const std::string path = all.begin()->first;
  // The filter follows the data blocks.
  const auto at = static_cast<std::streamoff>(all.begin()->second->data_size);
  db.reset();
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at + 3);
    const int byte = file.get();
    file.seekp(at + 3);
    file.put(static_cast<char>(byte ^ 1));
  }
  const uint64_t read_before = GetTableCounts().read;
  Require(rocksdb::DB::Open(options, folder.string(), &db));
  std::string value;
  Require(db->Get({}, "42", &value));
  EXPECT_EQ(GetTableCounts().read, read_before + 1);
  db.reset();
  fs::remove_all(folder);
}

// RocksDB finds that a file has grown since it was written.
TEST(AdaptedTable, IsNotOpenedIfItsFileHasAnotherSize) {
  const fs::path folder =
      fs::temp_directory_path() / ("grown-" + std::to_string(getpid()));
  rocksdb::Options options;
  options.create_if_missing = true;
  options.table_factory.reset(NewAshlarTableFactory());
  std::unique_ptr<rocksdb::DB> db;
  Require(rocksdb::DB::Open(options, folder.string(), &db));
  Require(db->Put({}, "key", "value"));
  Require(db->Flush({}));
  rocksdb::TablePropertiesCollection all;
  Require(db->GetPropertiesOfAllTables(&all));
  ASSERT_EQ(all.size(), 1u);
  const std::string path = all.begin()->first;
  db.reset();
  std::ofstream(path, std::ios::app | std::ios::binary) << "more";
  const rocksdb::Status status =
      rocksdb::DB::Open(options, folder.string(), &db);
  EXPECT_TRUE(status.IsCorruption()) << status.ToString();
  EXPECT_NE(status.ToString().find("size mismatch"), std::string::npos)
      << status.ToString();
  db.reset();
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(All, AdaptedDatabases,
                         testing::Range(size_t{0}, std::size(kConfigurations)),
                         [](const testing::TestParamInfo<size_t>& each) {
                           return std::string(kConfigurations[each.param].name);
                         });

}  // namespace
}  // namespace ashlar_rocksdb
