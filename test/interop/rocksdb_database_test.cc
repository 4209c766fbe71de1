// Databases that RocksDB writes, read as files: which tables they consist of,
// and what lookups in these tables find. RocksDB's own listing and its
// iterators are the judges.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/sst_file_writer.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "ashlar/table/database_files.h"
#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/multi_table_get.h"
#include "ashlar/table/table_cache.h"
#include "ashlar/table/table_version.h"
#include "test/support/folder.h"

namespace ashlar::testing {
namespace {

constexpr int kKeys = 60;

std::string KeyOf(uint64_t n) {
  std::string digits = std::to_string(n);
  return "key" + digits.insert(0, 3 - digits.size(), '0');
}

// A database with two column families, and a random life.
class RandomDatabase {
 public:
  RandomDatabase(const std::string& folder, uint64_t seed)
      : folder_(folder), random_(seed) {
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
      if (Chance(3)) Ingest();
      if (snapshots_.empty() && Chance(4)) {
        Close();
        Open();
      }
    }
  }

  const std::string& folder() const { return folder_; }
  rocksdb::DB* db() { return db_.get(); }
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
  std::mt19937_64 random_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
  std::vector<const rocksdb::Snapshot*> snapshots_;
};

// --- Which tables ---

std::string Described(const rocksdb::SstFileMetaData& file, int level) {
  return std::to_string(level) + " " + std::to_string(file.file_number) + " " +
         std::to_string(file.size) + " [" + file.smallestkey + ", " +
         file.largestkey + "] " + std::to_string(file.smallest_seqno) + "-" +
         std::to_string(file.largest_seqno) + " epoch " +
         std::to_string(file.epoch_number) + " born " +
         std::to_string(file.oldest_ancester_time) + " " +
         std::to_string(file.file_creation_time);
}

std::string Described(const LiveTable& table) {
  return std::to_string(table.level) + " " + std::to_string(table.number) +
         " " + std::to_string(table.file_size) + " [" +
         UserKeyOf(table.smallest).ToString() + ", " +
         UserKeyOf(table.largest).ToString() + "] " +
         std::to_string(table.smallest_seqno) + "-" +
         std::to_string(table.largest_seqno) + " epoch " +
         std::to_string(table.epoch_number) + " born " +
         std::to_string(table.oldest_ancester_time) + " " +
         std::to_string(table.file_creation_time);
}

using Lines = std::vector<std::string>;

Lines TheirTables(RandomDatabase* database,
                  rocksdb::ColumnFamilyHandle* handle) {
  rocksdb::ColumnFamilyMetaData metadata;
  database->db()->GetColumnFamilyMetaData(handle, &metadata);
  Lines lines;
  for (const auto& level : metadata.levels) {
    for (const auto& file : level.files) {
      lines.push_back(Described(file, level.level));
    }
  }
  return lines;
}

Lines OurTables(const ColumnFamilyFiles& family) {
  Lines lines;
  for (const LiveTable& table : family.tables) {
    lines.push_back(Described(table));
  }
  return lines;
}

// --- What lookups find ---

class Lookups {
 public:
  Lookups(const std::string& folder, const ColumnFamilyFiles& family) {
    std::map<uint64_t, SequenceNumber> largest;
    for (const LiveTable& table : family.tables) {
      largest[table.number] = table.largest_seqno;
      version_.levels[table.level].push_back(std::make_shared<VersionFile>(
          table.number,
          FileRange{table.smallest, table.largest, table.file_size}));
    }
    TableCacheOptions options;
    options.open = [folder, largest](uint64_t number, TableToOpen* table) {
      table->path = folder + "/" + TableFileName(number);
      table->options.largest_seqno = largest.at(number);
      return Status();
    };
    cache_ = TableCache::Create(options).value();
  }

  // Returns the value that a reader sees, or "none".
  std::string Get(const std::string& key, SequenceNumber snapshot) {
    const Slice keys[] = {key};
    const auto tables = OpenedTables::OpenFor(keys, version_, cache_.get());
    if (!tables.ok()) return tables.status().ToString();
    GetResult result;
    Status status;
    std::vector<std::string> operands;
    MultiGetFromTables({}, tables->levels(), keys, snapshot, {&result, 1},
                       {&status, 1},
                       [&](size_t, const Slice& operand, SequenceNumber) {
                         operands.push_back(operand.ToString());
                         return true;
                       });
    if (!status.ok()) return status.ToString();
    const std::string base = result.value.slice().ToString();
    if (operands.empty()) {
      return result.state == GetResult::State::kFound ? base : "none";
    }
    // The operator of these databases joins with commas.
    std::string joined = result.state == GetResult::State::kFound ? base : "";
    bool is_first = result.state != GetResult::State::kFound;
    for (auto it = operands.rbegin(); it != operands.rend(); ++it) {
      joined += (is_first ? "" : ",") + *it;
      is_first = false;
    }
    return joined;
  }

