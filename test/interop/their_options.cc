#include "test/interop/their_options.h"

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/flush_block_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "test/interop/own_blocks.h"

namespace ashlar::interop {

namespace {

std::shared_ptr<rocksdb::MergeOperator> AppendOperator() {
  static const auto append = [] {
    std::shared_ptr<rocksdb::MergeOperator> result;
    const rocksdb::Status status = rocksdb::MergeOperator::CreateFromString(
        rocksdb::ConfigOptions(), "stringappend", &result);
    if (!status.ok()) {
      std::fprintf(stderr, "stringappend: %s\n", status.ToString().c_str());
      std::abort();
    }
    return result;
  }();
  return append;
}

// RocksDB finds its built-in extractors by the name in the file.
std::shared_ptr<const rocksdb::SliceTransform> TheirExtractor(
    std::string_view name) {
  std::shared_ptr<const rocksdb::SliceTransform> result;
  const rocksdb::Status status = rocksdb::SliceTransform::CreateFromString(
      rocksdb::ConfigOptions(), std::string(name), &result);
  if (!status.ok()) {
    std::fprintf(stderr, "extractor: %s\n", status.ToString().c_str());
    std::abort();
  }
  return result;
}

std::shared_ptr<rocksdb::Statistics> SharedCounters() {
  static const auto counters = rocksdb::CreateDBStatistics();
  return counters;
}

// Returns RocksDB's comparator of the same name. Only built-in ones occur here.
const rocksdb::Comparator* TheirComparator(const Comparator* ours) {
  for (const rocksdb::Comparator* theirs :
       {rocksdb::BytewiseComparator(), rocksdb::ReverseBytewiseComparator(),
        rocksdb::BytewiseComparatorWithU64Ts(),
        rocksdb::ReverseBytewiseComparatorWithU64Ts()}) {
    if (ours->Name() == theirs->Name()) return theirs;
  }
  return nullptr;
}

rocksdb::CompressionOptions TheirCompressionOptions(
    const CompressionOptions& ours) {
  rocksdb::CompressionOptions theirs;
  theirs.level = ours.level;
  theirs.window_bits = ours.window_bits;
  theirs.strategy = ours.strategy;
  theirs.max_compressed_bytes_per_kb = ours.max_compressed_bytes_per_kb;
  theirs.max_dict_bytes = ours.max_dict_bytes;
  theirs.zstd_max_train_bytes = ours.zstd_max_train_bytes;
  theirs.max_dict_buffer_bytes = ours.max_dict_buffer_bytes;
  theirs.use_zstd_dict_trainer = ours.use_zstd_dict_trainer;
  return theirs;
}

class OwnBlocksPolicy final : public rocksdb::FlushBlockPolicy {
 public:
  bool Update(const rocksdb::Slice& internal_key,
              const rocksdb::Slice& /*value*/) override {
    return blocks_.EndBefore(internal_key.ToStringView());
  }

 private:
  OwnBlocks blocks_;
};

class OwnBlocksFactory final : public rocksdb::FlushBlockPolicyFactory {
 public:
  const char* Name() const override { return "OwnBlocks"; }
  rocksdb::FlushBlockPolicy* NewFlushBlockPolicy(
      const rocksdb::BlockBasedTableOptions& /*options*/,
      const rocksdb::BlockBuilder& /*block*/) const override {
    return new OwnBlocksPolicy;
  }
};

}  // namespace

rocksdb::Options TheirOptions(const Plan& plan) {
  const TableOptions& ours = plan.options;
  rocksdb::BlockBasedTableOptions table;
  table.format_version = ours.format_version;
  table.block_size = ours.block_size;
  table.block_size_deviation = ours.block_size_deviation;
  table.block_restart_interval = ours.block_restart_interval;
  table.index_block_restart_interval = ours.index_block_restart_interval;
  table.use_delta_encoding = ours.use_delta_encoding;
  // Files and RocksDB's options use the same numbers.
  table.index_type =
      static_cast<rocksdb::BlockBasedTableOptions::IndexType>(ours.index_type);
  table.data_block_index_type =
      static_cast<rocksdb::BlockBasedTableOptions::DataBlockIndexType>(
          ours.data_block_index_type);
  table.data_block_hash_table_util_ratio =
      ours.data_block_hash_table_util_ratio;
  table.separate_key_value_in_data_block =
      ours.separate_key_value_in_data_block;
  table.block_align = ours.block_align;
  table.super_block_alignment_size = ours.super_block_alignment_size;
  table.super_block_alignment_space_overhead_ratio =
      ours.super_block_alignment_space_overhead_ratio;
  table.index_shortening =
      static_cast<rocksdb::BlockBasedTableOptions::IndexShorteningMode>(
          ours.index_shortening);
  if (ours.flush_block_policy_factory != nullptr) {
    table.flush_block_policy_factory = std::make_shared<OwnBlocksFactory>();
  }
  table.metadata_block_size = ours.metadata_block_size;
  table.partition_filters = ours.partition_filters;
  table.decouple_partitioned_filters = ours.decouple_partitioned_filters;
  table.uniform_cv_threshold = ours.uniform_cv_threshold;
  table.enable_index_compression = ours.enable_index_compression;
  table.checksum = static_cast<rocksdb::ChecksumType>(ours.checksum);
  if (plan.HasFilter()) {
    // -1: for the files of all levels.
    table.filter_policy.reset(
        ours.filter == FilterType::kRibbon
            ? rocksdb::NewRibbonFilterPolicy(ours.bloom_bits_per_key, -1)
            : rocksdb::NewBloomFilterPolicy(ours.bloom_bits_per_key));
  }
  table.whole_key_filtering = ours.whole_key_filtering;
  // If true, RocksDB would round filter sizes to what its allocator returns.
  table.optimize_filters_for_memory = false;

  rocksdb::Options options;
  if (ours.prefix_extractor != nullptr) {
    options.prefix_extractor = TheirExtractor(ours.prefix_extractor->Name());
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = static_cast<rocksdb::CompressionType>(ours.compression);
  options.compression_opts = TheirCompressionOptions(ours.compression_opts);
  options.comparator = TheirComparator(ours.comparator);
  options.persist_user_defined_timestamps =
      ours.persist_user_defined_timestamps;
  // RocksDB requires false if timestamps are not written.
  options.allow_concurrent_memtable_write =
      ours.persist_user_defined_timestamps;
  options.merge_operator = AppendOperator();
  options.statistics = SharedCounters();
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  return options;
}

rocksdb::Options TheirReadOptions(const Plan& plan) {
  Plan with_filter = plan;
  with_filter.options.filter = FilterType::kBloom;
  return TheirOptions(with_filter);
}

rocksdb::Statistics& TheirCounters() { return *SharedCounters(); }

std::string TheirMergeOperatorName() { return AppendOperator()->Name(); }

Status FromTheirs(const std::string& what, const rocksdb::Status& status) {
  if (status.ok()) return {};
  return Status::Corruption("RocksDB: " + what + ": " + status.ToString());
}

std::vector<rocksdb::Slice> TheirSlices(const std::vector<std::string>& keys) {
  return {keys.begin(), keys.end()};
}

}  // namespace ashlar::interop
