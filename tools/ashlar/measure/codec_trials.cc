#include "tools/ashlar/measure/codec_trials.h"

#include <memory>
#include <utility>

#include "ashlar/table/flush_block_policy.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/file.h"
#include "tools/ashlar/print/output.h"
#include "tools/ashlar/print/stopwatch.h"
#include "tools/memory_limit.h"

namespace ashlar::tool {
namespace {

constexpr int kDefault = CompressionOptions::kDefaultLevel;
constexpr uint32_t kDictionaryBytes = 16384;

struct Choice {
  CompressionType codec;
  int level;
  uint32_t dictionary_bytes = 0;
};

// The levels that people usually choose. The slowest ones need a second where
// the others need a tenth of one.
constexpr Choice kChoices[] = {
    {CompressionType::kNoCompression, kDefault},
    {CompressionType::kSnappyCompression, kDefault},
    {CompressionType::kLZ4Compression, kDefault},
    {CompressionType::kLZ4Compression, kDefault, kDictionaryBytes},
    {CompressionType::kLZ4HCCompression, 9},
    {CompressionType::kZlibCompression, 1},
    {CompressionType::kZlibCompression, 6},
    {CompressionType::kZlibCompression, 6, kDictionaryBytes},
    {CompressionType::kBZip2Compression, kDefault},
    {CompressionType::kZSTD, 1},
    {CompressionType::kZSTD, 1, kDictionaryBytes},
    {CompressionType::kZSTD, 3},
    {CompressionType::kZSTD, 3, kDictionaryBytes},
    {CompressionType::kZSTD, 6},
    {CompressionType::kZSTD, 9},
    {CompressionType::kZSTD, 9, kDictionaryBytes},
    {CompressionType::kZSTD, 15},
};

using Entries = std::vector<TrialBlocks::Entry>;

// Starts blocks at the same entries as in the file.
class SameBlocks final : public FlushBlockPolicy {
 public:
  explicit SameBlocks(const Entries* entries) : entries_(entries) {}
  bool Update(const Slice&, const Slice&) override {
    return next_ < entries_->size() && (*entries_)[next_++].begins_block;
  }

 private:
  const Entries* const entries_;
  size_t next_ = 0;
};

class SameBlocksFactory final : public FlushBlockPolicyFactory {
 public:
  explicit SameBlocksFactory(const Entries* entries) : entries_(entries) {}
  std::unique_ptr<FlushBlockPolicy> NewFlushBlockPolicy() const override {
    return std::make_unique<SameBlocks>(entries_);
  }

 private:
  const Entries* const entries_;
};

TableOptions OptionsOf(const Choice& choice, const TrialBlocks& blocks,
                       const TrialOptions& options) {
  TableOptions table;
  table.comparator = options.comparator;
  table.block_restart_interval = options.block_restart_interval;
  table.flush_block_policy_factory =
      std::make_shared<SameBlocksFactory>(&blocks.entries());
  table.filter = FilterType::kNone;
  table.compression = choice.codec;
  table.compression_opts.level = choice.level;
  table.compression_opts.max_dict_bytes = choice.dictionary_bytes;
  return table;
}

Status Compress(const Choice& choice, const TrialBlocks& blocks,
                const TrialOptions& options, std::string* made,
                CodecTrial* trial) {
  BuildOptions build;
  build.parallel_threads = 0;
  if (options.threads != 0) build.workers = options.threads - 1;
  const std::unique_ptr<WritableFile> file =
      NewMemoryWritableFile("trial", made);
  const Stopwatch stopwatch;
  auto builder = TableBuilder::Create(OptionsOf(choice, blocks, options), build,
                                      file.get());
  if (!builder.ok()) return builder.status();
  for (const TrialBlocks::Entry& entry : blocks.entries()) {
    const char* const key = blocks.bytes().data() + entry.offset;
    Status status = (*builder)->Add({key, entry.key_size},
                                    {key + entry.key_size, entry.value_size});
    if (!status.ok()) return status;
  }
  Status status = (*builder)->Finish();
  trial->write_micros = stopwatch.Read().cpu_micros;
  trial->raw_bytes = (*builder)->properties().uncompressed_data_size;
  trial->stored_bytes = (*builder)->properties().data_size;
  return status;
}

Status Read(std::string made, const TrialOptions& options, CodecTrial* trial) {
  ReaderOptions reader_options;
  reader_options.comparator = options.comparator;
  const auto table = TableReader::Open(NewMemoryFile("trial", std::move(made)),
                                       reader_options);
  if (!table.ok()) return table.status();
  const Stopwatch stopwatch;
  ReadOptions read_options;
  read_options.ignore_range_deletions = true;
  Iterator entries = (*table)->NewIterator(read_options);
  for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
  }
  trial->read_micros = stopwatch.Read().cpu_micros;
  return entries.status();
}

}  // namespace

void TrialBlocks::BeginBlock(uint64_t raw_size, uint64_t stored_size) {
  ++blocks_;
  raw_bytes_ += raw_size;
  stored_bytes_ += stored_size;
  begins_block_ = true;
}

void TrialBlocks::Add(const Slice& internal_key, const Slice& value) {
  entries_.push_back({bytes_.size(), internal_key.size(), value.size(),
                      std::exchange(begins_block_, false)});
  bytes_.append(internal_key.data(), internal_key.size());
  bytes_.append(value.data(), value.size());
}

CodecTrials TryCodecs(const TrialBlocks& blocks, const TrialOptions& options) {
  CodecTrials trials;
  trials.blocks = blocks.blocks();
  trials.raw_bytes = blocks.raw_bytes();
  trials.stored_bytes = blocks.stored_bytes();
  if (blocks.entries().empty()) return trials;
  for (const Choice& choice : kChoices) {
    if (!IsCompressionSupported(choice.codec)) continue;
    if (Interrupted()) break;
    CodecTrial trial;
    trial.codec = choice.codec;
    trial.level = choice.level;
    trial.dictionary_bytes = choice.dictionary_bytes;
    std::string made;
    trials.status = Compress(choice, blocks, options, &made, &trial);
    if (trials.status.ok()) {
      trials.status = Read(std::move(made), options, &trial);
    }
    if (!IsOkOrThrow(trials.status)) break;
    trials.runs.push_back(trial);
  }
  return trials;
}

}  // namespace ashlar::tool
