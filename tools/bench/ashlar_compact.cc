#include "tools/bench/ashlar_compact.h"

#include <filesystem>
#include <utility>

#include "ashlar/table/compaction.h"
#include "ashlar/table/internal_key.h"
#include "ashlar/table/merging_iterator.h"
#include "ashlar/table/user_iterator.h"
#include "tools/bench/ashlar_build.h"
#include "tools/bench/ashlar_open.h"
#include "tools/bench/compaction_inputs.h"
#include "tools/bench/merged_walks.h"

namespace ashlar::bench {

namespace {

using Tables = std::vector<std::unique_ptr<TableReader>>;

Status BuildInput(const BenchOptions& options, const Workload& workload,
                  int input, SequenceNumber* sequence) {
  auto file = OpenWritableFile(CompactionInputsFolder(options) + "/" +
                               std::to_string(input) + ".sst");
  if (!file.ok()) return file.status();
  auto builder = TableBuilder::Create(
      TableOptionsFor(options), BuildOptionsFor(options, nullptr), file->get());
  if (!builder.ok()) return builder.status();
  Status status;
  ForEachEntryOfInput(
      options, workload, input,
      [&](std::string_view key, std::string_view value) {
        if (!status.ok()) return;
        status = (*builder)->Add(
            MakeInternalKey(Slice(key), ++*sequence, ValueType::kTypeValue),
            Slice(value));
      });
  if (status.ok()) status = (*builder)->Finish();
  return status.ok() ? (*file)->Close() : status;
}

// Makes the inputs, unless RocksDB did.
Status MakeInputs(const BenchOptions& options, const Workload& workload) {
  if (!CompactionInputs(options).empty()) return {};
  std::filesystem::create_directories(CompactionInputsFolder(options));
  SequenceNumber sequence = 0;
  Status status;
  for (int i = 0; status.ok() && i < options.tables; ++i) {
    status = BuildInput(options, workload, i, &sequence);
  }
  return status;
}

Status OpenInputs(const BenchOptions& options,
                  const ReaderOptions& reader_options, Tables* tables) {
  for (const std::string& path : CompactionInputs(options)) {
    auto reader = TableReader::Open(path, reader_options);
    if (!reader.ok()) return reader.status();
    tables->push_back(std::move(reader).value());
  }
  return {};
}

// Outputs in the folder. They are synced and closed, as RocksDB's are.
class Outputs final : public CompactionOutputs {
 public:
  explicit Outputs(const BenchOptions& options) : options_(options) {}

  Result<WritableFile*> Begin(size_t number, TableOptions* /*table_options*/,
                              BuildOptions* /*build_options*/) override {
    auto file = OpenSink(options_, NameOf(number));
    if (!file.ok()) return file.status();
    if (number >= files_.size()) files_.resize(number + 1);
    files_[number] = std::move(file).value();
    return files_[number].get();
  }
  Status End(const CompactionOutput& output) override {
    file_bytes_ += output.builder->FileSize();
    Status status = files_[output.number]->Sync();
    if (status.ok()) status = files_[output.number]->Close();
    files_[output.number].reset();
    return status;
  }
  void Drop(size_t number) override { files_[number].reset(); }

  uint64_t file_bytes() const { return file_bytes_; }
  void Delete() const {
    std::error_code none;
    for (size_t i = 0; i < files_.size(); ++i) {
      std::filesystem::remove(options_.folder + "/" + NameOf(i), none);
    }
  }

 private:
  static std::string NameOf(size_t number) {
    return "ashlar.compacted." + std::to_string(number) + ".sst";
  }

  const BenchOptions& options_;
  std::vector<std::unique_ptr<WritableFile>> files_;
  uint64_t file_bytes_ = 0;
};

CompactionOptions CompactionOptionsFor(const BenchOptions& options,
                                       WorkerPool* pool) {
  CompactionOptions c;
  c.iterator.bottommost = true;
  c.cutter.bottommost = true;
  c.cutter.target_file_size = options.target_file_size;
  c.read = ReadOptionsFor(options);
  if (options.readahead_size != 0) {
    c.compaction_readahead_size = options.readahead_size;
  }
  c.max_subcompactions = options.subcompactions;
  c.table = TableOptionsFor(options);
  c.build = BuildOptionsFor(options, pool);
  return c;
}

bool IsSerial(const BenchOptions& options) {
  return WorkersOf(options) == 0 && options.read_pool == 0 &&
         options.subcompactions <= 1;
}

}  // namespace

Status AshlarCompact::Compact(const BenchOptions& options,
                              const Workload& workload, WorkerPool* pool,
                              RunResult* result) {
  Status status = MakeInputs(options, workload);
  if (!status.ok()) return status;
  const CompactionOptions compaction = CompactionOptionsFor(options, pool);
  Outputs outputs(options);
  CompactionResult made;
  {
    const Stopwatch watch(IsSerial(options) ? Stopwatch::Load::kOneThread
                                            : Stopwatch::Load::kManyThreads);
    Tables tables;
    status = OpenInputs(options, ReaderOptions(), &tables);
    std::vector<CompactionRun> runs;
    for (const auto& table : tables) runs.push_back({{table.get(), "", ""}});
    if (status.ok()) {
      status = CompactTables(compaction, runs, {}, &outputs, &made);
    }
    result->measured = watch.Stop();
  }
  outputs.Delete();
  result->operations = made.counts.input_entries;
  result->bytes =
      made.counts.input_raw_key_bytes + made.counts.input_raw_value_bytes;
  result->file_bytes = outputs.file_bytes();
  result->found = made.counts.output_entries;
  return status;
}

// Opens the inputs, and reads them into the cache.
Status AshlarCompact::WarmUp(const BenchOptions& options) {
  auto cache = MakeBlockCache(options);
  if (!cache.ok()) return cache.status();
  cache_ = std::move(cache).value();
  ReaderOptions reader_options;
  reader_options.block_cache = cache_;
  Status status = OpenInputs(options, reader_options, &tables_);
  RunResult ignored;
  for (const auto& table : tables_) {
    if (!status.ok()) break;
    Iterator it = table->NewIterator();
    status = WalkAll(&it, &ignored);
  }
  return status;
}

Status AshlarCompact::ReadMerged(const std::string& benchmark,
                                 const BenchOptions& options,
                                 const Workload& workload, RunResult* result) {
  Status status = MakeInputs(options, workload);
  if (status.ok() && tables_.empty()) status = WarmUp(options);
  if (!status.ok()) return status;
  const Stopwatch watch;
  const auto read = [&](auto& it) {
    return benchmark == "seekmerged" ? SeekAll(options, workload, &it, result)
                                     : WalkAll(&it, result);
  };
  if (options.batch_by == BatchBy::kTables) {
    std::vector<Iterator> children;
    children.reserve(tables_.size());
    for (const auto& table : tables_) children.push_back(table->NewIterator());
    MergingIterator it(BytewiseComparator(), std::move(children));
    status = read(it);
  } else {
    std::vector<UserIteratorTable> tables;
    tables.reserve(tables_.size());
    for (const auto& table : tables_) tables.push_back({table.get()});
    UserIterator it({}, ReadOptionsFor(options), tables);
    status = read(it);
  }
  result->measured = watch.Stop();
  return status;
}

}  // namespace ashlar::bench
