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
//
// We also compact half of them in parts side by side, with another target size:
// then the entries and range deletions of all files together must be those of
// RocksDB. Some of our files are imported into the database at their level,
// where every key must read as before the compaction at every snapshot, and
// again after RocksDB has compacted them on.
#include <rocksdb/convenience.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/table.h>

#include <cstdio>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/table/merge_operator.h"
#include "ashlar/util/worker_pool.h"
#include "test/interop/imported_files.h"
#include "test/interop/one_family.h"
#include "test/interop/their_options.h"

namespace ashlar::interop {
namespace {

using Random = std::mt19937_64;

constexpr uint64_t kKeys = 30;
constexpr uint64_t kSingleKeys = 15;  // those of single deletions
constexpr int kLevels = 7;

// How often each comparison was made.
struct Done {
  uint64_t compactions = 0;
  uint64_t in_parts = 0;
  uint64_t imports = 0;
};

class Comparison {
 public:
  // The pool runs parts of compactions.
  Comparison(const std::string& folder, uint64_t seed, WorkerPool* pool,
             Done* done)
      : folder_(folder + "/compactions"),
        random_(seed),
        reads_random_(seed + 1000003),
        pool_(pool),
        done_(done) {}
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
    rocksdb::Options& options = options_;
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

  static std::string KeyOf(uint64_t i) {
    return "key" + std::to_string(100 + i);
  }
  std::string Key() { return KeyOf(Below(kKeys)); }

