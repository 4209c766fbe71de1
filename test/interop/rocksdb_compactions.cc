// rocksdb_compactions: compactions of files, side by side with RocksDB's.
//
//   rocksdb_compactions [<count> [<first seed>]]
//
// Each seed has a database of its own, with random writes of all kinds,
// snapshots and flushes, and with files on several levels. RocksDB compacts
// chosen files with CompactFiles. We compact copies of the same files with the
// same options. Both must give the same files: entries with their sequence
// numbers and types, range deletions, where each file ends, and the smallest
// and largest internal keys of its metadata.
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/metadata.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/table/internal_key_less.h"
#include "ashlar/table/merge_operator.h"
#include "test/interop/one_family.h"
#include "test/interop/their_options.h"

namespace ashlar::interop {
namespace {

using Random = std::mt19937_64;

constexpr uint64_t kKeys = 30;
constexpr int kLevels = 7;

// A file, with all that is compared.
struct File {
  std::string path;
  int level = 0;
  std::string smallest;  // internal keys
  std::string largest;
  SequenceNumber smallest_seqno = 0;
  SequenceNumber largest_seqno = 0;
  uint64_t size = 0;
};

std::string Text(const Slice& internal_key) {
  return DescribeInternalKey(internal_key);
}

// The contents of a table as text.
Result<std::string> Contents(const TableReader& reader) {
  std::string text;
  ReadOptions options;
  options.ignore_range_deletions = true;
  Iterator it = reader.NewIterator(options);
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    text += "  " + Text(it.key()) + " = " +
            it.value().ToString().substr(0, 60) + "\n";
  }
  if (!it.status().ok()) return it.status();
  for (const RangeDeletion& each : reader.RangeDeletions()) {
    text += "  " + each.begin.ToString() + " to " + each.end.ToString() +
            " deleted at " + std::to_string(each.sequence) + "\n";
  }
  return text;
}

// A bound as text. Where an output begins with a range deletion that was cut at
// the smallest key of an input, RocksDB gives that key a type that no entry
// has, and we its own. So only the types of range deletions are told apart.
std::string BoundText(const std::string& internal_key) {
  return UserKeyOf(internal_key).ToString() + " " +
         std::to_string(SequenceOf(internal_key)) +
         (TypeOf(internal_key) == ValueType::kTypeRangeDeletion ? " range"
                                                                : "");
}

std::string Header(const std::string& smallest, const std::string& largest,
                   SequenceNumber smallest_seqno,
                   SequenceNumber largest_seqno) {
  return "file from " + BoundText(smallest) + " to " + BoundText(largest) +
         ", sequence numbers " + std::to_string(smallest_seqno) + " to " +
         std::to_string(largest_seqno) + "\n";
}

// Our outputs as text.
class TextOutputs final : public CompactionOutputs {
 public:
  Result<WritableFile*> Begin(size_t /*number*/, TableOptions* /*table*/,
                              BuildOptions* /*build*/) override {
    bytes_.clear();
    file_ = NewMemoryWritableFile("ours", &bytes_);
    return file_.get();
  }
  Status End(const CompactionOutput& output) override {
    const TableSummary& summary = output.builder->summary();
    text +=
        Header(output.smallest, output.largest, summary.smallest_seqno.value(),
               summary.largest_seqno.value());
    const auto reader = TableReader::Open(NewMemoryFile("ours", bytes_));
    if (!reader.ok()) return reader.status();
    const Result<std::string> contents = Contents(**reader);
    if (!contents.ok()) return contents.status();
    text += *contents;
    return {};
  }
  void Drop(size_t /*number*/) override { file_.reset(); }

  std::string text;

 private:
  std::string bytes_;
  std::unique_ptr<WritableFile> file_;
};

class Comparison {
 public:
  Comparison(const std::string& folder, uint64_t seed)
      : folder_(folder + "/compactions"), random_(seed) {}
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
    // Old data first, in the last level or above it.
    for (int round = 0; status.ok() && round < 3; ++round) {
      status = WriteAndFlush();
      // RocksDB itself may refuse to flush a mix of deletions.
      if (mixes_deletions_ && status.IsCorruption()) return {};
      if (status.ok()) status = CompactBoth(RandomLevel(round));
    }
    return status;
  }

 private:
  bool OneIn(uint64_t n) { return random_() % n == 0; }
  uint64_t Below(uint64_t n) { return random_() % n; }

