#include "tools/bench/ashlar_lsm.h"

#include <filesystem>
#include <span>
#include <utility>

#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/perf_context.h"
#include "tools/bench/ashlar_build.h"
#include "tools/bench/ashlar_open.h"
#include "tools/bench/ashlar_reads.h"
#include "tools/bench/key_draw.h"
#include "tools/bench/threads.h"

namespace ashlar::bench {

namespace {

std::string PathOf(const BenchOptions& options, int table) {
  return options.folder + "/ashlar.lsm." + std::to_string(table) + ".sst";
}

Status Build(const BenchOptions& options, const Workload& workload, int table) {
  const std::string path = PathOf(options, table);
  if (std::filesystem::exists(path)) return {};
  Result<std::unique_ptr<WritableFile>> file = OpenWritableFile(path);
  if (!file.ok()) return file.status();
  Result<std::unique_ptr<ExternalFileWriter>> writer =
      ExternalFileWriter::Create(file->get(), TableOptionsFor(options),
                                 BuildOptionsFor(options, nullptr));
  if (!writer.ok()) return writer.status();
  Status status;
  ForEachKeyOfTable(options, workload, table,
                    [&](std::string_view key, std::string_view value) {
                      if (status.ok()) {
                        status = (*writer)->Put(Slice(key), Slice(value));
                      }
                    });
  if (status.ok()) status = (*writer)->Finish();
  return status.ok() ? (*file)->Close() : status;
}

// The keys of a batch, and what is found for them.
struct Batch {
  Batch(const BenchOptions& options, const Workload& workload)
      : workload_(workload),
        bytes(static_cast<size_t>(options.batch_size) * workload.key_size(),
              '\0'),
        results(static_cast<size_t>(options.batch_size)),
        statuses(results.size()) {
    for (size_t j = 0; j < results.size(); ++j) {
      keys.emplace_back(&bytes[j * workload.key_size()], workload.key_size());
    }
  }
  void Draw(KeyDraw* draw) {
    for (size_t j = 0; j < keys.size(); ++j) {
      workload_.Key(draw->Next(), &bytes[j * workload_.key_size()]);
    }
  }
  Status Count(RunResult* part) const {
    for (size_t j = 0; j < keys.size(); ++j) {
      if (!statuses[j].ok()) return statuses[j];
      if (results[j].state != GetResult::State::kFound) continue;
      ++part->found;
      part->bytes += keys[j].size() + results[j].value.size();
    }
    return {};
  }

 private:
  const Workload& workload_;

 public:
  std::string bytes;
  std::vector<Slice> keys;
  std::vector<GetResult> results;
  std::vector<Status> statuses;
};

// Looks the keys up in one table after the other, each time those that are not
// found yet. Results move to their places at the end.
class TableByTable {
 public:
  void Run(std::span<const TableLevel> levels, Batch* batch) {
    const size_t n = batch->keys.size();
    keys_.assign(batch->keys.begin(), batch->keys.end());
    numbers_.resize(n);
    for (size_t j = 0; j < n; ++j) numbers_[j] = j;
    results_.resize(n);
    statuses_.resize(n);
    for (size_t j = 0; j < n; ++j) batch->results[j].Reset();
    for (const TableLevel& level : levels) {
      const size_t left = keys_.size();
      level.tables[0].table->MultiGet(keys_, std::span(results_).first(left),
                                      std::span(statuses_).first(left));
      size_t kept = 0;
      for (size_t i = 0; i < left; ++i) {
        const size_t j = numbers_[i];
        if (!statuses_[i].ok() ||
            results_[i].state != GetResult::State::kNotFound) {
          batch->statuses[j] = statuses_[i];
          std::swap(batch->results[j], results_[i]);
          continue;
        }
        keys_[kept] = keys_[i];
        numbers_[kept++] = j;
      }
      keys_.resize(kept);
      if (kept == 0) break;
    }
    for (size_t i = 0; i < keys_.size(); ++i) {
      batch->statuses[numbers_[i]] = Status();
    }
  }

