// rocksdb_user_iterators: UserIterator, side by side with RocksDB's iterators.
//
//   rocksdb_user_iterators [<count> [<first seed>]]
//
// Each seed has a database of its own, with random writes of all kinds, many
// versions of each key, files on several levels, and half of the time with
// prefixes or timestamps. We read the files of the database with a
// UserIterator, and RocksDB reads them with an iterator of the database: at the
// same snapshot, with the same bounds, and with the same random seeks, steps
// and turns. Both must be at the same keys, with the same values, columns and
// timestamps. One file alone is compared with SstFileReader::NewIterator.
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "ashlar/table/merge_operator.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/table/user_iterator.h"
#include "test/interop/one_family.h"
#include "test/interop/their_options.h"

namespace ashlar::interop {
namespace {

using Random = std::mt19937_64;
using Theirs = std::unique_ptr<rocksdb::Iterator>;

constexpr int kLevels = 7;
constexpr size_t kPrefix = 4;

std::string TheirColumns(const rocksdb::WideColumns& columns) {
  std::string text;
  for (const rocksdb::WideColumn& each : columns) {
    text += each.name().ToString() + "=" + each.value().ToString() + ";";
  }
  return text;
}

std::string OurColumns(std::span<const WideColumn> columns) {
  std::string text;
  for (const WideColumn& each : columns) {
    text += each.name.ToString() + "=" + each.value.ToString() + ";";
  }
  return text;
}

// Where an iterator is, as text.
std::string At(const rocksdb::Iterator& it, bool has_timestamps) {
  if (!it.Valid()) return it.status().ok() ? "an end" : it.status().ToString();
  return it.key().ToString() + " = " + it.value().ToString() + " (" +
         TheirColumns(it.columns()) + ")" +
         (has_timestamps ? " at " + it.timestamp().ToString(true) : "");
}

std::string At(const UserIterator& it, bool has_timestamps) {
  if (!it.Valid()) return it.status().ok() ? "an end" : it.status().ToString();
  return it.key().ToString() + " = " + it.value().ToString() + " (" +
         OurColumns(it.columns()) + ")" +
         (has_timestamps ? " at " + rocksdb::Slice(it.timestamp().data(),
                                                   it.timestamp().size())
                                        .ToString(true)
                         : "");
}

struct File {
  std::string path;
  std::string smallest;
  std::string largest;
  std::unique_ptr<TableReader> reader;
};

class Comparison {
 public:
  Comparison(const std::string& folder, uint64_t seed)
      : folder_(folder + "/user_iterators"), random_(seed) {}
  ~Comparison() {
    for (const rocksdb::Snapshot* each : snapshots_) db_->ReleaseSnapshot(each);
    if (db_ != nullptr) db_->Close().PermitUncheckedError();
    db_.reset();
    std::filesystem::remove_all(folder_);
  }
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;

  Status Run() {
    Status status = Open();
    for (int round = 0; status.ok() && round < 3; ++round) {
      status = WriteAndFlush();
      // RocksDB itself may refuse to flush, or to compact, a mix of deletions.
      if (status.IsCorruption()) return {};
      if (status.ok()) status = OpenFiles();
      for (int i = 0; status.ok() && i < 6; ++i) status = CompareWalks();
      if (status.ok()) status = CompareFiles();
      if (status.ok() && OneIn(2)) status = Compact();
      if (status.IsCorruption() && refused_) return {};
    }
    return status;
  }

 private:
  bool OneIn(uint64_t n) { return random_() % n == 0; }
  uint64_t Below(uint64_t n) { return random_() % n; }

  Status Open() {
    std::filesystem::remove_all(folder_);
    rocksdb::Options& options = options_;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.level_compaction_dynamic_level_bytes = false;
    options.num_levels = kLevels;
    options.compression = rocksdb::kNoCompression;
    has_timestamps_ = OneIn(4);
    if (has_timestamps_) {
      options.comparator = rocksdb::BytewiseComparatorWithU64Ts();
    }
    has_prefixes_ = OneIn(3);
    if (has_prefixes_) {
      options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(kPrefix));
    }
    options.max_sequential_skip_in_iterations = OneIn(2) ? 2 : 8;
    rocksdb::BlockBasedTableOptions table;
    table.block_size = OneIn(2) ? 128 : 4096;
    if (has_prefixes_) {
      table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    }
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    constexpr const char* kOperators[] = {"stringappend", "max", "put"};
    const char* const merge = kOperators[Below(3)];
    rocksdb::Status status = rocksdb::MergeOperator::CreateFromString(
        rocksdb::ConfigOptions(), merge, &options.merge_operator);
    if (!status.ok()) return FromTheirs("merge operator", status);
    merge_ = FindBuiltinMergeOperator(merge);
    keys_ = 3 + Below(40);
    deletes_ranges_ = !OneIn(3);
    return FromTheirs("open", rocksdb::DB::Open(options, folder_, &db_));
  }

