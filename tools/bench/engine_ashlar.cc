// This library as an engine.

#include <array>
#include <bit>
#include <span>

#include "ashlar/table/external_file_writer.h"
#include "table/filter/filter_bits.h"
#include "tools/bench/ashlar_build.h"
#include "tools/bench/ashlar_compact.h"
#include "tools/bench/ashlar_index.h"
#include "tools/bench/ashlar_lsm.h"
#include "tools/bench/ashlar_open.h"
#include "tools/bench/ashlar_reads.h"
#include "tools/bench/filter_questions.h"
#include "tools/bench/many_builders.h"
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

std::string DescribeCache(const BenchOptions& o) {
  if (!HasBlockCache(o)) return "no block cache";
  const std::string words =
      o.entry_words ? ", with a word for each entry" : ", without entry words";
  if (o.cache_percent != 0) {
    return "block cache " + o.cache_type + " of " +
           std::to_string(o.cache_percent) + " % of the file" + words;
  }
  const std::string second =
      o.compressed_secondary_cache_size == 0
          ? std::string()
          : ", and a second tier of " +
                std::to_string(o.compressed_secondary_cache_size >> 20) +
                " MiB, " + o.compressed_secondary_cache_compression_type;
  return "block cache " + o.cache_type + " of " +
         std::to_string(o.cache_size >> 20) + " MiB, warm" + words + second;
}

Slice AsSlice(std::string_view bytes) { return Slice(bytes); }

class AshlarEngine final : public Engine {
 public:
  std::string Name() const override { return "ashlar"; }

  std::string Describe(const BenchOptions& o) const override {
    return "ExternalFileWriter / TableReader; checksum XXH3, verified on "
           "every read from the file" +
           (o.mmap_read ? std::string(", which is mapped") : std::string()) +
           "; index and filter in " +
           (o.cache_index_and_filter_blocks ? "the block cache" : "memory") +
           ", loaded " + o.load_index_and_filter + "; " + DescribeCache(o) +
           (o.statistics ? "; with statistics" : "") +
           (o.trace_one_in.has_value()
                ? "; tracing one block in " + std::to_string(*o.trace_one_in)
                : std::string()) +
           (o.perf_level != 0 ? "; with a perf context" : "") +
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

  // Returns a pool that outlives the builds, or null if none is wanted.
  WorkerPool* PoolFor(const BenchOptions& o) {
    if (o.pool_threads == 0 || WorkersOf(o) == 0) return nullptr;
    if (pool_ == nullptr) pool_ = std::make_unique<WorkerPool>(o.pool_threads);
    return pool_.get();
  }

  Status Dispatch(const std::string& benchmark, const BenchOptions& options,
                  const Workload& workload, RunResult* result) {
    if (benchmark == "fillseq") {
      return FillSeq(kFileName, options, workload, result);
    }
    if (!OpensTables(benchmark)) open_.Close();
    if (OpensTables(benchmark)) {
      reads_.Close();
      return open_.Run(
          benchmark, options, workload,
          [&](const std::string& path) {
            RunResult ignored;
            return FillSeq(path.substr(path.rfind('/') + 1), options, workload,
                           &ignored);
          },
          result);
    }
    if (benchmark == "multifillseq") {
      return RunManyBuilders(options, workload, PoolFor(options), result);
    }
    if (benchmark == "filterbuild" || benchmark == "filterfinish") {
      return FilterBuild(benchmark == "filterbuild", options, workload, result);
    }
    if (benchmark == "filterquery") {
      return FilterQuery(options, workload, result);
    }
    if (benchmark == "indexparse" || benchmark == "indexfind") {
      return RunIndex(benchmark, options, workload, result);
    }
    if (benchmark == "compact") {
      return compact_.Compact(options, workload, PoolFor(options), result);
    }
    if (ReadsCompactionInputs(benchmark)) {
      return compact_.ReadMerged(benchmark, options, workload, result);
    }
    if (benchmark == "lsm") return lsm_.Run(options, workload, result);
    return reads_.Run(benchmark, Path(options), options, workload, result);
  }

  // Writes the file of this name in the folder.
  Status FillSeq(const std::string& name, const BenchOptions& options,
                 const Workload& workload, RunResult* result) {
    reads_.Close();
    WorkerPool* const pool = PoolFor(options);
    const Stopwatch watch(WorkersOf(options) == 0
                              ? Stopwatch::Load::kOneThread
                              : Stopwatch::Load::kManyThreads);
    Result<std::unique_ptr<WritableFile>> opened = OpenSink(options, name);
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

  // With `all`, also times the hashing and the collecting of keys.
  Status FilterBuild(bool all, const BenchOptions& options,
                     const Workload& workload, RunResult* result) {
    // Workers that have already started, like those of a builder.
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
    Status built = builder.Finish(&payload, crew);
    if (!built.ok()) return built;
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
    return builder.Finish(&filter_);
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
    // Aligned in memory, like a table's filter.
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

  internal::Buffer filter_;  // for filterquery
  AshlarReads reads_;
  AshlarLsm lsm_;
  AshlarCompact compact_;
  AshlarOpen open_;
  std::unique_ptr<WorkerPool> pool_;
};

}  // namespace

std::unique_ptr<Engine> NewAshlarEngine() {
  return std::make_unique<AshlarEngine>();
}

}  // namespace ashlar::bench
