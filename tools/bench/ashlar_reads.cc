#include "tools/bench/ashlar_reads.h"

#include <cstdio>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/perf_context.h"
#include "ashlar/table/statistics.h"
#include "tools/bench/ashlar_build.h"
#include "tools/bench/ashlar_open.h"
#include "tools/bench/cache_held.h"
#include "tools/bench/key_draw.h"
#include "tools/bench/page_cache.h"
#include "tools/bench/threads.h"

namespace ashlar::bench {

namespace {

Status Scan(const TableReader& table, bool forward, const BenchOptions& options,
            RunResult* result) {
  const ReadOptions of_walk = ReadOptionsFor(options);
  const Stopwatch watch;
  Iterator it = table.NewIterator(of_walk);
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

Status Verify(const TableReader& table, RunResult* result) {
  const Stopwatch watch;
  Status status = table.VerifyChecksum();
  result->measured = watch.Stop();
  result->operations = table.properties().num_entries;
  result->bytes = table.file().Size();
  return status;
}

// Returns the work of a thread of random reads, as a function (reads, seed,
// RunResult*).
auto PointReads(const TableReader& table, bool missing,
                const BenchOptions& options, const Workload& workload) {
  return [&, missing](uint64_t reads, uint64_t seed, RunResult* part) {
    KeyDraw draw(options, seed);
    LatencyHistogram* const latencies =
        options.latencies ? &part->latencies : nullptr;
    std::string key(workload.key_size(), '\0');
    GetResult got;
    for (uint64_t i = 0; i < reads; ++i) {
      const uint64_t n = draw.Next();
      if (missing) {
        workload.MissingKey(n, key.data());
      } else {
        workload.Key(n, key.data());
      }
      Status status;
      {
        const LatencyTimer timer(latencies);
        status = table.Get(key, &got);
      }
      if (!status.ok()) return status;
      if (got.state != GetResult::State::kFound) continue;
      ++part->found;
      part->bytes += key.size() + got.value.size();
    }
    return Status();
  };
}

auto BatchReads(const TableReader& table, const BenchOptions& options,
                const Workload& workload) {
  return [&](uint64_t reads, uint64_t seed, RunResult* part) {
    KeyDraw draw(options, seed);
    const auto batch = static_cast<size_t>(options.batch_size);
    const size_t size = workload.key_size();
    std::string bytes(batch * size, '\0');
    std::vector<Slice> keys;
    for (size_t j = 0; j < batch; ++j) {
      keys.emplace_back(bytes.data() + j * size, size);
    }
    std::vector<GetResult> results(batch);
    std::vector<Status> statuses(batch);
    const ReadOptions of_batch = ReadOptionsFor(options);
    for (uint64_t i = 0; i < reads; i += batch) {
      for (size_t j = 0; j < batch; ++j) {
        workload.Key(draw.Next(), bytes.data() + j * size);
      }
      table.MultiGet(of_batch, keys, kMaxSequenceNumber, results, statuses);
      for (size_t j = 0; j < batch; ++j) {
        if (!statuses[j].ok()) return statuses[j];
        if (results[j].state != GetResult::State::kFound) continue;
        ++part->found;
        part->bytes += size + results[j].value.size();
      }
    }
    return Status();
  };
}

// A file that records what is read from it.
class RecordingFile final : public RandomAccessFile {
 public:
  RecordingFile(std::unique_ptr<RandomAccessFile> file,
                std::vector<ReadRequest>* reads)
      : file_(std::move(file)), reads_(reads) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    reads_->push_back({.offset = offset, .size = n});
    return file_->Read(offset, n, scratch, data);
  }
  void MultiRead(std::span<ReadRequest> requests) const override {
    for (const ReadRequest& r : requests) {
      reads_->push_back({.offset = r.offset, .size = r.size});
    }
    file_->MultiRead(requests);
  }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  std::vector<ReadRequest>* const reads_;
};

// Reads what the batches of one thread would read, and nothing else: all of it
// by one MultiRead, or by one Read after the other.
Status ReadBlocksOfBatches(const std::string& path, const BenchOptions& options,
                           const Workload& workload, RunResult* result) {
  auto file = OpenRandomAccessFile(path);
  if (!file.ok()) return file.status();
  std::vector<ReadRequest> reads;
  // Index and filter are not part of what is measured.
  ReaderOptions reader_options;
  reader_options.load_index_and_filter = LoadTime::kAtOpen;
  auto table = TableReader::Open(
      std::make_unique<RecordingFile>(std::move(file).value(), &reads),
      reader_options);
  if (!table.ok()) return table.status();
  reads.clear();
  BenchOptions one_thread = options;
  one_thread.threads = 1;
  Status status =
      RunThreads(one_thread, result, BatchReads(**table, one_thread, workload));
  if (!status.ok()) return status;
  std::vector<char> memory(std::accumulate(
      reads.begin(), reads.end(), size_t{0},
      [](size_t sum, const ReadRequest& r) { return sum + r.size; }));
  char* room = memory.data();
  for (ReadRequest& r : reads) {
    r.scratch = room;
    room += r.size;
  }
  file = OpenRandomAccessFile(path);
  if (!file.ok()) return file.status();
  if (options.cold) DropFromPageCache(options.folder);
  const Stopwatch watch;
  if (options.batch_by == BatchBy::kMultiRead) {
    (*file)->MultiRead(reads);
  } else {
    for (ReadRequest& r : reads) {
      r.status = (*file)->Read(r.offset, r.size, r.scratch, &r.data);
    }
  }
  result->measured = watch.Stop();
  result->bytes = memory.size();
  for (const ReadRequest& r : reads) {
    if (!r.status.ok()) return r.status;
  }
  return {};
}

// Returns the work of a thread that seeks and then reads `range` entries.
auto Seeks(const TableReader& table, uint64_t range,
           const BenchOptions& options, const Workload& workload) {
  return [&, range](uint64_t reads, uint64_t seed, RunResult* part) {
    KeyDraw draw = DrawOfRanges(options, range, seed);
    std::string key(workload.key_size(), '\0');
    Iterator it = table.NewIterator(ReadOptionsFor(options));
    for (uint64_t i = 0; i < reads; ++i) {
      workload.Key(draw.Next(), key.data());
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
  };
}

// The work of the writer next to the reads: builds a table, until it is
// stopped.
Status BuildAtPace(const BenchOptions& options, const Workload& workload,
                   WritePace* pace) {
  const std::string path = options.folder + "/ashlar.beside.sst";
  Result<std::unique_ptr<WritableFile>> opened = OpenWritableFile(path);
  if (!opened.ok()) return opened.status();
  Result<std::unique_ptr<ExternalFileWriter>> writer =
      ExternalFileWriter::Create(opened->get(), TableOptionsFor(options),
                                 BuildOptionsFor(options, nullptr));
  if (!writer.ok()) return writer.status();
  Workload::Cursor cursor(workload);
  for (uint64_t i = 0; i < workload.num(); ++i) {
    const Slice key(cursor.key());
    const Slice value(cursor.value());
    Status status = (*writer)->Put(key, value);
    if (!status.ok()) return status;
    if (!pace->Wrote(key.size() + value.size())) return {};
    cursor.Next();
  }
  return (*writer)->Finish();
}

// Calls RunThreads, with the writer if the benchmark has one.
template <typename Read>
Status RunReads(const std::string& benchmark, const BenchOptions& options,
                const Workload& workload, RunResult* result, Read read) {
  if (!benchmark.ends_with(kWhileWriting)) {
    return RunThreads(options, result, read);
  }
  return RunThreadsBesideWriter(options, result, read, [&](WritePace* pace) {
    return BuildAtPace(options, workload, pace);
  });
}

}  // namespace

bool HasBlockCache(const BenchOptions& o) {
  return (o.cache_size != 0 || o.cache_percent != 0) && !o.mmap_read;
}

void AshlarReads::Close() {
  reader_.reset();
  cache_.reset();
  codec_ = BareCodec();
}

namespace {

Status StartTrace(const std::string& path, const BenchOptions& options,
                  BlockCacheTracer* tracer) {
  if (*options.trace_one_in == 0) return {};
  auto file = OpenWritableFile(path + ".blocktrace");
  if (!file.ok()) return file.status();
  return tracer->StartTrace({.sampling_frequency = *options.trace_one_in},
                            std::move(file).value());
}

}  // namespace

Status AshlarReads::Open(const std::string& path, const BenchOptions& options,
                         const Workload& workload) {
  if (reader_ != nullptr) return {};
  Result<std::unique_ptr<RandomAccessFile>> file = OpenRandomAccessFile(path);
  if (!file.ok()) return file.status();
  ReaderOptions reader_options;
  reader_options.allow_mmap_reads = options.mmap_read;
  reader_options.cache_entry_words = options.entry_words;
  reader_options.cache_index_and_filter_blocks =
      options.cache_index_and_filter_blocks && HasBlockCache(options);
  ParseLoadTime(options.load_index_and_filter,
                &reader_options.load_index_and_filter);
  if (options.statistics) {
    reader_options.statistics = std::make_shared<Statistics>();
  }
  if (options.trace_one_in.has_value()) {
    reader_options.block_cache_tracer = std::make_shared<BlockCacheTracer>();
    Status status =
        StartTrace(path, options, reader_options.block_cache_tracer.get());
    if (!status.ok()) return status;
  }
  if (HasBlockCache(options)) {
    BenchOptions of_cache = options;
    of_cache.cache_size = options.CacheSizeFor((*file)->Size());
    Result<std::shared_ptr<Cache>> made = MakeBlockCache(of_cache);
    if (!made.ok()) return made.status();
    cache_ = std::move(made).value();
    reader_options.block_cache = cache_;
  }
  Result<std::unique_ptr<TableReader>> reader =
      TableReader::Open(path, reader_options);
  if (!reader.ok()) return reader.status();
  reader_ = std::move(reader).value();
  return HasBlockCache(options) ? Warm(options, workload) : Status();
}

// Reads every block into the cache. If the cache is too small, random reads
// then leave the blocks in it that they need.
Status AshlarReads::Warm(const BenchOptions& options,
                         const Workload& workload) {
  RunResult ignored;
  Status status = Scan(*reader_, true, options, &ignored);
  if (!status.ok()) return status;
  if (!options.HoldsTable(workload.raw_bytes())) {
    return RunThreads(options, &ignored,
                      PointReads(*reader_, false, options, workload));
  }
  if (cache_->GetOccupancyCount() < reader_->properties().num_data_blocks) {
    return Status::Aborted("not every block is in the cache");
  }
  return {};
}

// Decompresses every data block of the table.
Status AshlarReads::RunCodec(const std::string& path,
                             const BenchOptions& options, RunResult* result) {
  Status status = codec_.empty() ? codec_.Add(path) : Status();
  result->operations = options.workload.num;
  return status.ok() ? codec_.Run(0, 0, result) : status;
}

Status AshlarReads::Run(const std::string& benchmark, const std::string& path,
                        const BenchOptions& options, const Workload& workload,
                        RunResult* result) {
  Status status = Open(path, options, workload);
  // Sets the level of this thread, which also runs engines of other levels.
  SetPerfLevel(static_cast<PerfLevel>(options.perf_level));
  if (status.ok()) {
    status = Dispatch(benchmark, path, options, workload, result);
  }
  if (options.cache_report && cache_ != nullptr) {
    std::fputs(DescribeHeld(cache_.get()).c_str(), stderr);
  }
  return status;
}

Status AshlarReads::Dispatch(const std::string& benchmark,
                             const std::string& path,
                             const BenchOptions& options,
                             const Workload& workload, RunResult* result) {
  const TableReader& table = *reader_;
  if (benchmark == "readseq") {
    if (options.batch_by == BatchBy::kCodec) {
      return RunCodec(path, options, result);
    }
    return Scan(table, true, options, result);
  }
  if (benchmark == "readreverse") return Scan(table, false, options, result);
  if (benchmark == "verify") return Verify(table, result);
  if (benchmark == "blockinsert") {
    return RunBlockInsert(options, cache_.get(), result);
  }
  const bool gets = options.batch_by == BatchBy::kGets;
  if (benchmark == "multireadrandom" && !gets) {
    if (options.batch_by != BatchBy::kMultiGet) {
      return ReadBlocksOfBatches(path, options, workload, result);
    }
    return RunReads(benchmark, options, workload, result,
                    BatchReads(table, options, workload));
  }
  if (benchmark == "seekrandom" || benchmark.starts_with("fwdrange")) {
    const uint64_t range = benchmark == "seekrandom" ? 1 : kRangeEntries;
    return RunReads(benchmark, options, workload, result,
                    Seeks(table, range, options, workload));
  }
  return RunReads(
      benchmark, options, workload, result,
      PointReads(table, benchmark == "readmissing", options, workload));
}

}  // namespace ashlar::bench
