#include "tools/bench/rocksdb_lsm.h"

#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "tools/bench/key_draw.h"
#include "tools/bench/threads.h"

namespace ashlar::bench {

namespace {

std::string PathOf(const BenchOptions& options, int table) {
  return options.folder + "/rocksdb.lsm." + std::to_string(table) + ".sst";
}

rocksdb::Slice AsSlice(std::string_view bytes) {
  return {bytes.data(), bytes.size()};
}

rocksdb::Status Build(const BenchOptions& options, const Workload& workload,
                      const rocksdb::Options& rocksdb_options, int table) {
  const std::string path = PathOf(options, table);
  if (std::filesystem::exists(path)) return {};
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), rocksdb_options);
  rocksdb::Status status = writer.Open(path);
  ForEachKeyOfTable(options, workload, table,
                    [&](std::string_view key, std::string_view value) {
                      if (status.ok()) {
                        status = writer.Put(AsSlice(key), AsSlice(value));
                      }
                    });
  return status.ok() ? writer.Finish() : status;
}

// Looks the keys up in one table after the other, each time those that are not
// found yet.
class TableByTable {
 public:
  void Run(const std::vector<std::unique_ptr<RocksDbTable>>& tables,
           const std::vector<rocksdb::Slice>& keys,
           std::vector<rocksdb::PinnableSlice>* values,
           std::vector<rocksdb::Status>* statuses) {
    keys_ = keys;
    numbers_.resize(keys.size());
    for (size_t j = 0; j < keys.size(); ++j) numbers_[j] = j;
    for (const auto& table : tables) {
      values_.clear();
      values_.resize(keys_.size());
      statuses_.resize(keys_.size());
      table->MultiGet(keys_, &values_, &statuses_);
      size_t kept = 0;
      for (size_t i = 0; i < keys_.size(); ++i) {
        const size_t j = numbers_[i];
        (*statuses)[j] = statuses_[i];
        if (statuses_[i].IsNotFound()) {
          keys_[kept] = keys_[i];
          numbers_[kept++] = j;
        } else {
          (*values)[j] = std::move(values_[i]);
        }
      }
      keys_.resize(kept);
      if (kept == 0) break;
    }
  }

 private:
  std::vector<rocksdb::Slice> keys_;  // those that are not found yet
  std::vector<size_t> numbers_;
  std::vector<rocksdb::PinnableSlice> values_;
  std::vector<rocksdb::Status> statuses_;
};

}  // namespace

rocksdb::Status RocksDbLsm::Open(const BenchOptions& options,
                                 const Workload& workload,
                                 const RocksDbReads::OptionsOf& options_of) {
  if (!tables_.empty()) return {};
  uint64_t file_bytes = 0;
  std::vector<std::string> paths;
  for (int t = 0; t < options.tables; ++t) {
    rocksdb::Status status = Build(options, workload, options_of(nullptr), t);
    if (!status.ok()) return status;
    paths.push_back(PathOf(options, t));
    file_bytes += std::filesystem::file_size(paths.back());
  }
  const uint64_t cache_bytes = options.CacheSizeFor(file_bytes);
  if (cache_bytes != 0) cache_ = MakeRocksDbCache(options, cache_bytes);
  const rocksdb::Options of_tables = options_of(cache_);
  rocksdb::Status status;
  if (options.read_only_db) {
    // The oldest first: each gets the level above the one before.
    std::reverse(paths.begin(), paths.end());
    status = OpenReadOnlyDatabase(of_tables, paths,
                                  options.folder + "/rocksdb.lsm.db",
                                  &tables_.emplace_back());
  } else {
    for (const std::string& path : paths) {
      status = OpenTableFile(of_tables, path, &tables_.emplace_back());
      if (!status.ok()) break;
    }
  }
  if (status.ok()) status = Warm(options, workload);
  if (!status.ok()) tables_.clear();
  return status;
}

rocksdb::Status RocksDbLsm::Warm(const BenchOptions& options,
                                 const Workload& workload) {
  for (const auto& table : tables_) {
    const auto it = table->NewIterator(rocksdb::ReadOptions());
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
    }
    if (!it->status().ok()) return it->status();
  }
  RunResult ignored;
  rocksdb::get_perf_context()->Reset();
  rocksdb::Status status = Read(options, workload, /*count=*/true, &ignored);
  blocks_loaded_ = rocksdb::get_perf_context()->block_read_count;
  return status;
}

rocksdb::Status RocksDbLsm::Read(const BenchOptions& options,
                                 const Workload& workload, bool count,
                                 RunResult* result) {
  return RunThreads(
      options, result, [&](uint64_t reads, uint64_t seed, RunResult* part) {
        // Counting is on by default.
        rocksdb::SetPerfLevel(count ? rocksdb::PerfLevel::kEnableCount
                                    : rocksdb::PerfLevel::kDisable);
        KeyDraw draw(options, seed);
        const auto batch = static_cast<size_t>(options.batch_size);
        const size_t size = workload.key_size();
        std::string bytes(batch * size, '\0');
        std::vector<rocksdb::Slice> keys;
        for (size_t j = 0; j < batch; ++j)
          keys.emplace_back(&bytes[j * size], size);
        std::vector<rocksdb::PinnableSlice> values(batch);
        std::vector<rocksdb::Status> statuses(batch);
        TableByTable by_table;
        for (uint64_t i = 0; i < reads; i += batch) {
          for (size_t j = 0; j < batch; ++j) {
            workload.Key(draw.Next(), &bytes[j * size]);
          }
          if (batch == 1) {
            for (const auto& table : tables_) {
              statuses[0] = table->Get(keys[0], &values[0]);
              if (!statuses[0].IsNotFound()) break;
            }
          } else if (tables_.size() == 1) {
            tables_[0]->MultiGet(keys, &values, &statuses);
          } else {
            by_table.Run(tables_, keys, &values, &statuses);
          }
          for (size_t j = 0; j < batch; ++j) {
            if (statuses[j].IsNotFound()) continue;
            if (!statuses[j].ok()) return statuses[j];
            ++part->found;
            part->bytes += size + values[j].size();
          }
        }
        return rocksdb::Status();
      });
}

rocksdb::Status RocksDbLsm::Run(const BenchOptions& options,
                                const Workload& workload,
                                const RocksDbReads::OptionsOf& options_of,
                                RunResult* result) {
  rocksdb::Status status = Open(options, workload, options_of);
  if (!status.ok()) return status;
  result->blocks_loaded = blocks_loaded_;
  return Read(options, workload, /*count=*/false, result);
}

}  // namespace ashlar::bench