 private:
  TableVersion version_;
  std::unique_ptr<TableCache> cache_;
};

std::string TheirValue(rocksdb::Iterator* it, const std::string& key) {
  it->Seek(key);
  if (!it->status().ok()) return it->status().ToString();
  return it->Valid() && it->key() == key ? it->value().ToString() : "none";
}

// --- What the program prints ---

using Values = std::map<std::string, std::string>;

// A row of `scan --output_format=canonical`.
struct Row {
  std::string key;
  ValueType type;
  std::string value;
};

std::string FromHexDigits(const std::string& digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

std::vector<Row> Scanned(const std::string& folder, const std::string& flags) {
  const std::string out = folder + ".rows";
  const std::string command = std::string(ASHLAR_PROGRAM) +
                              " scan --output_format=canonical " + flags + " " +
                              folder + " >" + out;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::vector<Row> rows;
  std::ifstream file(out);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    std::string sequence;
    int type = 0;
    std::string value;
    words >> key >> sequence >> type >> value;
    rows.push_back({FromHexDigits(key), static_cast<ValueType>(type),
                    FromHexDigits(value)});
  }
  return rows;
}

std::string DefaultColumn(const std::string& entity) {
  std::optional<WideColumn> column;
  EXPECT_TRUE(FindDefaultColumn(entity, &column).ok());
  return column ? column->value.ToString() : "";
}

// Joins operands that are rows of their own, newest first, as the operator of
// these databases does.
Values JoinedByHand(const std::vector<Row>& rows) {
  Values values;
  for (const Row& row : rows) {
    const bool is_entity = row.type == ValueType::kTypeWideColumnEntity;
    const std::string value = is_entity ? DefaultColumn(row.value) : row.value;
    const auto [at, is_first] = values.try_emplace(row.key, value);
    if (!is_first) at->second = value + "," + at->second;
  }
  return values;
}

Values TheirValues(rocksdb::Iterator* it, const std::string& from,
                   const std::string& to) {
  Values values;
  for (it->Seek(from); it->Valid() && it->key().ToString() < to; it->Next()) {
    values[it->key().ToString()] = it->value().ToString();
  }
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  return values;
}

class Databases : public ::testing::TestWithParam<uint64_t> {};

TEST_P(Databases, AreScannedAsRocksDbWalksOverThem) {
  const TestFolder folder;
  const std::string path = folder.path() + "/db";
  RandomDatabase database(path, GetParam());
  database.Live();
  if (HasFatalFailure()) return;
  std::mt19937_64 random(GetParam());
  for (rocksdb::ColumnFamilyHandle* const handle : database.families()) {
    for (const rocksdb::Snapshot* snapshot : database.Snapshots()) {
      rocksdb::ReadOptions read;
      read.snapshot = snapshot;
      const std::unique_ptr<rocksdb::Iterator> it(
          database.db()->NewIterator(read, handle));
      const bool whole = random() % 2 == 0;
      const std::string from = whole ? "" : KeyOf(random() % kKeys);
      const std::string to = whole ? "z" : KeyOf(random() % kKeys);
      std::string flags = "--cf=" + handle->GetName() + " --from=" + from +
                          " --to=" + to;
      if (snapshot != nullptr) {
        flags += " --snapshot=" + std::to_string(snapshot->GetSequenceNumber());
      }
      const Values theirs = TheirValues(it.get(), from, to);
      EXPECT_EQ(JoinedByHand(Scanned(path, flags)), theirs) << flags;
      flags += " --merge_operator=stringappend";
      const std::vector<Row> joined = Scanned(path, flags);
      EXPECT_EQ(JoinedByHand(joined), theirs) << flags;
      EXPECT_EQ(joined.size(), theirs.size()) << flags;
    }
  }
}

TEST_P(Databases, AreReadAsRocksDbReadsThem) {
  const TestFolder folder;
  RandomDatabase database(folder.path(), GetParam());
  database.Live();
  if (HasFatalFailure()) return;
  const auto files = ReadDatabaseFiles(folder.path());
  ASSERT_TRUE(files.ok()) << files.status().ToString();
  EXPECT_EQ(files->ignored_bytes, 0U);
  ASSERT_EQ(files->column_families.size(), database.families().size());
  size_t found = 0;
  for (size_t i = 0; i < database.families().size(); ++i) {
    rocksdb::ColumnFamilyHandle* const handle = database.families()[i];
    const ColumnFamilyFiles& family = files->column_families[i];
    EXPECT_EQ(family.name, handle->GetName());
    ASSERT_EQ(OurTables(family), TheirTables(&database, handle));
    Lookups lookups(folder.path(), family);
    for (const rocksdb::Snapshot* snapshot : database.Snapshots()) {
      rocksdb::ReadOptions read;
      read.snapshot = snapshot;
      const std::unique_ptr<rocksdb::Iterator> it(
          database.db()->NewIterator(read, handle));
      for (uint64_t n = 0; n < kKeys; ++n) {
        const std::string theirs = TheirValue(it.get(), KeyOf(n));
        ASSERT_EQ(lookups.Get(KeyOf(n), snapshot == nullptr
                                            ? kMaxSequenceNumber
                                            : snapshot->GetSequenceNumber()),
                  theirs)
            << KeyOf(n);
        found += theirs == "none" ? 0 : 1;
      }
    }
  }
  EXPECT_GT(found, 20U);
}

INSTANTIATE_TEST_SUITE_P(Random, Databases, ::testing::Range<uint64_t>(1, 25));

}  // namespace
}  // namespace ashlar::testing
