// The public calls of the builder: making one, ending it, asking it.

#include "port/threads.h"
#include "table/format/format_version.h"
#include "table/write/builder_state.h"
#include "table/write/initial_properties.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace {

uint32_t WorkersOf(const BuildOptions& options) {
  if (options.workers.has_value()) return *options.workers;
  if (options.parallel_threads == 0) return port::CpuCount() - 1;
  return options.parallel_threads == 1 ? 0 : options.parallel_threads;
}

BuildWorkers WorkersFor(const TableOptions& table_options,
                        const BuildOptions& build_options) {
  // Coupled: where a filter is cut depends on the size of the block before.
  const bool coupled = table_options.partition_filters &&
                       !table_options.decouple_partitioned_filters;
  // An entry with an embedded blob needs the offset of the blob.
  const bool in_order = coupled || table_options.embedded_blob_options.enable;
  const uint32_t workers = WorkersOf(build_options);
  return BuildWorkers(in_order ? 0 : workers, workers,
                      build_options.worker_pool);
}

// Returns what puts data blocks into the cache; null if they do not go there.
std::unique_ptr<CacheFiller> FillerFor(const BuildOptions& options,
                                       const TableIdentity& identity,
                                       const KeyOrder* order) {
  if (!options.prepopulate_block_cache) return nullptr;
  const CacheKey file = FileCacheKey(identity.db_id, identity.db_session_id,
                                     identity.file_number);
  return std::make_unique<CacheFiller>(options.block_cache, file, order,
                                       options.prepopulate_cache_priority,
                                       options.statistics.get());
}

std::unique_ptr<FileChecksumGenerator> FileChecksumFor(
    const BuildOptions& options) {
  if (options.file_checksum_gen_factory == nullptr) return nullptr;
  return options.file_checksum_gen_factory->CreateFileChecksumGenerator();
}

}  // namespace

void TableBuilder::State::CompleteCounts() {
  const auto count = [this](ValueType type) {
    return type_counts[static_cast<uint8_t>(type)];
  };
  properties.num_range_deletions = count(ValueType::kTypeRangeDeletion);
  properties.num_deletions = count(ValueType::kTypeDeletion) +
                             count(ValueType::kTypeSingleDeletion) +
                             count(ValueType::kTypeDeletionWithTimestamp) +
                             properties.num_range_deletions;
  properties.num_merge_operands = count(ValueType::kTypeMerge);
  if (properties.num_entries == 0) smallest_seqno = 0;
  properties.key_largest_seqno = largest_seqno;
  properties.key_smallest_seqno = smallest_seqno;
  if (samples != nullptr) samples->Describe(&properties);
  timestamps.Describe(&properties.user_collected_properties);
  if (!embedder || embedder->stats().count == 0) return;
  std::string& stats =
      properties
          .user_collected_properties[std::string(kEmbeddedBlobStatsProperty)];
  AppendVarint64(&stats, embedder->stats().count);
  AppendVarint64(&stats, embedder->stats().bytes);
}

// Returns the expected size of all that follows the data blocks.
uint64_t TableBuilder::State::TailEstimate() const {
  // Properties, metaindex and footer together are about this large.
  constexpr uint64_t kTailBytes = 1500;
  return PartsEstimate() + kTailBytes;
}

// The same without properties, metaindex and footer.
uint64_t TableBuilder::State::PartsEstimate() const {
  return index->SizeEstimate() + range_deletions.SizeEstimate() +
         sink.dictionary().size() +
         (filter_partitions ? filter_partitions->SizeEstimate() : 0) +
         (filter.has_value() ? filter->bits().SizeEstimate() : 0);
}

uint64_t TableBuilder::State::SizeEstimate() const {
  const WriteProgress::Counts so_far = sink.Written();
  uint64_t pending = properties.uncompressed_data_size - so_far.raw_bytes;
  if (!block.empty()) pending += block.SizeEstimate();
  // The ratio of what is written is taken for the rest.
  if (so_far.raw_bytes != 0) {
    const uint64_t blobs = embedder ? embedder->file_bytes() : 0;
    pending = static_cast<uint64_t>(static_cast<double>(pending) *
                                    static_cast<double>(so_far.offset - blobs) /
                                    static_cast<double>(so_far.raw_bytes));
  }
  return so_far.offset + pending + TailEstimate();
}