 private:
  std::vector<Slice> keys_;  // those that are not found yet
  std::vector<size_t> numbers_;
  std::vector<GetResult> results_;
  std::vector<Status> statuses_;
};

void GetOneByOne(std::span<const TableLevel> levels, Batch* batch) {
  for (size_t j = 0; j < batch->keys.size(); ++j) {
    GetResult& result = batch->results[j];
    for (const TableLevel& level : levels) {
      batch->statuses[j] = level.tables[0].table->Get(batch->keys[j], &result);
      if (!batch->statuses[j].ok() ||
          result.state != GetResult::State::kNotFound) {
        break;
      }
    }
  }
}

}  // namespace

Status AshlarLsm::Open(const BenchOptions& options, const Workload& workload) {
  if (!tables_.empty()) return {};
  uint64_t file_bytes = 0;
  for (int t = 0; t < options.tables; ++t) {
    Status status = Build(options, workload, t);
    if (!status.ok()) return status;
    file_bytes += std::filesystem::file_size(PathOf(options, t));
  }
  ReaderOptions reader_options;
  reader_options.cache_entry_words = options.entry_words;
  if (HasBlockCache(options)) {
    BenchOptions of_cache = options;
    of_cache.cache_size = options.CacheSizeFor(file_bytes);
    Result<std::shared_ptr<Cache>> made = MakeBlockCache(of_cache);
    if (!made.ok()) return made.status();
    cache_ = std::move(made).value();
    reader_options.block_cache = cache_;
  }
  tables_.resize(static_cast<size_t>(options.tables));
  for (int t = 0; t < options.tables; ++t) {
    Table& table = tables_[static_cast<size_t>(t)];
    ForEachKeyOfTable(options, workload, t,
                      [&](std::string_view key, std::string_view) {
                        if (table.first.empty()) table.first = key;
                        table.last = key;
                      });
    auto reader = TableReader::Open(PathOf(options, t), reader_options);
    if (!reader.ok()) return reader.status();
    table.reader = std::move(reader).value();
    table.range = {table.reader.get(), table.first, table.last};
    levels_.push_back({std::span(&table.range, 1), /*sorted=*/true});
  }
  return HasBlockCache(options) ? Warm(options, workload) : Status();
}

// Reads every block into the cache. Random reads then leave the blocks in it
// that they need, with all that the reader makes of a block that is used.
Status AshlarLsm::Warm(const BenchOptions& options, const Workload& workload) {
  for (const Table& table : tables_) {
    Iterator it = table.reader->NewIterator();
    for (it.SeekToFirst(); it.Valid(); it.Next()) {
    }
    if (!it.status().ok()) return it.status();
  }
  // By Get or MultiGet, whichever the codec alone is compared with.
  BenchOptions counting = options;
  if (counting.batch_by == BatchBy::kCodec) {
    counting.batch_by = BatchBy::kMultiGet;
  }
  RunResult ignored;
  SetPerfLevel(PerfLevel::kEnableCount);
  GetPerfContext()->Reset();
  Status status = Read(counting, workload, &ignored);
  blocks_loaded_ = GetPerfContext()->block_read_count;
  SetPerfLevel(PerfLevel::kDisable);
  return status;
}

Status AshlarLsm::RunCodec(const BenchOptions& options,
                           const Workload& workload, RunResult* result) {
  for (int t = 0; codec_.empty() && t < options.tables; ++t) {
    Status status = codec_.Add(PathOf(options, t));
    if (!status.ok()) return status;
  }
  result->operations = options.num_reads();
  return codec_.Run(blocks_loaded_, workload.options().seed, result);
}

Status AshlarLsm::Read(const BenchOptions& options, const Workload& workload,
                       RunResult* result) {
  return RunThreads(
      options, result,
      [&](uint64_t reads, uint64_t seed, RunResult* part) -> Status {
        KeyDraw draw(options, seed);
        Batch batch(options, workload);
        TableByTable by_table;
        const ReadOptions of_batch = ReadOptionsFor(options);
        for (uint64_t i = 0; i < reads; i += batch.keys.size()) {
          batch.Draw(&draw);
          if (options.batch_by == BatchBy::kMultiGet &&
              options.batch_size > 1) {
            MultiGetFromTables(of_batch, levels_, batch.keys,
                               kMaxSequenceNumber, batch.results,
                               batch.statuses);
          } else if (options.batch_by == BatchBy::kTables) {
            by_table.Run(levels_, &batch);
          } else {
            GetOneByOne(levels_, &batch);
          }
          Status status = batch.Count(part);
          if (!status.ok()) return status;
        }
        return {};
      });
}

Status AshlarLsm::Run(const BenchOptions& options, const Workload& workload,
                      RunResult* result) {
  Status status = Open(options, workload);
  if (!status.ok()) return status;
  if (options.batch_by == BatchBy::kCodec) {
    return RunCodec(options, workload, result);
  }
  result->blocks_loaded = blocks_loaded_;
  return Read(options, workload, result);
}

}  // namespace ashlar::bench