  int RandomLevel(int round) {
    if (round == 0) return OneIn(2) ? 6 : 4;
    constexpr int kChoices[] = {1, 2, 4, 6, 6, 0};
    return kChoices[Below(std::size(kChoices))];
  }

  Status Open() {
    std::filesystem::remove_all(folder_);
    rocksdb::Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.level_compaction_dynamic_level_bytes = false;
    options.num_levels = kLevels;
    options.compression = rocksdb::kNoCompression;
    universal_ = OneIn(5);
    if (universal_) {
      options.compaction_style = rocksdb::kCompactionStyleUniversal;
    }
    rocksdb::BlockBasedTableOptions table;
    block_size_ = OneIn(2) ? 128 : 4096;
    table.block_size = block_size_;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    constexpr const char* kOperators[] = {"stringappend", "max", "put"};
    const char* const merge = kOperators[Below(3)];
    rocksdb::Status status = rocksdb::MergeOperator::CreateFromString(
        rocksdb::ConfigOptions(), merge, &options.merge_operator);
    if (!status.ok()) return FromTheirs("merge operator", status);
    merge_ = FindBuiltinMergeOperator(merge);
    mixes_deletions_ = OneIn(4);
    has_single_deletions_ = OneIn(2);
    return FromTheirs("open", rocksdb::DB::Open(options, folder_, &db_));
  }

  std::string Key() { return "key" + std::to_string(100 + Below(kKeys)); }

  rocksdb::Status WriteOne() {
    const rocksdb::WriteOptions options;
    std::string key = Key();
    const std::string value(1 + Below(200), static_cast<char>('a' + Below(26)));
    switch (Below(12)) {
      case 0:
      case 1:
        if (has_single_deletions_ && (mixes_deletions_ || key < "key115")) {
          return db_->SingleDelete(options, key);
        }
        return db_->Delete(options, key);
      case 2:
        if (has_single_deletions_ && !mixes_deletions_ && key < "key115") {
          return db_->SingleDelete(options, key);
        }
        return db_->Delete(options, key);
      case 3:
      case 4:
      case 5:
        return db_->Merge(options, key, value);
      case 6: {
        std::string end = Key();
        if (end == key) end += "x";
        if (end < key) std::swap(key, end);
        return db_->DeleteRange(options, db_->DefaultColumnFamily(), key, end);
      }
      case 7:
        return db_->PutEntity(options, db_->DefaultColumnFamily(), key,
                              {{"", "d"}, {"column", value}});
      default:
        return db_->Put(options, key, value);
    }
  }

