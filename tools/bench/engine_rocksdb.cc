// RocksDB as an engine: a library of its own, loaded by table_bench where a
// RocksDB is installed.
//
// Uses RocksDB's public API with options that match ours; the block cache is
// large enough and warm before reads are timed.

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <map>
#include <string>
#include <vector>

#include "tools/bench/engine.h"
#include "tools/bench/filter_questions.h"
#include "tools/bench/rocksdb_parts.h"
#include "tools/bench/threads.h"

namespace ashlar::bench {

namespace {

rocksdb::CompressionType CodecFor(const std::string& name) {
  const std::map<std::string, rocksdb::CompressionType> known = {
      {"none", rocksdb::kNoCompression},
      {"snappy", rocksdb::kSnappyCompression},
      {"lz4", rocksdb::kLZ4Compression},
      {"zstd", rocksdb::kZSTD}};
  const auto found = known.find(name);
  return found == known.end() ? rocksdb::kNoCompression : found->second;
}

class RocksDbEngine final : public Engine {
 public:
  std::string Name() const override { return "rocksdb"; }

  std::string Describe(const BenchOptions& o) const override {
    return "RocksDB " + std::to_string(ROCKSDB_MAJOR) + "." +
           std::to_string(ROCKSDB_MINOR) + "." + std::to_string(ROCKSDB_PATCH) +
           ", SstFileWriter / SstFileReader; checksum XXH3, verified on every "
           "read from the file; index and filter in memory; block cache " +
           o.cache_type + " of " + std::to_string(o.cache_size >> 20) +
           " MiB, warm; format_version " + std::to_string(o.format_version) +
           "; optimize_filters_for_memory off; parallel_threads " +
           std::to_string(o.parallel_threads);
  }

  bool Has(const std::string& benchmark) const override {
    return benchmark != "limit" && benchmark != "multifillseq";
  }

  std::string Run(const std::string& benchmark, const BenchOptions& options,
                  const Workload& workload, RunResult* result) override {
    const rocksdb::Status status =
        Dispatch(benchmark, options, workload, result);
    return status.ok() ? "" : status.ToString();
  }

 private:
  rocksdb::Status Dispatch(const std::string& benchmark,
                           const BenchOptions& options,
                           const Workload& workload, RunResult* result) {
    if (benchmark == "fillseq") return FillSeq(options, workload, result);
    if (benchmark == "filterbuild" || benchmark == "filterfinish") {
      FilterBuild(benchmark == "filterbuild", options, workload, result);
      return {};
    }
    if (benchmark == "filterquery") {
      FilterQuery(options, workload, result);
      return {};
    }
    rocksdb::Status status = OpenWarm(options);
    if (!status.ok()) return status;
    if (benchmark == "readseq") return Scan(true, result);
    if (benchmark == "readreverse") return Scan(false, result);
    if (benchmark == "verify") {
      const Stopwatch watch;
      status = reader_->VerifyChecksum();
      result->measured = watch.Stop();
      result->operations = workload.num();
      return status;
    }
    if (benchmark == "multireadrandom") {
      return MultiReadRandom(options, workload, result);
    }
    if (benchmark == "seekrandom" || benchmark == "fwdrange") {
      return SeekRandom(benchmark == "fwdrange" ? kRangeEntries : 1, options,
                        workload, result);
    }
    return ReadRandom(benchmark == "readmissing", options, workload, result);
  }

  static std::string Path(const BenchOptions& o) {
    return o.folder + "/rocksdb.sst";
  }

  rocksdb::Options OptionsFor(const BenchOptions& o) {
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
    if (cache_ == nullptr) {
      if (o.cache_type == "lru_cache") {
        cache_ = rocksdb::NewLRUCache(o.cache_size);
      } else {
        cache_ =
            rocksdb::HyperClockCacheOptions(o.cache_size, 0).MakeSharedCache();
      }
    }
    table.block_cache = cache_;
    rocksdb::Options options;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options.compression_opts.parallel_threads = o.parallel_threads;
    options.compression = CodecFor(o.compression_type);
    options.compression_opts.level = o.compression_level;
    if (o.null_sink) {
      if (null_env_ == nullptr) null_env_ = NewNullEnv();
      options.env = null_env_.get();
    }
    return options;
  }

