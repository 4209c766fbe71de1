// RocksDB's databases whose compactions other parties run, against databases
// that compact themselves.
//
// Two databases get the same random operations. One compacts itself. The jobs
// of the other go through a folder queue to a worker, which runs them with
// Ashlar's compaction library, or, where a job asks for more, with RocksDB. Now
// and then both are opened again, the second one without a service. All answers
// must be equal, at snapshots too.
#include "plugin/rocksdb/compaction_service/compaction_service.h"

#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/file_checksum.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <utilities/merge_operators.h>

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "test/plugin/from_environment.h"
#include "test/plugin/running_worker.h"

namespace ashlar_rocksdb {
namespace {

using rocksdb::Slice;

constexpr size_t kDatabases = 2;  // the second one has a service

struct Configuration {
  const char* name;
  void (*set)(rocksdb::Options* options,
              rocksdb::BlockBasedTableOptions* table);
  // Whether OPTIONS files tell what the library needs to know.
  bool is_for_library = true;
};

void SetLevels(rocksdb::Options* options, rocksdb::BlockBasedTableOptions*) {
  options->level_compaction_dynamic_level_bytes = false;
}
void SetSubcompactions(rocksdb::Options* options,
                       rocksdb::BlockBasedTableOptions* table) {
  options->max_subcompactions = 3;
  options->target_file_size_base = 8 << 10;
  table->filter_policy.reset(rocksdb::NewRibbonFilterPolicy(10, 1));
}
// What RocksDB can check of new tables.
void SetParanoid(rocksdb::Options* options,
                 rocksdb::BlockBasedTableOptions* table) {
  options->paranoid_file_checks = true;
  options->force_consistency_checks = true;
  options->file_checksum_gen_factory =
      rocksdb::GetFileChecksumGenCrc32cFactory();
  options->compression = rocksdb::kZSTD;
  options->bottommost_compression = rocksdb::kLZ4Compression;
  table->verify_compression = true;
}
void SetUniversal(rocksdb::Options* options,
                  rocksdb::BlockBasedTableOptions* table) {
  options->compaction_style = rocksdb::kCompactionStyleUniversal;
  table->index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table->partition_filters = true;
}
void SetReverse(rocksdb::Options* options, rocksdb::BlockBasedTableOptions*) {
  options->comparator = rocksdb::ReverseBytewiseComparator();
  options->merge_operator =
      rocksdb::MergeOperators::CreateStringAppendOperator("--");
}

// RocksDB does not write an empty delimiter, and escapes no semicolon.
void SetUndelimited(rocksdb::Options* options,
                    rocksdb::BlockBasedTableOptions*) {
  options->merge_operator =
      rocksdb::MergeOperators::CreateStringAppendOperator("");
}
void SetSemicolon(rocksdb::Options* options, rocksdb::BlockBasedTableOptions*) {
  options->merge_operator =
      rocksdb::MergeOperators::CreateStringAppendOperator("a;b");
}

const Configuration kConfigurations[] = {
    {"levels", SetLevels},
    {"subcompactions", SetSubcompactions},
    {"paranoid", SetParanoid},
    {"universal", SetUniversal},
    {"reverse", SetReverse},
    {"undelimited", SetUndelimited, false},
    {"semicolon", SetSemicolon, false},
};

void Require(const rocksdb::Status& status) {
  ASSERT_TRUE(status.ok()) << status.ToString();
}

// Two databases with the same contents.
class Databases {
 public:
  Databases(const Configuration& configuration, uint64_t seed,
            std::shared_ptr<AshlarCompactionService> service)
      : configuration_(configuration),
        random_(seed),
        service_(std::move(service)),
        folder_(configuration.name) {
    Open(true);
  }
  ~Databases() { Close(); }

