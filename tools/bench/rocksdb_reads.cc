#include "tools/bench/rocksdb_reads.h"

#include <rocksdb/perf_level.h>
#include <rocksdb/sst_file_writer.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/bench/key_draw.h"
#include "tools/bench/threads.h"

namespace ashlar::bench {

namespace {

// Turns off counting in the thread's perf context, which is on by default.
void CountNothing() { rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable); }

rocksdb::Status Scan(RocksDbTable* table, bool forward,
                     const rocksdb::ReadOptions& options, RunResult* result) {
  CountNothing();
  const Stopwatch watch;
  const std::unique_ptr<rocksdb::Iterator> it = table->NewIterator(options);
  uint64_t entries = 0;
  uint64_t bytes = 0;
  if (forward) {
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      ++entries;
      bytes += it->key().size() + it->value().size();
    }
  } else {
    for (it->SeekToLast(); it->Valid(); it->Prev()) {
      ++entries;
      bytes += it->key().size() + it->value().size();
    }
  }
  result->measured = watch.Stop();
  result->operations = result->found = entries;
  result->bytes = bytes;
  return it->status();
}

rocksdb::Status Verify(RocksDbTable* table, const Workload& workload,
                       RunResult* result) {
  const Stopwatch watch;
  rocksdb::Status status = table->VerifyChecksum();
  result->measured = watch.Stop();
  result->operations = workload.num();
  return status;
}

// Returns the work of a thread of random reads, as a function (reads, seed,
// RunResult*).
auto PointReads(RocksDbTable* table, bool missing, const BenchOptions& options,
                const Workload& workload) {
  return [&, table, missing](uint64_t reads, uint64_t seed, RunResult* part) {
    CountNothing();
    KeyDraw draw(options, seed);
    LatencyHistogram* const latencies =
        options.latencies ? &part->latencies : nullptr;
    std::string key(workload.key_size(), '\0');
    rocksdb::PinnableSlice value;
    for (uint64_t i = 0; i < reads; ++i) {
      const uint64_t n = draw.Next();
      if (missing) {
        workload.MissingKey(n, key.data());
      } else {
        workload.Key(n, key.data());
      }
      rocksdb::Status status;
      {
        const LatencyTimer timer(latencies);
        status = table->Get(key, &value);
      }
      if (status.IsNotFound()) continue;
      if (!status.ok()) return status;
      ++part->found;
      part->bytes += key.size() + value.size();
    }
    return rocksdb::Status();
  };
}

auto BatchReads(RocksDbTable* table, const BenchOptions& options,
                const Workload& workload) {
  return [&, table](uint64_t reads, uint64_t seed, RunResult* part) {
    CountNothing();
    KeyDraw draw(options, seed);
    const auto batch = static_cast<size_t>(options.batch_size);
    const size_t size = workload.key_size();
    std::string bytes(batch * size, '\0');
    std::vector<rocksdb::Slice> keys;
    for (size_t j = 0; j < batch; ++j) {
      keys.emplace_back(bytes.data() + j * size, size);
    }
    std::vector<rocksdb::PinnableSlice> values(batch);
    std::vector<rocksdb::Status> statuses(batch);
    for (uint64_t i = 0; i < reads; i += batch) {
      for (size_t j = 0; j < batch; ++j) {
        workload.Key(draw.Next(), bytes.data() + j * size);
      }
      table->MultiGet(keys, &values, &statuses);
      for (size_t j = 0; j < batch; ++j) {
        if (statuses[j].IsNotFound()) continue;
        if (!statuses[j].ok()) return statuses[j];
        ++part->found;
        part->bytes += size + values[j].size();
      }
    }
    return rocksdb::Status();
  };
}

// Returns the work of a thread that seeks and then reads `range` entries.
auto Seeks(RocksDbTable* table, uint64_t range, const BenchOptions& options,
           const Workload& workload) {
  return [&, table, range](uint64_t reads, uint64_t seed, RunResult* part) {
    CountNothing();
    KeyDraw draw = DrawOfRanges(options, range, seed);
    std::string key(workload.key_size(), '\0');
    const std::unique_ptr<rocksdb::Iterator> it =
        table->NewIterator(rocksdb::ReadOptions());
    for (uint64_t i = 0; i < reads; ++i) {
      workload.Key(draw.Next(), key.data());
      it->Seek(key);
      if (!it->Valid()) return it->status();
      ++part->found;
      part->bytes += it->key().size() + it->value().size();
      for (uint64_t n = 1; n < range; ++n) {
        it->Next();
        if (!it->Valid()) break;
        part->bytes += it->key().size() + it->value().size();
      }
    }
    return rocksdb::Status();
  };
}

// The work of the writer next to the reads: builds a table, until it is
// stopped.
rocksdb::Status BuildAtPace(const std::string& path,
                            const rocksdb::Options& options,
                            const Workload& workload, WritePace* pace) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  rocksdb::Status status = writer.Open(path);
  Workload::Cursor cursor(workload);
  for (uint64_t i = 0; i < workload.num() && status.ok(); ++i) {
    const rocksdb::Slice key(cursor.key().data(), cursor.key().size());
    const rocksdb::Slice value(cursor.value().data(), cursor.value().size());
    status = writer.Put(key, value);
    if (!pace->Wrote(key.size() + value.size())) return status;
    cursor.Next();
  }
  return status.ok() ? writer.Finish() : status;
}