  rocksdb::Status WriteOne() {
    const rocksdb::WriteOptions options;
    std::string key = Key();
    const std::string value(1 + Below(200), static_cast<char>('a' + Below(26)));
    switch (Below(12)) {
      case 0:
      case 1:
        if (has_single_deletions_ &&
            (mixes_deletions_ || key < KeyOf(kSingleKeys))) {
          return db_->SingleDelete(options, key);
        }
        return db_->Delete(options, key);
      case 2:
        if (has_single_deletions_ && !mixes_deletions_ &&
            key < KeyOf(kSingleKeys)) {
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

  // Compacts level 0, and in between what is in the output level and overlaps,
  // which RocksDB adds by itself.
  Status CompactBoth(int level) {
    std::vector<CompactedFile> inputs;
    std::vector<CompactedFile> deeper;
    for (const CompactedFile& file : FilesOf(db_.get())) {
      (file.level <= level ? inputs : deeper).push_back(file);
    }
    if (inputs.empty()) return {};
    const bool imports = reads_random_() % 8 == 0 && !WhatToRead().keys.empty();
    const bool in_parts = reads_random_() % 2 == 0;
    const uint64_t limit =
        OneIn(2) ? 1000 + Below(4000) : OutputCutterOptions::kNoLimit;
    WrittenOutputs ours(folder_, "ours");
    Status our_status = CompactOurs({inputs, deeper, level, limit, 1}, &ours);
    WrittenOutputs parts(folder_, "parts");
    Status parts_status = our_status;
    if (in_parts) {
      parts_status =
          CompactOurs({inputs, deeper, level, 500 + reads_random_() % 4000,
                       static_cast<uint32_t>(2 + reads_random_() % 6)},
                      &parts);
    }
    const std::vector<CompactedFile> imported =
        Imported((in_parts ? parts : ours).files, deeper, level);
    AllReads reads = WhatToRead();
    std::string before;
    if (imports && parts_status.ok()) {
      Status read = ReadBefore(imported, &reads, &before);
      if (!read.ok()) return read;
    }
    std::vector<CompactedFile> theirs;
    const rocksdb::Status their_status =
        CompactTheirs(inputs, level, limit, &theirs);
    if (!their_status.ok()) {
      // Both refuse a single deletion above a deletion.
      if (their_status.IsCorruption() && our_status.IsCorruption() &&
          parts_status.IsCorruption()) {
        return {};
      }
      return FromTheirs("compact", their_status);
    }
    if (!our_status.ok()) return our_status;
    if (!parts_status.ok()) return parts_status;
    ++done_->compactions;
    Status status = Compare("compactions", TextByFile, theirs, ours.files);
    if (status.ok() && in_parts) {
      const auto text = [&, optional = WhatMayGo(deeper, level)](
                            const std::vector<CompactedFile>& files) {
        return TextOfAll(files, optional);
      };
      status = Compare("parts", text, theirs, parts.files);
    }
    if (status.ok() && imports) {
      status = Import(imported, reads, before);
    }
    return status;
  }

  rocksdb::Status CompactTheirs(const std::vector<CompactedFile>& inputs,
                                int level, uint64_t limit,
                                std::vector<CompactedFile>* outputs) {
    std::vector<std::string> names;
    names.reserve(inputs.size());
    for (const CompactedFile& file : inputs) names.push_back(file.path);
    rocksdb::CompactionOptions options;
    options.output_file_size_limit = limit;
    std::vector<std::string> made;
    rocksdb::Status status =
        db_->CompactFiles(options, names, level, -1, &made);
    *outputs = Made(made);
    return status;
  }

  // A compaction of ours.
  struct OurCompaction {
    const std::vector<CompactedFile>& inputs;
    const std::vector<CompactedFile>& deeper;
    int level;
    uint64_t limit;
    uint32_t parts;
  };

  Status CompactOurs(const OurCompaction& what, CompactionOutputs* outputs) {
    CompactionOptions options;
    CompactionIteratorOptions& rules = options.iterator;
    for (const rocksdb::Snapshot* each : snapshots_) {
      rules.snapshots.push_back(each->GetSequenceNumber());
    }
    rules.merge_operator = merge_.get();
    options.table.block_size = block_size_;
    options.table.compression = CompressionType::kNoCompression;
    options.table.filter = FilterType::kNone;
    std::vector<std::unique_ptr<TableReader>> readers;
    std::vector<CompactionRun> runs;
    int last_level = 0;
    for (const CompactedFile& file : what.inputs) {
      auto reader = TableReader::Open(file.path);
      if (!reader.ok()) return reader.status();
      readers.push_back(std::move(reader).value());
      if (file.level == 0 || file.level != last_level) runs.emplace_back();
      last_level = file.level;
      runs.back().push_back(
          {readers.back().get(), file.smallest, file.largest});
    }
    SetDeeper(what, runs, &options);
    options.cuts_outputs = what.level > 0;
    options.cutter.target_file_size = what.limit;
    options.cutter.cut_inside_user_keys = true;
    options.max_subcompactions = what.parts;
    options.worker_pool = pool_;
    if (what.parts > 1) {
      // Not called for a single part.
      options.prepare_part = [this](size_t part, CompactionOptions*) {
        if (part == 1) ++done_->in_parts;
      };
    }
    CompactionResult result;
    return CompactTables(options, runs, {}, outputs, &result);
  }

  static std::vector<std::vector<FileRange>> LevelsOf(
      const std::vector<CompactedFile>& files) {
    std::vector<std::vector<FileRange>> levels(kLevels);
    for (const CompactedFile& file : files) {
      levels[static_cast<size_t>(file.level)].push_back(
          {file.smallest, file.largest, file.size});
    }
    return levels;
  }
  static OlderFiles OlderOf(const std::vector<CompactedFile>& files) {
    return {BytewiseComparator(), LevelsOf(files)};
  }

  // CompactFiles knows no grandparents. It takes deletions away above deeper
  // files in level style only, and not into level 0.
  void SetDeeper(const OurCompaction& what,
                 const std::vector<CompactionRun>& runs,
                 CompactionOptions* options) const {
    SetDeeperFiles(LevelsOf(what.deeper), runs, options);
    options->cutter.grandparents.clear();
    if (what.level == 0) options->iterator.bottommost = what.deeper.empty();
    if (what.level == 0 || universal_) {
      options->iterator.may_exist_deeper = {};
      options->range_may_exist_deeper = {};
    }
  }

  // Returns the files that RocksDB has made.
  std::vector<CompactedFile> Made(const std::vector<std::string>& paths) const {
    std::set<std::string> names;
    for (const std::string& path : paths) {
      names.insert(std::filesystem::path(path).filename());
    }
    std::vector<CompactedFile> files = FilesOf(db_.get());
    std::erase_if(files, [&](const CompactedFile& file) {
      return !names.contains(std::filesystem::path(file.path).filename());
    });
    return files;
  }

  // Parts of range deletions that all snapshots see, where nothing is deeper.
  OptionalRanges WhatMayGo(const std::vector<CompactedFile>& deeper,
                           int level) const {
    OptionalRanges optional;
    for (uint64_t i = 0; i < kKeys; ++i) {
      optional.points.push_back(KeyOf(i));
      optional.points.push_back(KeyOf(i) + "x");
    }
    for (const rocksdb::Snapshot* each : snapshots_) {
      optional.snapshots.push_back(each->GetSequenceNumber());
    }
    optional.is_optional = [this, level, older = OlderOf(deeper)](
                               const std::string& begin, const std::string& end,
                               SequenceNumber sequence) {
      return level > 0 && !universal_ && !older.MayHaveRange(begin, end) &&
             (snapshots_.empty() ||
              sequence <= snapshots_.front()->GetSequenceNumber());
    };
    return optional;
  }

  template <typename Text>
  static Status Compare(const std::string& what, const Text& text,
                        const std::vector<CompactedFile>& theirs,
                        const std::vector<CompactedFile>& ours) {
    const Result<std::string> their_text = text(theirs);
    if (!their_text.ok()) return their_text.status();
    const Result<std::string> our_text = text(ours);
    if (!our_text.ok()) return our_text.status();
    if (*their_text == *our_text) return {};
    return Status::Corruption(what + " differ. RocksDB:\n" + *their_text +
                              "ours:\n" + *our_text);
  }

  // A single deletion of a key that was written twice may bring back the older
  // value, in RocksDB too. So what it may have been used for is not read.
  AllReads WhatToRead() const {
    AllReads reads{snapshots_, {}, {}};
    if (has_single_deletions_ && mixes_deletions_) return reads;
    for (uint64_t i = has_single_deletions_ ? kSingleKeys : 0; i < kKeys; ++i) {
      reads.keys.push_back(KeyOf(i));
    }
    return reads;
  }

  // Returns the outputs together with the files beneath them.
  static std::vector<CompactedFile> Imported(
      std::vector<CompactedFile> outputs,
      const std::vector<CompactedFile>& deeper, int level) {
    for (CompactedFile& file : outputs) file.level = level;
    outputs.insert(outputs.end(), deeper.begin(), deeper.end());
    return outputs;
  }

  // Reads what the database has, to compare it with what is imported.
  Status ReadBefore(const std::vector<CompactedFile>& imported, AllReads* reads,
                    std::string* text) {
    for (const auto& files : {FilesOf(db_.get()), imported}) {
      const auto misread = KeysThatGetMisreads(files);
      if (!misread.ok()) return misread.status();
      reads->not_got.insert(misread->begin(), misread->end());
    }
    auto read = ReadAll(db_.get(), db_->DefaultColumnFamily(), *reads);
    if (!read.ok()) return read.status();
    *text = std::move(read).value();
    return {};
  }

  Status Import(const std::vector<CompactedFile>& files, const AllReads& reads,
                const std::string& before) {
    if (files.empty()) return {};
    ++done_->imports;
    return CheckImported(db_.get(), options_, files, reads, before);
  }

  const std::string folder_;
  Random random_;        // of the database
  Random reads_random_;  // of what is compared with it
  WorkerPool* const pool_;
  Done* const done_;
  rocksdb::Options options_;
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
  ashlar::WorkerPool pool(2);
  ashlar::interop::Done done;
  const int code = ashlar::interop::CheckSeeds(
      argc, argv,
      [&](const std::string& folder, ashlar::interop::OneFamily* /*family*/,
          uint64_t seed) {
        return ashlar::interop::Comparison(folder, seed, &pool, &done).Run();
      });
  std::printf("%ju compactions, %ju also in parts, %ju imported\n",
              uintmax_t{done.compactions}, uintmax_t{done.in_parts},
              uintmax_t{done.imports});
  return code;
}