  rocksdb::Status FillSeq(const BenchOptions& options, const Workload& workload,
                          RunResult* result) {
    reader_.reset();
    const rocksdb::Options rocksdb_options = OptionsFor(options);
    const Stopwatch watch(options.parallel_threads <= 1
                              ? Stopwatch::Load::kOneThread
                              : Stopwatch::Load::kManyThreads);
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), rocksdb_options);
    rocksdb::Status status = writer.Open(Path(options));
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

  // With `all`, hashing and collecting are timed too.
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

  rocksdb::Status OpenWarm(const BenchOptions& options) {
    if (reader_ != nullptr) return {};
    reader_ = std::make_unique<rocksdb::SstFileReader>(OptionsFor(options));
    rocksdb::Status status = reader_->Open(Path(options));
    RunResult ignored;
    if (status.ok()) status = Scan(true, &ignored);
    if (!status.ok()) reader_.reset();
    return status;
  }

  rocksdb::Status Scan(bool forward, RunResult* result) {
    rocksdb::ReadOptions read_options;
    read_options.verify_checksums = true;
    const Stopwatch watch;
    const std::unique_ptr<rocksdb::Iterator> it(
        reader_->NewIterator(read_options));
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

  rocksdb::Status ReadRandom(bool missing, const BenchOptions& options,
                             const Workload& workload, RunResult* result) {
    return RunThreads(
        options, result, [&](uint64_t reads, uint64_t seed, RunResult* part) {
          Random random(seed);
          std::string key(workload.key_size(), '\0');
          std::string value;
          for (uint64_t i = 0; i < reads; ++i) {
            const uint64_t n = random.Below(options.num_read_keys());
            if (missing) {
              workload.MissingKey(n, key.data());
            } else {
              workload.Key(n, key.data());
            }
            const rocksdb::Status status =
                reader_->Get(rocksdb::ReadOptions(), key, &value);
            if (status.IsNotFound()) continue;
            if (!status.ok()) return status;
            ++part->found;
            part->bytes += key.size() + value.size();
          }
          return rocksdb::Status();
        });
  }

  rocksdb::Status MultiReadRandom(const BenchOptions& options,
                                  const Workload& workload, RunResult* result) {
    return RunThreads(
        options, result, [&](uint64_t reads, uint64_t seed, RunResult* part) {
          Random random(seed);
          const auto batch = static_cast<size_t>(options.batch_size);
          const size_t size = workload.key_size();
          std::string bytes(batch * size, '\0');
          std::vector<rocksdb::Slice> keys;
          for (size_t j = 0; j < batch; ++j) {
            keys.emplace_back(bytes.data() + j * size, size);
          }
          std::vector<std::string> values;
          for (uint64_t i = 0; i < reads; i += batch) {
            for (size_t j = 0; j < batch; ++j) {
              workload.Key(random.Below(options.num_read_keys()),
                           bytes.data() + j * size);
            }
            const std::vector<rocksdb::Status> statuses =
                reader_->MultiGet(rocksdb::ReadOptions(), keys, &values);
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

  rocksdb::Status SeekRandom(uint64_t range, const BenchOptions& options,
                             const Workload& workload, RunResult* result) {
    return RunThreads(
        options, result, [&](uint64_t reads, uint64_t seed, RunResult* part) {
          Random random(seed);
          std::string key(workload.key_size(), '\0');
          const std::unique_ptr<rocksdb::Iterator> it(
              reader_->NewIterator(rocksdb::ReadOptions()));
          for (uint64_t i = 0; i < reads; ++i) {
            workload.Key(random.Below(options.num_read_keys()), key.data());
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
        });
  }

  std::shared_ptr<rocksdb::Cache> cache_;
  std::unique_ptr<rocksdb::Env> null_env_;
  std::unique_ptr<rocksdb::SstFileReader> reader_;
  std::unique_ptr<RocksDbFilter> filter_;  // of filterquery
};

}  // namespace

}  // namespace ashlar::bench

extern "C" __attribute__((visibility("default"))) ashlar::bench::Engine*
AshlarBenchEngine() {
  return new ashlar::bench::RocksDbEngine();
}