// Calls RunThreads, with the writer if the benchmark has one.
template <typename Read>
rocksdb::Status RunReads(const std::string& benchmark,
                         const BenchOptions& options, const Workload& workload,
                         const RocksDbReads::OptionsOf& options_of,
                         RunResult* result, Read read) {
  if (!benchmark.ends_with(kWhileWriting)) {
    return RunThreads(options, result, read);
  }
  const rocksdb::Options to_build = options_of(nullptr);
  return RunThreadsBesideWriter(options, result, read, [&](WritePace* pace) {
    return BuildAtPace(options.folder + "/rocksdb.beside.sst", to_build,
                       workload, pace);
  });
}

// Returns null if there is no second tier.
std::shared_ptr<rocksdb::SecondaryCache> MakeSecondTier(
    const BenchOptions& options) {
  if (options.compressed_secondary_cache_size == 0) return nullptr;
  rocksdb::CompressedSecondaryCacheOptions second;
  second.capacity = options.compressed_secondary_cache_size;
  second.compression_type =
      RocksDbCodec(options.compressed_secondary_cache_compression_type);
  return second.MakeSharedSecondaryCache();
}

}  // namespace

rocksdb::CompressionType RocksDbCodec(const std::string& name) {
  const std::map<std::string, rocksdb::CompressionType> known = {
      {"none", rocksdb::kNoCompression},
      {"snappy", rocksdb::kSnappyCompression},
      {"lz4", rocksdb::kLZ4Compression},
      {"zstd", rocksdb::kZSTD}};
  const auto found = known.find(name);
  return found == known.end() ? rocksdb::kNoCompression : found->second;
}

std::shared_ptr<rocksdb::Cache> MakeRocksDbCache(
    const BenchOptions& options, uint64_t capacity,
    std::shared_ptr<rocksdb::SecondaryCache> secondary) {
  if (options.cache_type == "lru_cache") {
    rocksdb::LRUCacheOptions lru;
    lru.capacity = capacity;
    lru.secondary_cache = std::move(secondary);
    return lru.MakeSharedCache();
  }
  const bool grows = options.cache_type == "auto_hyper_clock_cache";
  rocksdb::HyperClockCacheOptions clock(capacity,
                                        grows ? 0 : options.block_size);
  clock.secondary_cache = std::move(secondary);
  return clock.MakeSharedCache();
}

void RocksDbReads::Close() {
  table_.reset();
  cache_.reset();
}

rocksdb::Status RocksDbReads::Open(const std::string& path,
                                   const BenchOptions& options,
                                   const Workload& workload,
                                   const OptionsOf& options_of) {
  if (table_ != nullptr) return {};
  std::error_code no_file;
  const uint64_t file_bytes = std::filesystem::file_size(path, no_file);
  if (no_file) return rocksdb::Status::IOError(path, no_file.message());
  cache_ = MakeRocksDbCache(options, options.CacheSizeFor(file_bytes),
                            MakeSecondTier(options));
  const rocksdb::Options of_table = options_of(cache_);
  rocksdb::Status status =
      options.read_only_db
          ? OpenReadOnlyDatabase(of_table, {path},
                                 options.folder + "/rocksdb.db", &table_)
          : OpenTableFile(of_table, path, &table_);
  if (status.ok()) status = Warm(options, workload);
  if (!status.ok()) Close();
  return status;
}

// Reads every block into the cache. If the cache is too small, random reads
// then leave the blocks in it that they need.
rocksdb::Status RocksDbReads::Warm(const BenchOptions& options,
                                   const Workload& workload) {
  RunResult ignored;
  rocksdb::ReadOptions read_options;
  rocksdb::Status status = Scan(table_.get(), true, read_options, &ignored);
  if (!status.ok()) return status;
  if (!options.HoldsTable(workload.raw_bytes())) {
    return RunThreads(options, &ignored,
                      PointReads(table_.get(), false, options, workload));
  }
  // Scans again. Now no block may be missing.
  read_options.read_tier = rocksdb::kBlockCacheTier;
  return Scan(table_.get(), true, read_options, &ignored);
}

rocksdb::Status RocksDbReads::Run(const std::string& benchmark,
                                  const std::string& path,
                                  const BenchOptions& options,
                                  const Workload& workload,
                                  const OptionsOf& options_of,
                                  RunResult* result) {
  if (benchmark == "blockinsert") {
    return RunRocksDbBlockInsert(path, options, options_of, result);
  }
  rocksdb::Status status = Open(path, options, workload, options_of);
  if (!status.ok()) return status;
  status = Dispatch(benchmark, options, workload, options_of, result);
  if (status.ok() && options.cache_report) {
    std::fputs(
        DescribeRocksDbHeld(table_.get(), cache_.get(), options, workload)
            .c_str(),
        stderr);
  }
  return status;
}

rocksdb::Status RocksDbReads::Dispatch(const std::string& benchmark,
                                       const BenchOptions& options,
                                       const Workload& workload,
                                       const OptionsOf& options_of,
                                       RunResult* result) {
  RocksDbTable* const table = table_.get();
  if (benchmark == "readseq") return Scan(table, true, {}, result);
  if (benchmark == "readreverse") return Scan(table, false, {}, result);
  if (benchmark == "verify") return Verify(table, workload, result);
  if (benchmark == "multireadrandom") {
    return RunReads(benchmark, options, workload, options_of, result,
                    BatchReads(table, options, workload));
  }
  if (benchmark == "seekrandom" || benchmark.starts_with("fwdrange")) {
    const uint64_t range = benchmark == "seekrandom" ? 1 : kRangeEntries;
    return RunReads(benchmark, options, workload, options_of, result,
                    Seeks(table, range, options, workload));
  }
  return RunReads(
      benchmark, options, workload, options_of, result,
      PointReads(table, benchmark == "readmissing", options, workload));
}

}  // namespace ashlar::bench
