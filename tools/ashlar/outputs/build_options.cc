#include "tools/ashlar/outputs/build_options.h"

#include <cstdlib>
#include <optional>

#include "ashlar/util/checksum_type.h"
#include "ashlar/util/compression.h"
#include "tools/ashlar/flags/memory_limit.h"
#include "tools/ashlar/print/output.h"
#include "tools/ashlar/print/print_text.h"

namespace ashlar::tool {
namespace {

std::string SetFilterOptions(TableOptions* table) {
  if (FLAGS_filter == "none") {
    table->filter = FilterType::kNone;
  } else if (FLAGS_ribbon || FLAGS_filter == "ribbon") {
    table->filter = FilterType::kRibbon;
  }
  table->bloom_bits_per_key = FLAGS_bloom_bits;
  table->optimize_filters_for_memory = FLAGS_optimize_filters_for_memory;
  table->detect_filter_construct_corruption =
      FLAGS_detect_filter_construct_corruption;
  table->whole_key_filtering = FLAGS_whole_key_filtering;
  if (FLAGS_prefix_extractor.empty()) return {};
  table->prefix_extractor = FindBuiltinPrefixExtractor(FLAGS_prefix_extractor);
  if (table->prefix_extractor == nullptr) {
    return "--prefix_extractor: '" + FLAGS_prefix_extractor +
           "' is not a built-in prefix extractor";
  }
  return {};
}

std::string SetIndexOptions(const CommandLine& line, TableOptions* table) {
  const std::string& type = FLAGS_index_type;
  const bool partitioned = FLAGS_partition_index || type == "partitioned";
  if (FLAGS_partition_index && line.Given("index_type") &&
      type != "partitioned") {
    return "--partition_index and --index_type=" + type + " exclude each other";
  }
  if (FLAGS_partition_filters && !partitioned) {
    return "--partition_filters needs --index_type=partitioned";
  }
  if (partitioned) {
    table->index_type = IndexType::kTwoLevelIndexSearch;
  } else if (type == "hash") {
    table->index_type = IndexType::kHashSearch;
  } else if (type == "first_key") {
    table->index_type = IndexType::kBinarySearchWithFirstKey;
  }
  table->partition_filters = FLAGS_partition_filters;
  table->decouple_partitioned_filters = FLAGS_decouple_partitioned_filters;
  table->metadata_block_size = FLAGS_metadata_block_size;
  table->index_block_restart_interval = FLAGS_index_block_restart_interval;
  table->enable_index_compression = FLAGS_enable_index_compression;
  if (FLAGS_index_shortening == "none") {
    table->index_shortening = IndexShortening::kNoShortening;
  } else if (FLAGS_index_shortening == "successor") {
    table->index_shortening = IndexShortening::kShortenSeparatorsAndSuccessor;
  }
  return {};
}

void SetDataBlockOptions(TableOptions* table) {
  table->block_size = FLAGS_block_size;
  table->block_size_deviation = FLAGS_block_size_deviation;
  table->block_restart_interval = FLAGS_block_restart_interval;
  table->use_delta_encoding = FLAGS_use_delta_encoding;
  if (FLAGS_data_block_index_type == "hash") {
    table->data_block_index_type = DataBlockIndexType::kDataBlockBinaryAndHash;
  }
  table->data_block_hash_table_util_ratio =
      FLAGS_data_block_hash_table_util_ratio;
  table->separate_key_value_in_data_block =
      FLAGS_separate_key_value_in_data_block;
  table->block_align = FLAGS_block_align;
  table->super_block_alignment_size = FLAGS_super_block_alignment_size;
  table->super_block_alignment_space_overhead_ratio =
      FLAGS_super_block_alignment_space_overhead_ratio;
}

// Returns an error if a flag adjusts a feature that the other flags do not turn
// on.
std::string FindIdleDetail(const CommandLine& line, const TableOptions& table) {
  const struct {
    const char* flag;
    bool used;
    const char* needed;
  } details[] = {
      {"metadata_block_size",
       table.index_type == IndexType::kTwoLevelIndexSearch,
       "--index_type=partitioned"},
      {"decouple_partitioned_filters", table.partition_filters,
       "--partition_filters"},
      {"data_block_hash_table_util_ratio",
       table.data_block_index_type ==
           DataBlockIndexType::kDataBlockBinaryAndHash,
       "--data_block_index_type=hash"},
      {"super_block_alignment_space_overhead_ratio",
       table.super_block_alignment_size != 0, "--super_block_alignment_size"},
  };
  for (const auto& detail : details) {
    if (!detail.used && line.Given(detail.flag)) {
      return std::string("--") + detail.flag + " needs " + detail.needed;
    }
  }
  return {};
}

void SetCompressionOptions(CompressionOptions* options) {
  options->level = FLAGS_compression_level;
  options->window_bits = FLAGS_compression_window_bits;
  options->strategy = FLAGS_compression_strategy;
  options->max_compressed_bytes_per_kb =
      FLAGS_compression_max_compressed_bytes_per_kb;
  options->checksum = FLAGS_compression_checksum;
  options->max_dict_bytes = FLAGS_compression_max_dict_bytes;
  options->zstd_max_train_bytes = FLAGS_compression_zstd_max_train_bytes;
  options->max_dict_buffer_bytes = FLAGS_compression_max_dict_buffer_bytes;
  options->use_zstd_dict_trainer = !FLAGS_compression_use_zstd_finalize_dict;
}

}  // namespace

std::string TableOptionsFromFlags(const CommandLine& line, TableOptions* table,
                                  Unnamed unnamed) {
  if (FLAGS_index_type == "hash" && FLAGS_prefix_extractor.empty() &&
      unnamed == Unnamed::kAreDefaults) {
    return "--index_type=hash needs --prefix_extractor";
  }
  constexpr uint32_t kMaxParallelThreads = 1024;
  if (FLAGS_compression_parallel_threads > kMaxParallelThreads) {
    return "--compression_parallel_threads is above 1024";
  }
  if (!FLAGS_target_rocksdb.empty()) {
    const auto target = TableOptions::TargetRocksDB(FLAGS_target_rocksdb);
    if (!IsOkOrThrow(target.status())) {
      return "--target_rocksdb: " + std::string(target.status().message());
    }
    *table = *target;
  }
  if (FLAGS_target_rocksdb.empty() || line.Given("format_version")) {
    table->format_version = FLAGS_format_version;
  }
  SetDataBlockOptions(table);
  std::string error = SetIndexOptions(line, table);
  if (error.empty()) error = FindIdleDetail(line, *table);
  if (!error.empty()) return error;
  // Without the flag, the library's default is used, which depends on how the
  // library was built.
  if (line.Given("compression_type")) {
    const auto type = ParseCompressionType(FLAGS_compression_type);
    if (!IsOkOrThrow(type.status())) {
      return "--compression_type: '" + FLAGS_compression_type +
             "' is not the name of a codec";
    }
    table->compression = *type;
  }
  SetCompressionOptions(&table->compression_opts);
  table->verify_compression = FLAGS_verify_compression;
  const auto checksum = ParseChecksumType(FLAGS_checksum_type);
  if (!IsOkOrThrow(checksum.status())) {
    return "--checksum_type: '" + FLAGS_checksum_type +
           "' is not the name of a checksum";
  }
  if (FLAGS_target_rocksdb.empty() || line.Given("checksum_type")) {
    table->checksum = *checksum;
  }
  error = SetFilterOptions(table);
  if (!error.empty()) return error;
  if (!FLAGS_comparator.empty()) {
    table->comparator = FindBuiltinComparator(FLAGS_comparator);
  }
  return {};
}

namespace {

std::string SetIdentity(const CommandLine& line, TableIdentity* identity) {
  std::optional<uint64_t> time;
  if (line.Given("creation_time")) {
    time = FLAGS_creation_time;
  } else if (const char* const epoch = std::getenv("SOURCE_DATE_EPOCH")) {
    time = ParseNumber(epoch);
    if (!time) {
      return std::string("SOURCE_DATE_EPOCH: '") + epoch +
             "' is not a whole number";
    }
  }
  if (line.Given("identity")) {
    const std::optional<std::string> seed = FromHex(FLAGS_identity);
    if (!seed) {
      return "--identity: '" + FLAGS_identity +
             "' is not hexadecimal of even length";
    }
    // Equal options must give equal bytes, so the time is not taken from the
    // clock.
    *identity = FixedTableIdentity(*seed, time.value_or(0));
    return {};
  }
  if (time) {
    identity->creation_time = *time;
    identity->file_creation_time = *time;
  }
  return {};
}

}  // namespace

std::string SinkOptionsFromFlags(const CommandLine& line, SinkOptions* options,
                                 Unnamed unnamed) {
  if (FLAGS_out.empty()) return "no output: --out names the file to make";
  if (FLAGS_out == "-") return "--out: a table cannot go to standard output";
  if (FLAGS_external && FLAGS_input_format != "hex") {
    return "--external goes with --input_format=hex only";
  }
  if (FLAGS_input_format != "csv" &&
      (line.Given("key_column") || line.Given("value_column"))) {
    return "--key_column and --value_column go with --input_format=csv only";
  }
  options->path = FLAGS_out;
  options->overwrite = FLAGS_overwrite;
  options->build.parallel_threads = FLAGS_compression_parallel_threads;
  options->build.target_file_size = FLAGS_target_file_size;
  // Equal input must be cut at the same keys. With worker threads, the cuts
  // would depend on how far the workers have come.
  if (FLAGS_target_file_size != 0 && line.Given("identity")) {
    options->build.parallel_threads = 1;
  }
  std::string error = TableOptionsFromFlags(line, &options->table, unnamed);
  if (error.empty() && FLAGS_verify_compression &&
      options->table.compression == CompressionType::kNoCompression) {
    error =
        "--verify_compression needs a codec, but the table is not compressed";
  }
  if (error.empty()) error = SetIdentity(line, &options->build.identity);
  return error;
}

}  // namespace ashlar::tool
