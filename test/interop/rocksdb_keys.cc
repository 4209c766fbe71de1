// rocksdb_keys: comparators and timestamps, exchanged with RocksDB.
//
// For each order of keys:
// - we read an external file of RocksDB, rebuild it, and compare the bytes;
// - a live RocksDB ingests our file and must show its rows at every timestamp,
//   before and after a compaction;
// - we read the table that its flush writes, and rebuild it.
//
// Exits with 1 if anything fails.
#include <rocksdb/db.h>
#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <set>

#include "ashlar/table/table_reader.h"
#include "test/interop/compare_files.h"
#include "test/interop/our_file.h"
#include "test/interop/their_options.h"
#include "test/support/folder.h"

namespace ashlar::interop {
namespace {

constexpr uint64_t kTimestamps = 12;

struct Order {
  const char* name;
  const Comparator* comparator;
  bool persisted;
};

// The rows of one table.
class Sample {
 public:
  Sample(const Order& order, uint32_t format_version) {
    plan_.options.comparator = order.comparator;
    plan_.options.persist_user_defined_timestamps = order.persisted;
    plan_.options.format_version = format_version;
    plan_.options.block_size = 512;
    plan_.options.compression = CompressionType::kNoCompression;
    // Older formats have another kind of filter.
    if (format_version < 5) plan_.options.filter = FilterType::kNone;
    MakeRows(order.persisted);
  }

  const Plan& plan() const { return plan_; }
  // Keys include timestamps. Sequence numbers are 0.
  const std::vector<Row>& rows() const { return rows_; }
  size_t timestamp_size() const {
    return plan_.options.comparator->timestamp_size();
  }
  std::string KeyOf(const std::string& user_key) const {
    return user_key.substr(0, user_key.size() - timestamp_size());
  }
  std::string TimestampOf(const std::string& user_key) const {
    return user_key.substr(user_key.size() - timestamp_size());
  }

  // Returns the rows that are visible at the timestamp, in order.
  std::vector<std::pair<std::string, std::string>> Visible(
      uint64_t timestamp) const {
    std::vector<std::pair<std::string, std::string>> visible;
    std::set<std::string> seen;
    for (const Row& row : rows_) {
      if (timestamp_size() != 0 &&
          DecodeU64Ts(TimestampOf(row.user_key)) > timestamp) {
        continue;
      }
      const std::string key = KeyOf(row.user_key);
      if (seen.insert(key).second && row.type == ValueType::kTypeValue) {
        visible.emplace_back(key, row.value);
      }
    }
    return visible;
  }

 private:
  void MakeRows(bool persisted) {
    std::mt19937_64 random(7);
    std::set<std::string> keys;
    for (int i = 0; i < 600; ++i) {
      std::string key = std::to_string(random() % 100000);
      key.resize(1 + random() % key.size());
      if (timestamp_size() != 0) {
        key += EncodeU64Ts(persisted ? random() % kTimestamps : 0);
      }
      keys.insert(key);
    }
    for (const std::string& key : keys) {
      const bool deleted = random() % 5 == 0;
      const ValueType deletion = timestamp_size() != 0
                                     ? ValueType::kTypeDeletionWithTimestamp
                                     : ValueType::kTypeDeletion;
      rows_.push_back({key, 0, deleted ? deletion : ValueType::kTypeValue,
                       deleted ? "" : "value of " + key});
    }
    const Comparator* const comparator = plan_.options.comparator;
    std::sort(rows_.begin(), rows_.end(), [&](const Row& a, const Row& b) {
      return comparator->Compare(a.user_key, b.user_key) < 0;
    });
  }

  Plan plan_;
  std::vector<Row> rows_;
};

rocksdb::Status AddTheirs(const Sample& sample, const Row& row,
                          rocksdb::SstFileWriter* writer) {
  const bool put = row.type == ValueType::kTypeValue;
  if (sample.timestamp_size() == 0) {
    return put ? writer->Put(row.user_key, row.value)
               : writer->Delete(row.user_key);
  }
  const std::string key = sample.KeyOf(row.user_key);
  const std::string timestamp = sample.TimestampOf(row.user_key);
  return put ? writer->Put(key, timestamp, row.value)
             : writer->Delete(key, timestamp);
}

Status WriteTheirs(const std::string& path, const Sample& sample) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(),
                                TheirOptions(sample.plan()));
  if (Status s = FromTheirs("open", writer.Open(path)); !s.ok()) return s;
  for (const Row& row : sample.rows()) {
    Status s = FromTheirs("add", AddTheirs(sample, row, &writer));
    if (!s.ok()) return s;
  }
  return FromTheirs("finish", writer.Finish());
}

