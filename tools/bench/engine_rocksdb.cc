// RocksDB as an engine. It is in a separate library, which table_bench loads if
// RocksDB is installed.
//
// It uses RocksDB's public API, with options that match ours.

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <string>
#include <vector>

#include "tools/bench/filter_questions.h"
#include "tools/bench/rocksdb_compact.h"
#include "tools/bench/rocksdb_lsm.h"
#include "tools/bench/rocksdb_open.h"
#include "tools/bench/rocksdb_parts.h"
#include "tools/bench/rocksdb_reads.h"

namespace ashlar::bench {

namespace {

std::string DescribeCacheSize(const BenchOptions& o) {
  if (o.cache_percent != 0) {
    return std::to_string(o.cache_percent) + " % of the file";
  }
  std::string first = std::to_string(o.cache_size >> 20) + " MiB, warm";
  if (o.compressed_secondary_cache_size == 0) return first;
  return first + ", and a second tier of " +
         std::to_string(o.compressed_secondary_cache_size >> 20) + " MiB, " +
         o.compressed_secondary_cache_compression_type;
}

class RocksDbEngine final : public Engine {
 public:
  std::string Name() const override { return "rocksdb"; }

  std::string Describe(const BenchOptions& o) const override {
    return "RocksDB " + std::to_string(ROCKSDB_MAJOR) + "." +
           std::to_string(ROCKSDB_MINOR) + "." + std::to_string(ROCKSDB_PATCH) +
           ", SstFileWriter / " +
           (o.read_only_db ? "a read-only database" : "SstFileReader") +
           "; checksum XXH3, verified on every "
           "read from the file; index and filter in " +
           (o.cache_index_and_filter_blocks ? "the block cache" : "memory") +
           "; block cache " + o.cache_type + " of " + DescribeCacheSize(o) +
           "; format_version " + std::to_string(o.format_version) +
           "; optimize_filters_for_memory off; parallel_threads " +
           std::to_string(o.parallel_threads);
  }

  bool Has(const std::string& benchmark) const override {
    return benchmark != "limit" && benchmark != "multifillseq" &&
           !benchmark.starts_with("index");
  }

  std::string Prepare(const std::string& benchmark, const BenchOptions& options,
                      const Workload& workload) override {
    if (!ReadsCompactionInputs(benchmark)) return "";
    const rocksdb::Status status =
        compact_.MakeInputs(options, workload, OptionsOf(options));
    return status.ok() ? "" : status.ToString();
  }

  std::string Run(const std::string& benchmark, const BenchOptions& options,
                  const Workload& workload, RunResult* result) override {
    const rocksdb::Status status =
        Dispatch(benchmark, options, workload, result);
    return status.ok() ? "" : status.ToString();
  }

 private:
  RocksDbReads::OptionsOf OptionsOf(const BenchOptions& options) {
    return [this, &options](const std::shared_ptr<rocksdb::Cache>& cache) {
      return OptionsFor(options, cache);
    };
  }

  rocksdb::Status Dispatch(const std::string& benchmark,
                           const BenchOptions& options,
                           const Workload& workload, RunResult* result) {
    if (benchmark == "fillseq") {
      return FillSeq(Path(options), options, workload, result);
    }
    if (!OpensTables(benchmark)) open_.Close();
    if (OpensTables(benchmark)) {
      reads_.Close();
      return OpenMany(benchmark, options, workload, result);
    }
    if (benchmark == "filterbuild" || benchmark == "filterfinish") {
      FilterBuild(benchmark == "filterbuild", options, workload, result);
      return {};
    }
    if (benchmark == "filterquery") {
      FilterQuery(options, workload, result);
      return {};
    }
    const RocksDbReads::OptionsOf options_of = OptionsOf(options);
    if (benchmark == "compact") {
      return compact_.Compact(options, workload, options_of, result);
    }
    if (ReadsCompactionInputs(benchmark)) {
      return compact_.ReadMerged(benchmark, options, workload, options_of,
                                 result);
    }
    if (benchmark == "lsm") {
      return lsm_.Run(options, workload, options_of, result);
    }
    return reads_.Run(benchmark, Path(options), options, workload, options_of,
                      result);
  }

  static std::string Path(const BenchOptions& o) {
    return o.folder + (o.read_only_db ? "/rocksdb.db.sst" : "/rocksdb.sst");
  }

