// RandomDatabase: a database that RocksDB writes, with two column families and
// a random life. Includes RocksDB. One thread at a time.
#ifndef ASHLAR_TEST_INTEROP_RANDOM_DATABASE_H_
#define ASHLAR_TEST_INTEROP_RANDOM_DATABASE_H_

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/sst_file_writer.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace ashlar::testing {

inline constexpr uint64_t kKeys = 60;

inline std::string KeyOf(uint64_t n) {
  std::string digits = std::to_string(n);
  return "key" + digits.insert(0, 3 - digits.size(), '0');
}

// Its merge operator joins with commas.
class RandomDatabase {
 public:
  // ingests: whether it also takes in tables that others made.
  RandomDatabase(const std::string& folder, uint64_t seed, bool ingests = true)
      : folder_(folder), ingests_(ingests), random_(seed) {
    options_.create_if_missing = true;
    options_.create_missing_column_families = true;
    options_.disable_auto_compactions = true;
    options_.atomic_flush = Chance(3);
    options_.allow_ingest_behind = false;
    options_.target_file_size_base = 3000;
    options_.max_manifest_file_size = Chance(2) ? 2000 : (1 << 20);
    // It joins with commas.
    const rocksdb::Status status = rocksdb::MergeOperator::CreateFromString(
        rocksdb::ConfigOptions(), "stringappend", &options_.merge_operator);
    Must(status);
    Open();
  }
  ~RandomDatabase() { Close(); }
  RandomDatabase(const RandomDatabase&) = delete;
  RandomDatabase& operator=(const RandomDatabase&) = delete;

  void Live() {
    for (int round = 0; round < 6; ++round) {
      for (int i = 0; i < 120; ++i) Write();
      if (Chance(2)) snapshots_.push_back(db_->GetSnapshot());
      FlushAll();
      if (Chance(3)) CompactSome();
      if (ingests_ && Chance(3)) Ingest();
      if (snapshots_.empty() && Chance(4)) {
        Close();
        Open();
      }
    }
  }

  const std::string& folder() const { return folder_; }
  rocksdb::DB* db() const { return db_.get(); }
  const std::vector<rocksdb::ColumnFamilyHandle*>& families() const {
    return families_;
  }
  // Null at the end: the newest state.
  std::vector<const rocksdb::Snapshot*> Snapshots() const {
    auto all = snapshots_;
    all.push_back(nullptr);
    return all;
  }

 private:
  bool Chance(uint64_t n) { return random_() % n == 0; }
  rocksdb::ColumnFamilyHandle* Family() {
    return families_[random_() % families_.size()];
  }
  static void Must(const rocksdb::Status& status) {
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  void Open() {
    const std::vector<rocksdb::ColumnFamilyDescriptor> names = {
        {"default", rocksdb::ColumnFamilyOptions(options_)},
        {"other", rocksdb::ColumnFamilyOptions(options_)}};
    Must(rocksdb::DB::Open(options_, folder_, names, &families_, &db_));
  }
  void Close() {
    for (const auto* snapshot : snapshots_) db_->ReleaseSnapshot(snapshot);
    snapshots_.clear();
    for (auto* family : families_) {
      Must(db_->DestroyColumnFamilyHandle(family));
    }
    families_.clear();
    db_.reset();
  }

  void Write() {
    const std::string key = KeyOf(random_() % kKeys);
    const std::string value(random_() % 80, static_cast<char>('a' + Letter()));
    const rocksdb::WriteOptions write;
    switch (random_() % 12) {
      case 0:
        return Must(db_->Delete(write, Family(), key));
      case 1:
      case 2:
        return Must(db_->Merge(write, Family(), key, value));
      case 3:
        if (Chance(3)) {
          const uint64_t first = random_() % kKeys;
          return Must(db_->DeleteRange(write, Family(), KeyOf(first),
                                       KeyOf(first + random_() % 20)));
        }
        return Must(db_->PutEntity(write, Family(), key,
                                   {{"", value}, {"column", "x"}}));
      default:
        return Must(db_->Put(write, Family(), key, value));
    }
  }
  int Letter() { return static_cast<int>(random_() % 26); }

  void FlushAll() {
    rocksdb::FlushOptions flush;
    Must(db_->Flush(flush, families_));
  }
  void CompactSome() {
    const std::string begin = KeyOf(random_() % kKeys);
    const rocksdb::Slice from = begin;
    rocksdb::CompactRangeOptions range;
    range.change_level = true;
    range.target_level = static_cast<int>(random_() % 5) + 2;
    // A level that is taken is no fault.
    static_cast<void>(db_->CompactRange(range, Family(),
                                        Chance(2) ? &from : nullptr, nullptr));
  }
  void Ingest() {
    const std::string path = folder_ + "/to_ingest";
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options_);
    Must(writer.Open(path));
    const uint64_t first = random_() % (kKeys - 5);
    for (uint64_t i = first; i < first + 5; ++i) {
      Must(writer.Put(KeyOf(i), "ingested"));
    }
    Must(writer.Finish());
    // If what is in memory overlaps, it is flushed after the new table has got
    // its number: the older table then has the larger one.
    for (int i = 0; i < 20; ++i) Write();
    rocksdb::IngestExternalFileOptions ingest;
    ingest.move_files = true;
    Must(db_->IngestExternalFile(Family(), {path}, ingest));
    FlushAll();
  }

  const std::string folder_;
  const bool ingests_;
  std::mt19937_64 random_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
  std::vector<const rocksdb::Snapshot*> snapshots_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_INTEROP_RANDOM_DATABASE_H_
