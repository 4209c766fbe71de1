#include "tools/bench/rocksdb_table.h"

#include <rocksdb/db.h>
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <utility>

namespace ashlar::bench {

namespace {

// SstFileReader::MultiGet writes beyond its arrays for more (RocksDB 11.8.1;
// facebook/rocksdb pull request 15196).
constexpr size_t kMostKeys = 32;

class TableFile final : public RocksDbTable {
 public:
  explicit TableFile(const rocksdb::Options& options) : reader_(options) {}
  rocksdb::Status Open(const std::string& path) { return reader_.Open(path); }

  rocksdb::Status Get(const rocksdb::Slice& key,
                      rocksdb::PinnableSlice* value) override {
    return reader_.Get(options_, key, value);
  }
  void MultiGet(const std::vector<rocksdb::Slice>& keys,
                std::vector<rocksdb::PinnableSlice>* values,
                std::vector<rocksdb::Status>* statuses) override {
    if (keys.size() <= kMostKeys) {
      *statuses = reader_.MultiGet(options_, keys, values);
      return;
    }
    std::vector<rocksdb::Slice> part;
    std::vector<rocksdb::PinnableSlice> found;
    for (size_t begin = 0; begin < keys.size(); begin += kMostKeys) {
      const size_t end = std::min(begin + kMostKeys, keys.size());
      part.assign(keys.data() + begin, keys.data() + end);
      const std::vector<rocksdb::Status> of_part =
          reader_.MultiGet(options_, part, &found);
      std::copy(of_part.begin(), of_part.end(),
                statuses->begin() + static_cast<std::ptrdiff_t>(begin));
      std::move(found.begin(), found.end(),
                values->begin() + static_cast<std::ptrdiff_t>(begin));
    }
  }
  std::unique_ptr<rocksdb::Iterator> NewIterator(
      const rocksdb::ReadOptions& options) override {
    return std::unique_ptr<rocksdb::Iterator>(reader_.NewIterator(options));
  }
  rocksdb::Status VerifyChecksum() override {
    return reader_.VerifyChecksum(options_);
  }
  uint64_t DataBlocks() override {
    return reader_.GetTableProperties()->num_data_blocks;
  }

 private:
  const rocksdb::ReadOptions options_;
  rocksdb::SstFileReader reader_;
};

class Database final : public RocksDbTable {
 public:
  explicit Database(std::unique_ptr<rocksdb::DB> db)
      : db_(std::move(db)), family_(db_->DefaultColumnFamily()) {}

  rocksdb::Status Get(const rocksdb::Slice& key,
                      rocksdb::PinnableSlice* value) override {
    value->Reset();
    return db_->Get(options_, family_, key, value);
  }
  void MultiGet(const std::vector<rocksdb::Slice>& keys,
                std::vector<rocksdb::PinnableSlice>* values,
                std::vector<rocksdb::Status>* statuses) override {
    for (rocksdb::PinnableSlice& value : *values) value.Reset();
    db_->MultiGet(options_, family_, keys.size(), keys.data(), values->data(),
                  statuses->data());
  }
  std::unique_ptr<rocksdb::Iterator> NewIterator(
      const rocksdb::ReadOptions& options) override {
    return std::unique_ptr<rocksdb::Iterator>(
        db_->NewIterator(options, family_));
  }
  rocksdb::Status VerifyChecksum() override {
    return db_->VerifyChecksum(options_);
  }
  uint64_t DataBlocks() override {
    rocksdb::TablePropertiesCollection tables;
    if (!db_->GetPropertiesOfAllTables(family_, &tables).ok()) return 0;
    uint64_t blocks = 0;
    for (const auto& [name, properties] : tables) {
      blocks += properties->num_data_blocks;
    }
    return blocks;
  }

 private:
  const rocksdb::ReadOptions options_;
  const std::unique_ptr<rocksdb::DB> db_;
  rocksdb::ColumnFamilyHandle* const family_;
};

// Makes a new database that has only the files' entries.
rocksdb::Status MakeDatabase(const rocksdb::Options& options,
                             const std::vector<std::string>& paths,
                             const std::string& folder) {
  rocksdb::Status status = rocksdb::DestroyDB(folder, options);
  if (!status.ok()) return status;
  std::unique_ptr<rocksdb::DB> db;
  status = rocksdb::DB::Open(options, folder, &db);
  if (!status.ok()) return status;
  rocksdb::IngestExternalFileOptions ingest;
  ingest.link_files = true;
  for (const std::string& path : paths) {
    if (status.ok()) status = db->IngestExternalFile({path}, ingest);
  }
  const rocksdb::Status closed = db->Close();
  return status.ok() ? closed : status;
}

}  // namespace

rocksdb::Status OpenTableFile(const rocksdb::Options& options,
                              const std::string& path,
                              std::unique_ptr<RocksDbTable>* table) {
  auto file = std::make_unique<TableFile>(options);
  rocksdb::Status status = file->Open(path);
  if (status.ok()) *table = std::move(file);
  return status;
}

rocksdb::Status OpenReadOnlyDatabase(const rocksdb::Options& options,
                                     const std::vector<std::string>& paths,
                                     const std::string& folder,
                                     std::unique_ptr<RocksDbTable>* table) {
  rocksdb::Options of_database = options;
  of_database.create_if_missing = true;
  of_database.disable_auto_compactions = true;
  of_database.stats_dump_period_sec = 0;
  of_database.stats_persist_period_sec = 0;
  rocksdb::Status status = MakeDatabase(of_database, paths, folder);
  if (!status.ok()) return status;
  std::unique_ptr<rocksdb::DB> db;
  status = rocksdb::DB::OpenForReadOnly(of_database, folder, &db);
  if (status.ok()) *table = std::make_unique<Database>(std::move(db));
  return status;
}

}  // namespace ashlar::bench
