#include "tools/bench/rocksdb_compact.h"

#include <rocksdb/metadata.h>
#include <rocksdb/utilities/checkpoint.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tools/bench/compaction_inputs.h"
#include "tools/bench/merged_walks.h"
#include "tools/bench/rocksdb_table.h"

namespace ashlar::bench {

namespace {

rocksdb::Slice AsSlice(std::string_view bytes) {
  return {bytes.data(), bytes.size()};
}

// Nothing happens in the background.
rocksdb::Options Quiet(rocksdb::Options options) {
  options.disable_auto_compactions = true;
  options.level0_slowdown_writes_trigger = 1 << 20;
  options.level0_stop_writes_trigger = 1 << 20;
  options.write_buffer_size = size_t{32} << 30;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.info_log_level = rocksdb::FATAL_LEVEL;
  return options;
}

std::vector<std::string> FilesOf(rocksdb::DB* db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const auto& file : files) names.push_back(file.name);
  return names;
}

}  // namespace

rocksdb::Status RocksDbCompact::MakeInputs(
    const BenchOptions& options, const Workload& workload,
    const RocksDbReads::OptionsOf& options_of) {
  if (!CompactionInputs(options).empty()) return {};
  rocksdb::Options of_db = Quiet(options_of(nullptr));
  of_db.create_if_missing = true;
  std::unique_ptr<rocksdb::DB> db;
  rocksdb::Status status =
      rocksdb::DB::Open(of_db, CompactionInputsFolder(options), &db);
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  for (int i = 0; status.ok() && i < options.tables; ++i) {
    ForEachEntryOfInput(options, workload, i,
                        [&](std::string_view key, std::string_view value) {
                          if (!status.ok()) return;
                          status = db->Put(write, AsSlice(key), AsSlice(value));
                        });
    if (status.ok()) status = db->Flush(rocksdb::FlushOptions());
  }
  return status;
}

rocksdb::Status RocksDbCompact::Compact(
    const BenchOptions& options, const Workload& workload,
    const RocksDbReads::OptionsOf& options_of, RunResult* result) {
  rocksdb::Status status = MakeInputs(options, workload, options_of);
  if (!status.ok()) return status;
  const rocksdb::Options of_db = Quiet(options_of(nullptr));
  const std::string copy = options.folder + "/rocksdb.compacted.db";
  {
    std::unique_ptr<rocksdb::DB> inputs;
    status = rocksdb::DB::Open(of_db, CompactionInputsFolder(options), &inputs);
    rocksdb::Checkpoint* made = nullptr;
    if (status.ok()) {
      status = rocksdb::Checkpoint::Create(inputs.get(), &made);
    }
    const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
    if (status.ok()) status = checkpoint->CreateCheckpoint(copy);
  }
  std::unique_ptr<rocksdb::DB> db;
  if (status.ok()) status = rocksdb::DB::Open(of_db, copy, &db);
  if (!status.ok()) return status;
  rocksdb::CompactionOptions compaction;
  compaction.output_file_size_limit = options.target_file_size;
  compaction.max_subcompactions = options.subcompactions;
  const std::vector<std::string> files = FilesOf(db.get());
  const bool serial =
      options.subcompactions <= 1 && options.parallel_threads <= 1;
  const Stopwatch watch(serial ? Stopwatch::Load::kOneThread
                               : Stopwatch::Load::kManyThreads);
  status = db->CompactFiles(compaction, files, 1);
  result->measured = watch.Stop();
  std::vector<rocksdb::LiveFileMetaData> made;
  db->GetLiveFilesMetaData(&made);
  for (const auto& file : made) {
    result->file_bytes += file.size;
    result->found += file.num_entries;
  }
  result->operations = workload.num();
  constexpr uint64_t kTail = 8;  // of an internal key
  result->bytes = workload.raw_bytes() + kTail * workload.num();
  db.reset();
  std::filesystem::remove_all(copy);
  return status;
}

rocksdb::Status RocksDbCompact::ReadMerged(
    const std::string& benchmark, const BenchOptions& options,
    const Workload& workload, const RocksDbReads::OptionsOf& options_of,
    RunResult* result) {
  rocksdb::Status status = MakeInputs(options, workload, options_of);
  if (status.ok() && db_ == nullptr) {
    cache_ = MakeRocksDbCache(options, options.cache_size);
    status = rocksdb::DB::OpenForReadOnly(
        Quiet(options_of(cache_)), CompactionInputsFolder(options), &db_);
    RunResult ignored;
    if (status.ok()) {
      const std::unique_ptr<rocksdb::Iterator> it(
          db_->NewIterator(rocksdb::ReadOptions()));
      status = WalkAll(it.get(), &ignored);
    }
  }
  if (!status.ok()) return status;
  const Stopwatch watch;
  const std::unique_ptr<rocksdb::Iterator> it(
      db_->NewIterator(rocksdb::ReadOptions()));
  status = benchmark == "seekmerged"
               ? SeekAll(options, workload, it.get(), result)
               : WalkAll(it.get(), result);
  result->measured = watch.Stop();
  return status;
}

}  // namespace ashlar::bench