  Status WriteAndFlush() {
    const uint64_t flushes = 1 + Below(3);
    for (uint64_t i = 0; i < flushes; ++i) {
      const uint64_t writes = 1 + Below(60);
      for (uint64_t j = 0; j < writes; ++j) {
        const rocksdb::Status status = WriteOne();
        if (!status.ok()) return FromTheirs("write", status);
        if (OneIn(15)) snapshots_.push_back(db_->GetSnapshot());
      }
      const rocksdb::Status status = db_->Flush(rocksdb::FlushOptions());
      if (!status.ok()) return FromTheirs("flush", status);
    }
    while (!snapshots_.empty() && OneIn(2)) {
      const size_t at = Below(snapshots_.size());
      db_->ReleaseSnapshot(snapshots_[at]);
      snapshots_.erase(snapshots_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return {};
  }

  std::vector<File> Files() const {
    rocksdb::ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(&metadata);
    std::vector<File> files;
    for (const rocksdb::LevelMetaData& level : metadata.levels) {
      for (const rocksdb::SstFileMetaData& file : level.files) {
        files.push_back({file.directory + "/" + file.relative_filename,
                         level.level, file.smallest, file.largest,
                         file.smallest_seqno, file.largest_seqno, file.size});
      }
    }
    return files;
  }

  // Compacts level 0, and in between what is in the output level and overlaps,
  // which RocksDB adds by itself.
  Status CompactBoth(int level) {
    std::vector<File> inputs;
    std::vector<std::vector<FileRange>> deeper(kLevels);
    bool any_deeper = false;
    for (const File& file : Files()) {
      if (file.level <= level) {
        inputs.push_back(file);
      } else {
        any_deeper = true;
        deeper[static_cast<size_t>(file.level)].push_back(
            {file.smallest, file.largest, file.size});
      }
    }
    if (inputs.empty()) return {};
    const uint64_t limit =
        OneIn(2) ? 1000 + Below(4000) : OutputCutterOptions::kNoLimit;
    const OlderFiles older(BytewiseComparator(), std::move(deeper));
    TextOutputs ours;
    Status our_status =
        CompactOurs(inputs, level, limit, older, any_deeper, &ours);
    std::vector<std::string> names;
    names.reserve(inputs.size());
    for (const File& file : inputs) names.push_back(file.path);
    rocksdb::CompactionOptions options;
    options.output_file_size_limit = limit;
    std::vector<std::string> made;
    const rocksdb::Status their_status =
        db_->CompactFiles(options, names, level, -1, &made);
    if (!their_status.ok()) {
      // Both refuse a single deletion above a deletion.
      if (their_status.IsCorruption() && our_status.IsCorruption()) return {};
      return FromTheirs("compact", their_status);
    }
    if (!our_status.ok()) return our_status;
    return Compare(made, ours.text);
  }

  Status CompactOurs(const std::vector<File>& inputs, int level, uint64_t limit,
                     const OlderFiles& older, bool any_deeper,
                     CompactionOutputs* outputs) {
    CompactionOptions options;
    CompactionIteratorOptions& rules = options.iterator;
    for (const rocksdb::Snapshot* each : snapshots_) {
      rules.snapshots.push_back(each->GetSequenceNumber());
    }
    rules.merge_operator = merge_.get();
    std::string smallest;
    std::string largest;
    for (const File& file : inputs) {
      const std::string first = UserKeyOf(file.smallest).ToString();
      const std::string last = UserKeyOf(file.largest).ToString();
      if (smallest.empty() || first < smallest) smallest = first;
      if (largest.empty() || last > largest) largest = last;
    }
    rules.bottommost =
        level == 0 ? !any_deeper : !older.Overlaps(smallest, largest);
    if (!universal_ && level > 0) {
      rules.may_exist_deeper = [&](const Slice& key) {
        return older.MayHave(key);
      };
      options.range_may_exist_deeper = [&](const Slice& begin,
                                           const Slice& end) {
        return older.MayHaveRange(begin, end);
      };
    }
    options.cuts_outputs = level > 0;
    options.cutter.target_file_size = limit;
    options.cutter.cut_inside_user_keys = true;
    options.table.block_size = block_size_;
    options.table.compression = CompressionType::kNoCompression;
    options.table.filter = FilterType::kNone;
    std::vector<std::unique_ptr<TableReader>> readers;
    std::vector<CompactionRun> runs;
    int last_level = 0;
    for (const File& file : inputs) {
      auto reader = TableReader::Open(file.path);
      if (!reader.ok()) return reader.status();
      readers.push_back(std::move(reader).value());
      if (file.level == 0 || file.level != last_level) runs.emplace_back();
      last_level = file.level;
      runs.back().push_back(
          {readers.back().get(), file.smallest, file.largest});
    }
    CompactionResult result;
    return CompactTables(options, runs, {}, outputs, &result);
  }

  Status Compare(const std::vector<std::string>& made,
                 const std::string& ours) const {
    std::vector<File> files;
    for (const File& file : Files()) {
      const std::string name = std::filesystem::path(file.path).filename();
      for (const std::string& path : made) {
        if (std::filesystem::path(path).filename() == name) {
          files.push_back(file);
        }
      }
    }
    std::sort(files.begin(), files.end(), [](const File& a, const File& b) {
      return CompareInternalKeys(BytewiseComparator(), a.smallest, b.smallest) <
             0;
    });
    std::string theirs;
    for (const File& file : files) {
      theirs += Header(file.smallest, file.largest, file.smallest_seqno,
                       file.largest_seqno);
      const auto reader = TableReader::Open(file.path);
      if (!reader.ok()) return reader.status();
      const Result<std::string> contents = Contents(**reader);
      if (!contents.ok()) return contents.status();
      theirs += *contents;
    }
    if (theirs == ours) return {};
    return Status::Corruption("compactions differ. RocksDB:\n" + theirs +
                              "ours:\n" + ours);
  }

  const std::string folder_;
  Random random_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<const rocksdb::Snapshot*> snapshots_;
  std::shared_ptr<const MergeOperator> merge_;
  uint64_t block_size_ = 0;
  bool universal_ = false;
  bool has_single_deletions_ = false;
  bool mixes_deletions_ = false;
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