Status Differs(const std::string& what) {
  return Status::Corruption("expected other rows: " + what);
}

// Checks every row, and Get of every key at every timestamp. Stores the rows
// with the table's sequence numbers in *rows.
Status CheckWithOurReader(const std::string& path, const Sample& sample,
                          std::vector<Row>* rows) {
  ReaderOptions open;
  open.comparator = sample.plan().options.comparator;
  auto reader = TableReader::Open(path, open);
  if (!reader.ok()) return reader.status();
  Iterator it = (*reader)->NewIterator();
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    rows->push_back({it.user_key().ToString(), it.sequence(), it.type(),
                     it.value().ToString()});
  }
  if (!it.status().ok()) return it.status();
  for (uint64_t ts = 0; ts <= kTimestamps; ++ts) {
    const std::string timestamp = EncodeU64Ts(ts);
    ReadOptions read;
    if (sample.timestamp_size() != 0) read.timestamp = timestamp;
    std::vector<std::pair<std::string, std::string>> found;
    std::set<std::string> asked;
    for (const Row& row : sample.rows()) {
      const std::string key = sample.KeyOf(row.user_key);
      if (!asked.insert(key).second) continue;
      GetResult result;
      Status s = (*reader)->Get(read, key, kMaxSequenceNumber, &result);
      if (!s.ok()) return s;
      if (result.state == GetResult::State::kFound) {
        found.emplace_back(key, result.value.ToString());
      }
    }
    if (found != sample.Visible(ts)) return Differs("Get of ours");
  }
  return {};
}

Status CheckRebuilt(const std::string& theirs, const std::string& rebuilt,
                    const Sample& sample, const std::vector<Row>& rows,
                    ByteCounts* counts) {
  const uint64_t identical = counts->identical_files;
  Status status = CompareBytes(theirs, rebuilt, sample.plan(), rows, counts);
  if (status.ok() && counts->identical_files == identical) {
    return Status::Corruption("not every byte is the same");
  }
  return status.WithPrefix("rebuilt");
}

// A database with one column family.
class Database {
 public:
  Status Open(const std::string& folder, const Sample& sample) {
    rocksdb::Options options = TheirOptions(sample.plan());
    options.create_if_missing = true;
    return FromTheirs("open database",
                      rocksdb::DB::Open(options, folder, &db_));
  }

  Status Ingest(const std::string& path) {
    rocksdb::IngestExternalFileOptions options;
    options.verify_checksums_before_ingest = true;
    return FromTheirs("ingest", db_->IngestExternalFile({path}, options));
  }

  Status Write(const Sample& sample) {
    for (const Row& row : sample.rows()) {
      const rocksdb::WriteOptions options;
      const std::string key = sample.KeyOf(row.user_key);
      const std::string timestamp = sample.TimestampOf(row.user_key);
      const bool put = row.type == ValueType::kTypeValue;
      rocksdb::Status s;
      if (sample.timestamp_size() == 0) {
        s = put ? db_->Put(options, key, row.value) : db_->Delete(options, key);
      } else {
        s = put ? db_->Put(options, key, timestamp, row.value)
                : db_->Delete(options, key, timestamp);
      }
      if (!s.ok()) return FromTheirs("write", s);
    }
    return FromTheirs("flush", db_->Flush(rocksdb::FlushOptions()));
  }

