// This library as an engine.

#include <array>
#include <bit>
#include <span>
#include <vector>

#include "table/external_file_writer.h"
#include "table/filter/filter_bits.h"
#include "table/table_reader.h"
#include "tools/bench/ashlar_build.h"
#include "tools/bench/engine.h"
#include "tools/bench/filter_questions.h"
#include "tools/bench/many_builders.h"
#include "tools/bench/threads.h"
#include "util/mem/aligned_bytes.h"
#include "util/mem/buffer.h"

namespace ashlar::bench {

namespace {

std::string DescribeWorkers(const BenchOptions& o) {
  const uint32_t workers = WorkersOf(o);
  if (workers == 0) return "serial builds";
  return "workers of a build: " + std::to_string(workers) + ", " +
         (o.pool_threads == 0
              ? std::string("its own")
              : "from a pool of " + std::to_string(o.pool_threads) +
                    " threads");
}

// A mapped file needs none: its blocks are where they are read.
bool HasCache(const BenchOptions& o) {
  return o.cache_size != 0 && !o.mmap_read;
}

std::string DescribeCache(const BenchOptions& o) {
  if (!HasCache(o)) return "no block cache";
  return "block cache " + o.cache_type + " of " +
         std::to_string(o.cache_size >> 20) + " MiB, warm";
}

Slice AsSlice(std::string_view bytes) { return Slice(bytes); }

class AshlarEngine final : public Engine {
 public:
  std::string Name() const override { return "ashlar"; }

  std::string Describe(const BenchOptions& o) const override {
    return "ExternalFileWriter / TableReader; checksum XXH3, verified on "
           "every read from the file" +
           (o.mmap_read ? std::string(", which is mapped") : std::string()) +
           "; index and filter in memory; " + DescribeCache(o) +
           "; format_version " + std::to_string(o.format_version) + "; " +
           DescribeWorkers(o);
  }

  bool Has(const std::string& benchmark) const override {
    return benchmark != "limit";
  }

  std::string Run(const std::string& benchmark, const BenchOptions& options,
                  const Workload& workload, RunResult* result) override {
    Status status = Dispatch(benchmark, options, workload, result);
    return status.ok() ? "" : status.ToString();
  }

 private:
  static constexpr const char* kFileName = "ashlar.sst";
  static std::string Path(const BenchOptions& o) {
    return o.folder + "/" + kFileName;
  }

  Status MakeCache(const BenchOptions& o) {
    if (cache_ != nullptr) return {};
    Result<std::shared_ptr<Cache>> made = MakeBlockCache(o);
    if (!made.ok()) return made.status();
    cache_ = std::move(made).value();
    return {};
  }

  // It outlives the builds. Null: none is wanted.
  WorkerPool* PoolFor(const BenchOptions& o) {
    if (o.pool_threads == 0 || WorkersOf(o) == 0) return nullptr;
    if (pool_ == nullptr) pool_ = std::make_unique<WorkerPool>(o.pool_threads);
    return pool_.get();
  }

  Status Dispatch(const std::string& benchmark, const BenchOptions& options,
                  const Workload& workload, RunResult* result) {
    if (benchmark == "fillseq") return FillSeq(options, workload, result);
    if (benchmark == "multifillseq") {
      return RunManyBuilders(options, workload, PoolFor(options), result);
    }
    if (benchmark == "filterbuild" || benchmark == "filterfinish") {
      return FilterBuild(benchmark == "filterbuild", options, workload, result);
    }
    if (benchmark == "filterquery") {
      return FilterQuery(options, workload, result);
    }
    ReaderOptions reader_options;
    reader_options.allow_mmap_reads = options.mmap_read;
    reader_options.cache_entry_words = options.entry_words;
    if (HasCache(options)) {
      Status status = MakeCache(options);
      if (!status.ok()) return status;
      reader_options.block_cache = cache_;
    }
    Result<std::unique_ptr<TableReader>> reader =
        TableReader::Open(Path(options), reader_options);
    if (!reader.ok()) return reader.status();
    const TableReader& table = **reader;
    if (HasCache(options)) {
      RunResult not_measured;
      Status status = Scan(table, true, &not_measured);
      if (!status.ok()) return status;
    }
    if (benchmark == "readseq") return Scan(table, true, result);
    if (benchmark == "readreverse") return Scan(table, false, result);
    if (benchmark == "verify") {
      const Stopwatch watch;
      Status status = table.VerifyChecksum();
      result->measured = watch.Stop();
      result->operations = table.properties().num_entries;
      result->bytes = table.file().Size();
      return status;
    }
    if (benchmark == "multireadrandom") {
      return MultiReadRandom(table, options, workload, result);
    }
    if (benchmark == "seekrandom" || benchmark == "fwdrange") {
      return SeekRandom(table, benchmark == "fwdrange" ? kRangeEntries : 1,
                        options, workload, result);
    }
    return ReadRandom(table, benchmark == "readmissing", options, workload,
                      result);
  }