  void Open(bool with_service) {
    for (size_t i = 0; i < kDatabases; ++i) {
      rocksdb::Options options;
      options.create_if_missing = true;
      options.write_buffer_size = 64 << 10;
      options.target_file_size_base = 16 << 10;
      options.max_bytes_for_level_base = 64 << 10;
      options.level0_file_num_compaction_trigger = 2;
      options.merge_operator =
          rocksdb::MergeOperators::CreateStringAppendOperator();
      rocksdb::BlockBasedTableOptions table;
      table.block_size = 512;
      table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
      configuration_.set(&options, &table);
      options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
      if (i == 1 && with_service) options.compaction_service = service_;
      comparator_ = options.comparator;
      // Names of databases may have any form.
      Require(rocksdb::DB::Open(options, folder_ / ("./" + std::to_string(i)),
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

  // Does one random change to both.
  void Change() {
    const std::string key = Key();
    const std::string end = Key();
    const std::string value(1 + Below(80), static_cast<char>('a' + Below(26)));
    const uint64_t kind = Below(24);
    const std::string once = NextSingle(kind);
    for (const auto& db : each_) {
      Require(ChangeOne(db.get(), kind, key, end, value, once));
    }
    if (kind == 22) singles_.push_back(once);
    if (kind == 23 && !singles_.empty()) singles_.pop_back();
  }

  void Reorganise() {
    const uint64_t kind = Below(9);
    const std::string a = Key();
    const std::string b = Key();
    const Slice from(comparator_->Compare(a, b) < 0 ? a : b);
    const Slice to(comparator_->Compare(a, b) < 0 ? b : a);
    for (size_t i = 0; i < kDatabases; ++i) {
      rocksdb::DB* const db = each_[i].get();
      if (kind < 4) Require(db->Flush({}));
      if (kind == 4) Require(db->CompactRange({}, nullptr, nullptr));
      if (kind == 5) Require(db->CompactRange({}, &from, &to));
      if (kind == 6) snapshots_[i].push_back(db->GetSnapshot());
      if (kind == 7 && !snapshots_[i].empty()) {
        db->ReleaseSnapshot(snapshots_[i].back());
        snapshots_[i].pop_back();
      }
    }
    if (kind == 8) {
      Close();
      Open(Below(4) != 0);
    }
  }

  // Asks both the same, and compares.
  void Compare() {
    const size_t at = Below(snapshots_[0].size() + 1);
    std::array<rocksdb::ReadOptions, kDatabases> reads;
    for (size_t i = 0; i < kDatabases; ++i) {
      if (at < snapshots_[i].size()) reads[i].snapshot = snapshots_[i][at];
    }
    std::vector<std::string> keys;
    for (int i = 0; i < 40; ++i) keys.push_back(Key());
    std::array<std::string, kDatabases> seen;
    for (size_t i = 0; i < kDatabases; ++i) {
      for (const std::string& key : keys) {
        std::string value;
        seen[i] += each_[i]->Get(reads[i], key, &value).ToString();
        seen[i] += value + ";";
      }
      const std::unique_ptr<rocksdb::Iterator> walk(
          each_[i]->NewIterator(reads[i]));
      for (walk->SeekToFirst(); walk->Valid(); walk->Next()) {
        seen[i] += walk->key().ToString() + "=" + walk->value().ToString();
        seen[i] += ";";
      }
      seen[i] += walk->status().ToString();
    }
    ASSERT_EQ(seen[0], seen[1]);
  }

  // Reads every block, and checks the files' metadata, with RocksDB alone.
  void Verify() {
    Close();
    Open(false);
    Require(each_[1]->VerifyChecksum());
    const bool has_checksums =
        each_[1]->GetDBOptions().file_checksum_gen_factory != nullptr;
    if (has_checksums) Require(each_[1]->VerifyFileChecksums({}));
    std::vector<rocksdb::LiveFileMetaData> files;
    each_[1]->GetLiveFilesMetaData(&files);
    for (const rocksdb::LiveFileMetaData& file : files) {
      EXPECT_EQ(file.file_checksum_func_name,
                has_checksums ? "FileChecksumCrc32c" : "Unknown");
      EXPECT_NE(file.epoch_number, 0u);
      EXPECT_NE(file.oldest_ancester_time, 0u);
      // RocksDB itself does not know it of what it flushes when it opens.
      if (file.level > 0) {
        EXPECT_NE(file.file_creation_time, 0u) << file.name;
      }
    }
    Compare();
  }

  uint64_t Below(uint64_t n) { return random_() % n; }

 private:
  std::string Key() {
    std::string key = "k" + std::to_string(Below(4));
    key += std::to_string(1000 + Below(600));
    return key;
  }

  // The key of a single put or of a single deletion: put once, deleted once.
  std::string NextSingle(uint64_t kind) {
    if (kind == 22) {
      return "s" + std::to_string(Below(1000)) + "-" + std::to_string(next_++);
    }
    if (kind != 23 || singles_.empty()) return {};
    std::swap(singles_[Below(singles_.size())], singles_.back());
    return singles_.back();
  }

  rocksdb::Status ChangeOne(rocksdb::DB* db, uint64_t kind,
                            const std::string& key, const std::string& end,
                            const std::string& value, const std::string& once) {
    const rocksdb::WriteOptions write;
    if (kind < 10) return db->Put(write, key, value);
    if (kind < 13) return db->Delete(write, key);
    if (kind < 18) return db->Merge(write, key, value);
    if (kind < 20) {
      return db->PutEntity(write, db->DefaultColumnFamily(), key,
                           {{"", value}, {"column", key}});
    }
    if (kind < 22 && comparator_->Compare(key, end) < 0) {
      return db->DeleteRange(write, db->DefaultColumnFamily(), key, end);
    }
    if (kind == 22) return db->Put(write, once, value);
    if (kind == 23 && !once.empty()) return db->SingleDelete(write, once);
    return db->Put(write, key, value);
  }

  const Configuration& configuration_;
  std::mt19937_64 random_;
  const std::shared_ptr<AshlarCompactionService> service_;
  const ServiceFolder folder_;
  const rocksdb::Comparator* comparator_ = nullptr;
  uint64_t next_ = 0;
  std::vector<std::string> singles_;  // put, and not deleted
  std::array<std::unique_ptr<rocksdb::DB>, kDatabases> each_;
  std::array<std::vector<const rocksdb::Snapshot*>, kDatabases> snapshots_;
};

class CompactionServiceDatabases : public testing::TestWithParam<size_t> {};

// ASHLAR_SERVICE_ROUNDS: how many rounds; more find rarer faults.
TEST_P(CompactionServiceDatabases, AnswerAsRocksDBs) {
  const Configuration& configuration = kConfigurations[GetParam()];
  const uint64_t rounds = NumberFromEnvironment("ASHLAR_SERVICE_ROUNDS", 60);
  const uint64_t seed = NumberFromEnvironment("ASHLAR_SERVICE_SEED", 1);
  const ServiceFolder folder(configuration.name + std::string("-queue"));
  const std::shared_ptr<JobQueue> queue = OpenQueue(folder / "queue");
  const RunningWorker worker(queue);
  const auto service = NewService(queue);
  {
    Databases databases(configuration, seed, service);
    for (uint64_t round = 0; round < rounds; ++round) {
      for (int i = 0; i < 60; ++i) databases.Change();
      databases.Reorganise();
      databases.Compare();
      if (HasFatalFailure()) {
        FAIL() << configuration.name << ", seed " << seed << ", round " << round
               << "; " << Describe(service->Counts());
      }
    }
    databases.Verify();
  }
  const CompactionServiceCounts counts = service->Counts();
  RecordProperty("counts", Describe(counts));
  if (!configuration.is_for_library) {
    EXPECT_EQ(counts.by_library, 0u) << Describe(counts);
    return;
  }
  EXPECT_GT(counts.by_library, 0u) << Describe(counts);
  EXPECT_GT(counts.installed, 0u) << Describe(counts);
  // Only a database that is closed leaves jobs behind.
  for (const auto& [reason, times] : counts.local_reasons) {
    EXPECT_NE(reason.find("is closing"), std::string::npos) << Describe(counts);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CompactionServiceDatabases,
                         testing::Range(size_t{0}, std::size(kConfigurations)),
                         [](const testing::TestParamInfo<size_t>& tested) {
                           return std::string(
                               kConfigurations[tested.param].name);
                         });

}  // namespace
}  // namespace ashlar_rocksdb
