#include "tools/ashlar/outputs/build_options.h"

#include <cstdlib>
#include <optional>

#include "tools/ashlar/flags/option_flags.h"
#include "tools/ashlar/outputs/option_texts.h"
#include "tools/ashlar/print/output.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/memory_limit.h"

namespace ashlar::tool {
namespace {

// Sets the index type, which two flags name.
std::string SetIndexType(const CommandLine& line, TableOptions* table) {
  const std::string& type = FLAGS_index_type;
  if (FLAGS_partition_index) {
    if (line.Given("index_type") && type != "partitioned") {
      return "--partition_index and --index_type=" + type +
             " exclude each other";
    }
    table->index_type = IndexType::kTwoLevelIndexSearch;
  }
  if (table->partition_filters &&
      table->index_type != IndexType::kTwoLevelIndexSearch) {
    return "--partition_filters needs --index_type=partitioned";
  }
  return {};
}

// Returns an error if a flag adjusts a feature that the other flags do not turn
// on.
std::string FindIdleDetail(const CommandLine& line, const TableOptions& table,
                           Unnamed unnamed) {
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
      // A copy may keep the embedded blobs of its input.
      {"min_blob_size",
       table.embedded_blob_options.enable || unnamed == Unnamed::kAreKept,
       "--embedded_blobs"},
  };
  for (const auto& detail : details) {
    if (!detail.used && line.Given(detail.flag)) {
      return std::string("--") + detail.flag + " needs " + detail.needed;
    }
  }
  return {};
}

std::string SetTableOptions(const CommandLine& line, TableOptions* table,
                            BuildOptions* build, Unnamed unnamed) {
  if (FLAGS_index_type == "hash" && FLAGS_prefix_extractor.empty() &&
      unnamed == Unnamed::kAreDefaults && !HasOptionTexts(line)) {
    return "--index_type=hash needs --prefix_extractor";
  }
  if (!FLAGS_target_rocksdb.empty()) {
    const auto target = TableOptions::TargetRocksDB(FLAGS_target_rocksdb);
    if (!IsOkOrThrow(target.status())) {
      return "--target_rocksdb: " + std::string(target.status().message());
    }
    *table = *target;
  }
  std::string error = SetOptionsFromTexts(line, table, build);
  if (error.empty()) error = SetOptions(line, TableOptionRows(), table);
  if (error.empty()) error = SetIndexType(line, table);
  if (error.empty()) error = FindIdleDetail(line, *table, unnamed);
  if (FLAGS_ribbon) table->filter = FilterType::kRibbon;
  return error;
}

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

std::string TableOptionsFromFlags(const CommandLine& line, TableOptions* table,
                                  Unnamed unnamed) {
  BuildOptions unused;
  return SetTableOptions(line, table, &unused, unnamed);
}

std::string SinkOptionsFromFlags(const CommandLine& line, SinkOptions* options,
                                 Unnamed unnamed) {
  if (FLAGS_out.empty() && !options->dry_run) {
    return "no output: --out names the file to make";
  }
  if (FLAGS_out == "-") return "--out: a table cannot go to standard output";
  if (FLAGS_external && FLAGS_input_format != "hex") {
    return "--external goes with --input_format=hex only";
  }
  options->path = FLAGS_out;
  options->overwrite = FLAGS_overwrite;
  std::string error = SetOptions(line, BuildOptionRows(), &options->build);
  if (!error.empty()) return error;
  // The flag's default is not the library's.
  options->build.parallel_threads = FLAGS_compression_parallel_threads;
  // Equal input must be cut at the same keys. With worker threads, the cuts
  // would depend on how far the workers have come.
  if (FLAGS_target_file_size != 0 && line.Given("identity")) {
    options->build.parallel_threads = 1;
  }
  error = SetTableOptions(line, &options->table, &options->build, unnamed);
  if (error.empty() && FLAGS_verify_compression &&
      options->table.compression == CompressionType::kNoCompression) {
    error =
        "--verify_compression needs a codec, but the table is not compressed";
  }
  if (error.empty()) error = SetIdentity(line, &options->build.identity);
  return error;
}

}  // namespace ashlar::tool