  Status FillSeq(const BenchOptions& options, const Workload& workload,
                 RunResult* result) {
    WorkerPool* const pool = PoolFor(options);
    const Stopwatch watch(WorkersOf(options) == 0
                              ? Stopwatch::Load::kOneThread
                              : Stopwatch::Load::kManyThreads);
    Result<std::unique_ptr<WritableFile>> opened = OpenSink(options, kFileName);
    if (!opened.ok()) return opened.status();
    WritableFile* const sink = opened->get();
    Result<std::unique_ptr<ExternalFileWriter>> writer =
        ExternalFileWriter::Create(sink, TableOptionsFor(options),
                                   BuildOptionsFor(options, pool));
    if (!writer.ok()) return writer.status();
    Workload::Cursor cursor(workload);
    for (uint64_t i = 0; i < workload.num(); ++i) {
      Status status =
          (*writer)->Put(AsSlice(cursor.key()), AsSlice(cursor.value()));
      if (!status.ok()) return status;
      cursor.Next();
    }
    Status status = (*writer)->Finish();
    if (status.ok()) status = sink->Sync();
    if (status.ok()) status = sink->Close();
    result->measured = watch.Stop();
    result->operations = workload.num();
    result->bytes = workload.raw_bytes();
    result->file_bytes = (*writer)->FileSize();
    return status;
  }

  // With `all`, hashing and collecting are timed too.
  Status FilterBuild(bool all, const BenchOptions& options,
                     const Workload& workload, RunResult* result) {
    // As a builder's, which has long started them.
    WorkerPool own(options.pool_threads == 0 ? WorkersOf(options) : 0);
    WorkerPool* const shared = PoolFor(options);
    const internal::WorkerCrew crew((shared != nullptr ? *shared : own).state(),
                                    WorkersOf(options));
    const auto load = crew.alone() ? Stopwatch::Load::kOneThread
                                   : Stopwatch::Load::kManyThreads;
    const Stopwatch whole(load);
    internal::FilterBitsBuilder builder(FilterTypeFor(options),
                                        options.bloom_bits);
    Workload::Cursor cursor(workload);
    for (uint64_t i = 0; i < workload.num(); ++i) {
      builder.Add(internal::HashForFilter(AsSlice(cursor.key())));
      cursor.Next();
    }
    const Stopwatch finish(load);
    internal::Buffer payload;
    if (!builder.Finish(&payload, crew)) return Status::Aborted("no memory");
    result->measured = (all ? whole : finish).Stop();
    result->operations = workload.num();
    result->file_bytes = payload.size();
    return {};
  }

  Status MakeFilter(const BenchOptions& options, const Workload& workload) {
    internal::FilterBitsBuilder builder(FilterTypeFor(options),
                                        options.bloom_bits);
    Workload::Cursor cursor(workload);
    for (uint64_t i = 0; i < workload.num(); ++i) {
      builder.Add(internal::HashForFilter(AsSlice(cursor.key())));
      cursor.Next();
    }
    return builder.Finish(&filter_) ? Status() : Status::Aborted("no memory");
  }

  Status FilterQuery(const BenchOptions& options, const Workload& workload,
                     RunResult* result) {
    const auto batch = static_cast<size_t>(options.batch_size);
    if (batch > internal::kFilterBatchMax) {
      return Status::InvalidArgument("batch_size is above 64");
    }
    if (filter_.empty()) {
      Status status = MakeFilter(options, workload);
      if (!status.ok()) return status;
    }
    const FilterQuestions questions(workload, options.num_reads(), batch);
    // As tables keep theirs.
    internal::AlignedBytes aligned;
    if (!aligned.Assign(filter_.slice())) return Status::Aborted("no memory");
    const internal::FilterBitsReader reader(aligned.slice());
    const Stopwatch watch;
    std::array<uint64_t, internal::kFilterBatchMax> hashes[2];
    const auto hash = [&](size_t begin, size_t into) {
      for (size_t j = 0; j < batch; ++j) {
        hashes[into][j] = reader.Hash(AsSlice(questions[begin + j]));
      }
    };
    const auto ask = [&](size_t which) {
      result->found += static_cast<uint64_t>(std::popcount(
          reader.MayMatchBatch(std::span(hashes[which]).first(batch))));
    };
    if (!options.fetch_ahead) {
      for (size_t i = 0; i < questions.size(); i += batch) {
        hash(i, 0);
        ask(0);
      }
    } else {
      size_t turn = 0;
      if (questions.size() != 0) hash(0, turn);
      for (size_t i = 0; i < questions.size(); i += batch) {
        if (i + batch < questions.size()) {
          hash(i + batch, turn ^ 1);
          reader.Prefetch(std::span(hashes[turn ^ 1]).first(batch));
        }
        ask(turn);
        turn ^= 1;
      }
    }
    result->measured = watch.Stop();
    result->operations = questions.size();
    result->file_bytes = filter_.size();
    return {};
  }