  rocksdb::Options OptionsFor(const BenchOptions& o,
                              const std::shared_ptr<rocksdb::Cache>& cache) {
    rocksdb::BlockBasedTableOptions table;
    table.format_version = o.format_version;
    table.block_size = o.block_size;
    table.block_restart_interval = o.block_restart_interval;
    table.checksum = rocksdb::kXXH3;
    table.optimize_filters_for_memory = false;
    if (o.bloom_bits > 0) {
      table.filter_policy.reset(
          o.ribbon ? rocksdb::NewRibbonFilterPolicy(o.bloom_bits, -1)
                   : rocksdb::NewBloomFilterPolicy(o.bloom_bits));
    }
    table.block_cache = cache;
    table.no_block_cache = cache == nullptr;
    table.cache_index_and_filter_blocks =
        cache != nullptr && o.cache_index_and_filter_blocks;
    rocksdb::Options options;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options.compression_opts.parallel_threads = o.parallel_threads;
    options.compression = RocksDbCodec(o.compression_type);
    options.compression_opts.level = o.compression_level;
    if (o.null_sink) {
      if (null_env_ == nullptr) null_env_ = NewNullEnv();
      options.env = null_env_.get();
    }
    return options;
  }

  rocksdb::Status OpenMany(const std::string& benchmark,
                           const BenchOptions& options,
                           const Workload& workload, RunResult* result) {
    return open_.Run(
        benchmark, options, workload,
        [this, options = options,
         benchmark](const std::shared_ptr<rocksdb::Cache>& cache) {
          BenchOptions of_table = options;
          of_table.cache_index_and_filter_blocks |= benchmark == "reopen";
          return OptionsFor(of_table, cache);
        },
        [&](const std::string& path) {
          RunResult ignored;
          return FillSeq(path, options, workload, &ignored);
        },
        result);
  }

  rocksdb::Status FillSeq(const std::string& path, const BenchOptions& options,
                          const Workload& workload, RunResult* result) {
    reads_.Close();
    const rocksdb::Options rocksdb_options = OptionsFor(options, nullptr);
    const Stopwatch watch(options.parallel_threads <= 1
                              ? Stopwatch::Load::kOneThread
                              : Stopwatch::Load::kManyThreads);
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), rocksdb_options);
    rocksdb::Status status = writer.Open(path);
    Workload::Cursor cursor(workload);
    for (uint64_t i = 0; i < workload.num() && status.ok(); ++i) {
      const std::string_view key = cursor.key();
      const std::string_view value = cursor.value();
      status = writer.Put(rocksdb::Slice(key.data(), key.size()),
                          rocksdb::Slice(value.data(), value.size()));
      cursor.Next();
    }
    if (status.ok()) status = writer.Finish();
    result->measured = watch.Stop();
    result->operations = workload.num();
    result->bytes = workload.raw_bytes();
    result->file_bytes = writer.FileSize();
    return status;
  }

  // With `all`, also times the hashing and the collecting of keys.
  static void FilterBuild(bool all, const BenchOptions& options,
                          const Workload& workload, RunResult* result) {
    const Stopwatch whole;
    RocksDbFilter filter(options.bloom_bits, options.ribbon);
    Workload::Cursor cursor(workload);
    for (uint64_t i = 0; i < workload.num(); ++i) {
      filter.AddKey(rocksdb::Slice(cursor.key().data(), cursor.key().size()));
      cursor.Next();
    }
    const Stopwatch finish;
    result->file_bytes = filter.Finish();
    result->measured = (all ? whole : finish).Stop();
    result->operations = workload.num();
  }

  void FilterQuery(const BenchOptions& options, const Workload& workload,
                   RunResult* result) {
    const auto batch = static_cast<size_t>(options.batch_size);
    if (filter_ == nullptr) {
      filter_ =
          std::make_unique<RocksDbFilter>(options.bloom_bits, options.ribbon);
      Workload::Cursor cursor(workload);
      for (uint64_t i = 0; i < workload.num(); ++i) {
        filter_->AddKey(
            rocksdb::Slice(cursor.key().data(), cursor.key().size()));
        cursor.Next();
      }
      filter_->Finish();
    }
    const FilterQuestions questions(workload, options.num_reads(), batch);
    std::vector<rocksdb::Slice> keys(batch);
    std::vector<rocksdb::Slice*> pointers(batch);
    for (size_t j = 0; j < batch; ++j) pointers[j] = &keys[j];
    const Stopwatch watch;
    for (size_t i = 0; i < questions.size(); i += batch) {
      for (size_t j = 0; j < batch; ++j) {
        keys[j] = rocksdb::Slice(questions[i + j].data(), workload.key_size());
      }
      result->found +=
          filter_->CountMatches(pointers.data(), static_cast<int>(batch));
    }
    result->measured = watch.Stop();
    result->operations = questions.size();
  }

  std::unique_ptr<rocksdb::Env> null_env_;
  RocksDbReads reads_;
  RocksDbLsm lsm_;
  RocksDbCompact compact_;
  RocksDbOpen open_;
  std::unique_ptr<RocksDbFilter> filter_;  // for filterquery
};

}  // namespace

}  // namespace ashlar::bench

extern "C" __attribute__((visibility("default"))) ashlar::bench::Engine*
AshlarBenchEngine() {
  return new ashlar::bench::RocksDbEngine();
}
