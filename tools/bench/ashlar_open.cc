#include "tools/bench/ashlar_open.h"

#include <utility>

#include "ashlar/util/worker_pool.h"
#include "tools/bench/ashlar_build.h"

namespace ashlar::bench {

bool ParseLoadTime(const std::string& name, LoadTime* time) {
  if (name == "at_open") {
    *time = LoadTime::kAtOpen;
  } else if (name == "index_at_first_use") {
    *time = LoadTime::kIndexAtFirstUse;
  } else if (name == "at_first_use") {
    *time = LoadTime::kAtFirstUse;
  } else {
    return false;
  }
  return true;
}

ReadOptions ReadOptionsFor(const BenchOptions& options) {
  ReadOptions of_reads;
  of_reads.async_io = options.async_io;
  of_reads.readahead_size = options.readahead_size;
  if (options.read_pool != 0) {
    static WorkerPool pool(options.read_pool);
    of_reads.worker_pool = &pool;
  }
  return of_reads;
}

void AshlarOpen::Library::Use(const std::string& benchmark,
                              const BenchOptions& options, BuildTable build) {
  options_ = options;
  build_ = std::move(build);
  of_tables_.cache_entry_words = options.entry_words;
  of_tables_.cache_index_and_filter_blocks =
      options.cache_index_and_filter_blocks || benchmark == "reopen";
  ParseLoadTime(options.load_index_and_filter,
                &of_tables_.load_index_and_filter);
}

Status AshlarOpen::Library::MakeCache(uint64_t bytes) {
  BenchOptions of_cache = options_;
  of_cache.cache_size = bytes;
  Result<std::shared_ptr<Cache>> made = MakeBlockCache(of_cache);
  if (!made.ok()) return made.status();
  cache_ = std::move(made).value();
  of_tables_.block_cache = cache_;
  return {};
}

void AshlarOpen::Library::DropCache() {
  of_tables_.block_cache.reset();
  cache_.reset();
}

Status AshlarOpen::Library::Open(const std::string& path, Table* table) {
  Result<Table> opened = TableReader::Open(path, of_tables_);
  if (!opened.ok()) return opened.status();
  *table = std::move(opened).value();
  return {};
}

Status AshlarOpen::Library::Get(const Table& table, const std::string& key,
                                RunResult* result) {
  GetResult got;
  Status status = table->Get(key, &got);
  if (!status.ok() || got.state != GetResult::State::kFound) return status;
  ++result->found;
  result->bytes += key.size() + got.value.size();
  return {};
}

Status AshlarOpen::Library::ReadAll(const Table& table) {
  Iterator it = table->NewIterator();
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
  }
  return it.status();
}

void AshlarOpen::Close() { tables_.Close(&library_); }

Status AshlarOpen::Run(const std::string& benchmark,
                       const BenchOptions& options, const Workload& workload,
                       BuildTable build, RunResult* result) {
  library_.Use(benchmark, options, std::move(build));
  return tables_.Run(benchmark, options, workload, &library_, result);
}

}  // namespace ashlar::bench