  static Status Scan(const TableReader& table, bool forward,
                     RunResult* result) {
    const Stopwatch watch;
    Iterator it = table.NewIterator();
    uint64_t entries = 0;
    uint64_t bytes = 0;
    if (forward) {
      for (it.SeekToFirst(); it.Valid(); it.Next()) {
        ++entries;
        bytes += it.user_key().size() + it.value().size();
      }
    } else {
      for (it.SeekToLast(); it.Valid(); it.Prev()) {
        ++entries;
        bytes += it.user_key().size() + it.value().size();
      }
    }
    result->measured = watch.Stop();
    result->operations = entries;
    result->found = entries;
    result->bytes = bytes;
    return it.status();
  }

  static Status ReadRandom(const TableReader& table, bool missing,
                           const BenchOptions& options,
                           const Workload& workload, RunResult* result) {
    return RunThreads(
        options, result, [&](uint64_t reads, uint64_t seed, RunResult* part) {
          Random random(seed);
          std::string key(workload.key_size(), '\0');
          GetResult got;
          for (uint64_t i = 0; i < reads; ++i) {
            const uint64_t n = random.Below(options.num_read_keys());
            if (missing) {
              workload.MissingKey(n, key.data());
            } else {
              workload.Key(n, key.data());
            }
            Status status = table.Get(key, &got);
            if (!status.ok()) return status;
            if (got.state != GetResult::State::kFound) continue;
            ++part->found;
            part->bytes += key.size() + got.value.size();
          }
          return Status();
        });
  }

  static Status MultiReadRandom(const TableReader& table,
                                const BenchOptions& options,
                                const Workload& workload, RunResult* result) {
    return RunThreads(
        options, result, [&](uint64_t reads, uint64_t seed, RunResult* part) {
          Random random(seed);
          const auto batch = static_cast<size_t>(options.batch_size);
          const size_t size = workload.key_size();
          std::string bytes(batch * size, '\0');
          std::vector<Slice> keys;
          for (size_t j = 0; j < batch; ++j) {
            keys.emplace_back(bytes.data() + j * size, size);
          }
          std::vector<GetResult> results(batch);
          std::vector<Status> statuses(batch);
          for (uint64_t i = 0; i < reads; i += batch) {
            for (size_t j = 0; j < batch; ++j) {
              workload.Key(random.Below(options.num_read_keys()),
                           bytes.data() + j * size);
            }
            table.MultiGet(keys, results, statuses);
            for (size_t j = 0; j < batch; ++j) {
              if (!statuses[j].ok()) return statuses[j];
              if (results[j].state != GetResult::State::kFound) continue;
              ++part->found;
              part->bytes += size + results[j].value.size();
            }
          }
          return Status();
        });
  }

  // A seek, and so many entries from there on.
  static Status SeekRandom(const TableReader& table, uint64_t range,
                           const BenchOptions& options,
                           const Workload& workload, RunResult* result) {
    return RunThreads(
        options, result, [&](uint64_t reads, uint64_t seed, RunResult* part) {
          Random random(seed);
          std::string key(workload.key_size(), '\0');
          Iterator it = table.NewIterator();
          for (uint64_t i = 0; i < reads; ++i) {
            workload.Key(random.Below(options.num_read_keys()), key.data());
            it.Seek(key);
            if (!it.Valid()) return it.status();
            ++part->found;
            part->bytes += it.user_key().size() + it.value().size();
            for (uint64_t n = 1; n < range; ++n) {
              it.Next();
              if (!it.Valid()) break;
              part->bytes += it.user_key().size() + it.value().size();
            }
          }
          return Status();
        });
  }

  internal::Buffer filter_;       // of filterquery
  std::shared_ptr<Cache> cache_;  // of all runs
  std::unique_ptr<WorkerPool> pool_;
};

}  // namespace

std::unique_ptr<Engine> NewAshlarEngine() {
  return std::make_unique<AshlarEngine>();
}

}  // namespace ashlar::bench