  // Prefixes are "key1" to "key4".
  std::string Key() {
    return "key" + std::to_string(1 + Below(4)) +
           std::to_string(10 + Below(keys_));
  }
  rocksdb::Status WriteTimed(const std::string& key, const std::string& value) {
    const rocksdb::WriteOptions options;
    // Several writes may have one timestamp.
    if (!OneIn(4)) ++time_;
    std::string timestamp;
    const rocksdb::Slice at = rocksdb::EncodeU64Ts(time_, &timestamp);
    switch (Below(8)) {
      case 0:
        return db_->Delete(options, key, at);
      case 1:
        return db_->SingleDelete(options, key, at);
      case 2: {
        if (!deletes_ranges_) break;
        std::string end = Key();
        if (end == key) end += "x";
        return db_->DeleteRange(options, db_->DefaultColumnFamily(),
                                std::min(key, end), std::max(key, end), at);
      }
      case 3:
        return db_->Merge(options, db_->DefaultColumnFamily(), key, at, value);
      default:
        break;
    }
    return db_->Put(options, key, at, value);
  }

  rocksdb::Status WriteOne() {
    const rocksdb::WriteOptions options;
    std::string key = Key();
    const std::string value(1 + Below(9), static_cast<char>('a' + Below(26)));
    if (has_timestamps_) return WriteTimed(key, value);
    switch (Below(12)) {
      case 0:
      case 1:
        return db_->Delete(options, key);
      case 2:
        return db_->SingleDelete(options, key);
      case 3:
      case 4:
      case 5:
        return db_->Merge(options, key, value);
      case 6: {
        if (!deletes_ranges_) return db_->Put(options, key, value);
        std::string end = Key();
        if (end == key) end += "x";
        if (end < key) std::swap(key, end);
        return db_->DeleteRange(options, db_->DefaultColumnFamily(), key, end);
      }
      case 7:
        return db_->PutEntity(options, db_->DefaultColumnFamily(), key,
                              {{"", "d"}, {"column", value}});
      case 8:
        return db_->PutEntity(options, db_->DefaultColumnFamily(), key,
                              {{"column", value}});
      default:
        return db_->Put(options, key, value);
    }
  }

  Status WriteAndFlush() {
    const uint64_t flushes = 1 + Below(3);
    for (uint64_t i = 0; i < flushes; ++i) {
      const uint64_t writes = 1 + Below(120);
      for (uint64_t j = 0; j < writes; ++j) {
        const rocksdb::Status status = WriteOne();
        if (!status.ok()) return FromTheirs("write", status);
        if (OneIn(10)) snapshots_.push_back(db_->GetSnapshot());
      }
      const rocksdb::Status status = db_->Flush(rocksdb::FlushOptions());
      if (!status.ok()) return FromTheirs("flush", status);
    }
    return {};
  }

  Status OpenFiles() {
    files_.clear();
    rocksdb::ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(&metadata);
    for (const rocksdb::LevelMetaData& level : metadata.levels) {
      for (const rocksdb::SstFileMetaData& file : level.files) {
        files_.push_back({file.directory + "/" + file.relative_filename,
                          file.smallest, file.largest, nullptr});
        auto reader = TableReader::Open(files_.back().path);
        if (!reader.ok()) return reader.status();
        files_.back().reader = std::move(reader).value();
      }
    }
    return {};
  }

  // Cuts files inside user keys too.
  Status Compact() {
    std::vector<std::string> names;
    const int level = OneIn(2) ? 6 : static_cast<int>(1 + Below(4));
    rocksdb::ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(&metadata);
    for (const rocksdb::LevelMetaData& each : metadata.levels) {
      if (each.level > level) continue;
      for (const rocksdb::SstFileMetaData& file : each.files) {
        names.push_back(file.directory + "/" + file.relative_filename);
      }
    }
    if (names.empty()) return {};
    rocksdb::CompactionOptions options;
    options.output_file_size_limit = 1000 + Below(3000);
    const rocksdb::Status status = db_->CompactFiles(options, names, level);
    refused_ = status.IsCorruption();
    return FromTheirs("compact", status);
  }