Status TableBuilder::State::FinishFile() {
  Status done = FinishDataBlocks();
  if (!done.ok()) return done;
  CompleteCounts();
  done = collectors.Finish(&properties.user_collected_properties);
  if (!done.ok()) return done;
  if (tail_keeper != nullptr) tail_keeper->Begin();
  return WriteTail(
      {&options, base_context_checksum,
       filter.has_value() ? &filter->bits() : nullptr,
       filter_partitions ? &*filter_partitions : nullptr, last_key.user_key(),
       index.get(), sink.codec(), sink.dictionary(), compression_types,
       &range_deletions, sink.FilterCrew(), statistics.get()},
      sink.writer(), &properties);
}

TableBuilder::TableBuilder(std::unique_ptr<State> state)
    : state_(std::move(state)) {}

TableBuilder::~TableBuilder() = default;

Result<std::unique_ptr<TableBuilder>> TableBuilder::Create(
    const TableOptions& table_options, const BuildOptions& build_options,
    WritableFile* file) {
  return OrMemoryLimit([&]() -> Result<std::unique_ptr<TableBuilder>> {
    Status status = table_options.Validate();
    if (status.ok()) status = ValidateBuildOptions(build_options);
    if (!status.ok()) return status;
    Result<BlockCompressor> compressor = BlockCompressorFor(table_options);
    if (!compressor.ok()) return compressor.status();
    const TableIdentity identity = CompleteIdentity(build_options.identity);
    auto tail =
        build_options.keep_tail ? std::make_unique<TailKeeper>(file) : nullptr;
    WritableFile* const below = tail != nullptr ? tail.get() : file;
    const bool context =
        TraitsOf(table_options.format_version).has_context_checksums;
    const uint32_t base = context ? *identity.base_context_checksum : 0;
    auto state = std::make_unique<State>(
        table_options, std::move(compressor).value(), base, below,
        WorkersFor(table_options, build_options),
        build_options.target_file_size, Collectors(build_options),
        BuildCharges(build_options), FileChecksumFor(build_options));
    state->tail_keeper = std::move(tail);
    // Readers restore the keys of a table without timestamps.
    state->filler =
        FillerFor(build_options, identity,
                  table_options.persist_user_defined_timestamps ? &state->order
                                                                : nullptr);
    if (table_options.sample_for_compression != 0) {
      auto samples =
          CompressionSamples::Create(table_options.sample_for_compression);
      if (!samples.ok()) return samples.status();
      state->samples = std::move(samples).value();
    }
    if (table_options.flush_block_policy_factory != nullptr &&
        state->own_flush_policy == nullptr) {
      return Status::InvalidArgument(
          "flush_block_policy_factory returned null");
    }
    state->unique_user_keys = build_options.external_file;
    state->statistics = build_options.statistics;
    state->sink.CountTo(state->statistics.get());
    state->properties =
        InitialProperties(table_options, build_options, identity);
    if (build_options.file_checksum_gen_factory != nullptr) {
      state->summary.file_checksum_func_name =
          build_options.file_checksum_gen_factory->Name();
    }
    return std::unique_ptr<TableBuilder>(new TableBuilder(std::move(state)));
  });
}

Status TableBuilder::Finish() {
  State& s = *state_;
  if (!s.status.ok()) return s.status;
  if (s.finished) {
    return Status::InvalidArgument("Finish after Finish or Abandon");
  }
  s.finished = true;
  s.status = OrMemoryLimit([&s] {
    Status finished = s.FinishFile();
    if (finished.ok()) s.Summarize();
    return finished;
  });
  s.End();
  return s.status;
}

void TableBuilder::Abandon() {
  state_->abandoned = true;
  state_->End();
}

Result<Slice> TableBuilder::KeptTail() const {
  const State& s = *state_;
  if (!s.status.ok()) return s.status;
  if (!s.finished || s.abandoned) {
    return Status::InvalidArgument("KeptTail before Finish or after Abandon");
  }
  return s.tail_keeper == nullptr ? Slice() : s.tail_keeper->bytes();
}

Status TableBuilder::status() const { return state_->status; }

uint64_t TableBuilder::NumEntries() const {
  return state_->properties.num_entries;
}

std::string TableBuilder::LastEntryKey() const {
  return state_->LastEntryKey();
}

uint64_t TableBuilder::FileSize() const { return state_->FileSize(); }

uint64_t TableBuilder::EstimatedFileSize() const {
  return state_->finished ? FileSize() : state_->SizeEstimate();
}

uint64_t TableBuilder::EstimatedTailSize() const {
  // Properties, metaindex, and the largest footer.
  constexpr uint64_t kRest = 2048 + 1024 + 53;
  return state_->PartsEstimate() + kRest;
}

const TableProperties& TableBuilder::properties() const {
  return state_->properties;
}

const TableSummary& TableBuilder::summary() const { return state_->summary; }

}  // namespace ashlar