  Status Check(const Sample& sample) {
    for (uint64_t ts = 0; ts <= kTimestamps; ++ts) {
      const std::string encoded = EncodeU64Ts(ts);
      const rocksdb::Slice timestamp = encoded;
      rocksdb::ReadOptions options;
      if (sample.timestamp_size() != 0) options.timestamp = &timestamp;
      const auto expected = sample.Visible(ts);
      std::vector<std::pair<std::string, std::string>> found;
      const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(options));
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
        found.emplace_back(it->key().ToString(), it->value().ToString());
      }
      if (Status s = FromTheirs("iterate", it->status()); !s.ok()) return s;
      if (found != expected) return Differs("iterator of RocksDB");
      for (const auto& [key, value] : expected) {
        std::string answer;
        const rocksdb::Status s = db_->Get(options, key, &answer);
        if (!s.ok() || answer != value) return Differs("Get of RocksDB");
      }
    }
    return {};
  }

  Status Compact() {
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction =
        rocksdb::BottommostLevelCompaction::kForce;
    return FromTheirs("compact", db_->CompactRange(options, nullptr, nullptr));
  }

  std::string OnlyTable() const {
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    return files.size() == 1 ? files[0].db_path + files[0].name : "";
  }

 private:
  std::unique_ptr<rocksdb::DB> db_;
};

Status CheckTheirTable(const std::string& path, const std::string& rebuilt,
                       const Sample& sample, ByteCounts* counts) {
  std::vector<Row> rows;
  Status status = CheckWithOurReader(path, sample, &rows);
  if (!status.ok()) return status;
  return CheckRebuilt(path, rebuilt, sample, rows, counts);
}

Status CheckOrder(const Order& order, uint32_t format_version,
                  const std::string& folder, ByteCounts* counts) {
  const Sample sample(order, format_version);
  const std::string theirs = folder + "/theirs.sst";
  const std::string ours = folder + "/ours.sst";
  const std::string rebuilt = folder + "/rebuilt.sst";
  Status status = WriteTheirs(theirs, sample);
  std::vector<Row> rows;
  if (status.ok()) status = CheckWithOurReader(theirs, sample, &rows);
  if (status.ok() && rows != sample.rows()) status = Differs("their file");
  if (status.ok()) {
    status = CheckRebuilt(theirs, rebuilt, sample, rows, counts);
  }
  if (!status.ok()) return status.WithPrefix("their external file");

  status = WriteOurFile(ours, sample.plan().options, {}, true, sample.rows());
  Database ingested;
  if (status.ok()) status = ingested.Open(folder + "/ingested", sample);
  if (status.ok()) status = ingested.Ingest(ours);
  if (status.ok()) status = ingested.Check(sample);
  if (status.ok()) status = ingested.Compact();
  if (status.ok()) status = ingested.Check(sample);
  if (!status.ok()) return status.WithPrefix("our external file");

  Database written;
  status = written.Open(folder + "/written", sample);
  if (status.ok()) status = written.Write(sample);
  if (status.ok()) {
    status = CheckTheirTable(written.OnlyTable(), rebuilt, sample, counts);
  }
  return status.WithPrefix("their flushed table");
}

int Run(const std::string& folder) {
  const Order orders[] = {
      {"reverse", ReverseBytewiseComparator(), true},
      {"u64ts", BytewiseComparatorWithU64Ts(), true},
      {"reverse u64ts", ReverseBytewiseComparatorWithU64Ts(), true},
      {"u64ts stripped", BytewiseComparatorWithU64Ts(), false},
      {"reverse u64ts stripped", ReverseBytewiseComparatorWithU64Ts(), false},
  };
  ByteCounts counts;
  int failures = 0;
  for (const Order& order : orders) {
    for (const uint32_t version : {2U, 5U, 7U}) {
      const std::string place = folder + "/" + std::to_string(&order - orders) +
                                "-" + std::to_string(version);
      std::filesystem::create_directories(place);
      const Status status = CheckOrder(order, version, place, &counts);
      if (status.ok()) continue;
      ++failures;
      std::printf("FAILED %s, format %u: %s\n", order.name, version,
                  status.ToString().c_str());
    }
  }
  std::printf(
      "%ju tables of RocksDB rebuilt, %ju of them the same to the last "
      "byte; %d failures\n",
      uintmax_t{counts.files}, uintmax_t{counts.identical_files}, failures);
  for (const auto& [name, count] : counts.properties) {
    std::printf("  %ju differ in %s\n", uintmax_t{count}, name.c_str());
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ashlar::interop

int main() {
  const ashlar::testing::TestFolder folder;
  return ashlar::interop::Run(folder.path());
}