  // One iterator over all files, with random options.
  Status CompareWalks() {
    ReadOptions ours;
    rocksdb::ReadOptions theirs;
    if (!snapshots_.empty() && !OneIn(3)) {
      theirs.snapshot = snapshots_[Below(snapshots_.size())];
      ours.snapshot = theirs.snapshot->GetSequenceNumber();
    }
    const std::string at = Timestamp(Below(time_ + 2));
    const rocksdb::Slice their_time(at);
    if (has_timestamps_) {
      ours.timestamp = at;
      theirs.timestamp = &their_time;
    }
    if (has_prefixes_) {
      theirs.prefix_same_as_start = ours.prefix_same_as_start = OneIn(2);
      theirs.total_order_seek = !theirs.prefix_same_as_start;
      theirs.auto_prefix_mode = ours.auto_prefix_mode = OneIn(2);
      if (theirs.auto_prefix_mode) theirs.total_order_seek = false;
    }
    const std::string lower = Key();
    const std::string upper = Key();
    const Slice our_lower(lower);
    const Slice our_upper(upper);
    const rocksdb::Slice their_lower(lower);
    const rocksdb::Slice their_upper(upper);
    // With prefixes, RocksDB's bounds must have that of the seeks.
    if (!ours.prefix_same_as_start && lower < upper) {
      if (OneIn(3)) {
        ours.iterate_lower_bound = &our_lower;
        theirs.iterate_lower_bound = &their_lower;
      }
      if (OneIn(3)) {
        ours.iterate_upper_bound = &our_upper;
        theirs.iterate_upper_bound = &their_upper;
      }
    }
    theirs.pin_data = ours.pin_data = OneIn(3);
    std::vector<UserIteratorTable> tables;
    tables.reserve(files_.size());
    for (const File& file : files_) {
      tables.push_back({file.reader.get(), file.smallest, file.largest});
    }
    UserIterator our_walk(UserOptions(), ours, tables);
    const Theirs their_walk(db_->NewIterator(theirs));
    return Walk(ours.prefix_same_as_start, &our_walk, their_walk.get());
  }

  // SstFileReader ignores range deletions.
  Status CompareFiles() {
    if (has_timestamps_ || files_.empty()) return {};
    const File& file = files_[Below(files_.size())];
    rocksdb::SstFileReader reader(options_);
    const rocksdb::Status opened = reader.Open(file.path);
    if (!opened.ok()) return FromTheirs("open", opened);
    ReadOptions ours;
    ours.ignore_range_deletions = true;
    rocksdb::ReadOptions theirs;
    theirs.total_order_seek = true;
    UserIterator our_walk(*file.reader, UserOptions(), ours);
    const Theirs their_walk(reader.NewIterator(theirs));
    return Walk(false, &our_walk, their_walk.get());
  }

  UserIteratorOptions UserOptions() {
    UserIteratorOptions options;
    options.merge_operator = merge_.get();
    options.max_sequential_skip_in_iterations = OneIn(2) ? Below(4) : 8;
    return options;
  }
  std::string Timestamp(uint64_t time) {
    std::string timestamp;
    rocksdb::EncodeU64Ts(time, &timestamp);
    return timestamp;
  }

  Status Walk(bool has_prefix, UserIterator* ours, rocksdb::Iterator* theirs) {
    std::string moves;
    bool forward = true;
    for (int i = 0; i < 80; ++i) {
      if (OneIn(3)) forward = !forward;
      const std::string target = Key().substr(0, has_prefix ? 6 : Below(7));
      if (theirs->Valid() && !OneIn(10)) {
        moves += forward ? "Next " : "Prev ";
        forward ? ours->Next() : ours->Prev();
        forward ? theirs->Next() : theirs->Prev();
      } else if (OneIn(3) && !has_prefix) {
        moves += forward ? "SeekToFirst " : "SeekToLast ";
        forward ? ours->SeekToFirst() : ours->SeekToLast();
        forward ? theirs->SeekToFirst() : theirs->SeekToLast();
      } else {
        moves += (forward ? "Seek(" : "SeekForPrev(") + target + ") ";
        forward ? ours->Seek(target) : ours->SeekForPrev(target);
        forward ? theirs->Seek(target) : theirs->SeekForPrev(target);
      }
      const std::string our_place = At(*ours, has_timestamps_);
      const std::string their_place = At(*theirs, has_timestamps_);
      if (our_place != their_place || ours->Valid() != theirs->Valid()) {
        moves += ": RocksDB is at ";
        moves += their_place;
        moves += ", Ashlar at ";
        moves += our_place;
        return Status::Aborted(moves);
      }
    }
    return {};
  }

  const std::string folder_;
  Random random_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<const rocksdb::Snapshot*> snapshots_;
  std::shared_ptr<const MergeOperator> merge_;
  std::vector<File> files_;
  uint64_t keys_ = 0;
  uint64_t time_ = 1;
  bool has_timestamps_ = false;
  bool has_prefixes_ = false;
  bool deletes_ranges_ = false;
  bool refused_ = false;
};

}  // namespace
}  // namespace ashlar::interop

int main(int argc, char** argv) {
  return ashlar::interop::CheckSeeds(
      argc, argv,
      [](const std::string& folder, ashlar::interop::OneFamily* /*family*/,
         uint64_t seed) {
        return ashlar::interop::Comparison(folder, seed).Run();
      });
}
