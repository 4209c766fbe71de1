#include "tools/bench/rocksdb_open.h"

#include <rocksdb/perf_level.h>

#include <utility>

namespace ashlar::bench {

void RocksDbOpen::Library::Use(const BenchOptions& options,
                               RocksDbReads::OptionsOf options_of,
                               BuildTable build) {
  options_ = options;
  options_of_ = std::move(options_of);
  build_ = std::move(build);
}

rocksdb::Status RocksDbOpen::Library::MakeCache(uint64_t bytes) {
  cache_ = MakeRocksDbCache(options_, bytes);
  of_tables_ = options_of_(cache_);
  return {};
}

void RocksDbOpen::Library::DropCache() {
  of_tables_ = rocksdb::Options();
  cache_.reset();
}

void RocksDbOpen::Library::Prepare(Table* table) {
  *table = std::make_unique<rocksdb::SstFileReader>(of_tables_);
}

rocksdb::Status RocksDbOpen::Library::Get(const Table& table,
                                          const std::string& key,
                                          RunResult* result) const {
  rocksdb::PinnableSlice value;
  rocksdb::Status status = table->Get(read_options_, key, &value);
  if (status.IsNotFound()) return {};
  if (!status.ok()) return status;
  ++result->found;
  result->bytes += key.size() + value.size();
  return {};
}

rocksdb::Status RocksDbOpen::Library::ReadAll(const Table& table) {
  const std::unique_ptr<rocksdb::Iterator> it(
      table->NewIterator(rocksdb::ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
  }
  return it->status();
}

void RocksDbOpen::Close() { tables_.Close(&library_); }

rocksdb::Status RocksDbOpen::Run(const std::string& benchmark,
                                 const BenchOptions& options,
                                 const Workload& workload,
                                 RocksDbReads::OptionsOf options_of,
                                 BuildTable build, RunResult* result) {
  // Counting is on by default.
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  library_.Use(options, std::move(options_of), std::move(build));
  return tables_.Run(benchmark, options, workload, &library_, result);
}

}  // namespace ashlar::bench
