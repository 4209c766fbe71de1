#include "tools/ashlar/cli/flag_conflicts.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "ashlar/util/compression.h"
#include "tools/ashlar/flags/split_list.h"
#include "tools/memory_limit.h"

namespace ashlar::tool {
namespace {

using Types = std::vector<CompressionType>;
using enum CompressionType;

// Returns whether options come from elsewhere than flags.
bool HasTexts(const CommandLine& line) {
  return line.Given("options") || line.Given("options_from");
}

// Returns the codecs that the command will use. Returns none if the flag names
// an unknown codec, which the command itself refuses.
Types CodecsOf(const CommandLine& line, const Command& command) {
  if (command.bit != kRecompress) {
    if (!line.Given("compression_type")) {
      // A text may name any codec.
      if (HasTexts(line)) return {};
      return {DefaultCompressionType()};
    }
    const auto type = ParseCompressionType(FLAGS_compression_type);
    return IsOkOrThrow(type.status()) ? Types{*type} : Types();
  }
  if (FLAGS_compression_types.empty()) return SupportedCompressionTypes();
  Types types;
  for (const std::string& name : SplitList(FLAGS_compression_types, ',')) {
    const auto type = ParseCompressionType(name);
    if (!IsOkOrThrow(type.status())) return {};
    types.push_back(*type);
  }
  return types;
}

bool HasLevels(CompressionType type) {
  const CompressionLevelRange levels = CompressionLevels(type);
  // The levels of a codec that is not built in are unknown.
  return !IsCompressionSupported(type) || levels.min != 0 || levels.max != 0;
}
bool IsZlib(CompressionType type) { return type == kZlibCompression; }
bool IsZstd(CompressionType type) { return type == kZSTD; }
bool TakesDictionary(CompressionType type) {
  return type == kZlibCompression || type == kLZ4Compression ||
         type == kLZ4HCCompression || type == kZSTD;
}
bool Compresses(CompressionType type) { return type != kNoCompression; }

// A flag that only some codecs use. sst_dump accepts its own flags with any
// codec.
struct CodecDetail {
  std::string_view flag;
  bool (*is_for)(CompressionType type);
  std::string_view codecs;
  bool is_of_sst_dump;
};
constexpr CodecDetail kCodecDetails[] = {
    {"compression_level", HasLevels, "zlib, lz4, lz4hc and zstd", true},
    {"compression_window_bits", IsZlib, "zlib", false},
    {"compression_strategy", IsZlib, "zlib", false},
    {"compression_checksum", IsZstd, "zstd", false},
    {"compression_use_zstd_finalize_dict", IsZstd, "zstd", true},
    {"compression_zstd_max_train_bytes", IsZstd, "zstd", true},
    {"compression_max_dict_buffer_bytes", TakesDictionary,
     "zlib, lz4, lz4hc and zstd", true},
    {"compression_max_dict_bytes", TakesDictionary, "zlib, lz4, lz4hc and zstd",
     true},
    {"compression_max_compressed_bytes_per_kb", Compresses,
     "codecs that compress", false},
    {"enable_index_compression", Compresses, "codecs that compress", true},
};

std::string FlagName(std::string_view flag) { return "--" + std::string(flag); }

std::string FindDetailOfAnotherCodec(const CommandLine& line,
                                     const Command& command) {
  const Types types = CodecsOf(line, command);
  if (types.empty()) return {};
  const bool is_list = command.bit == kRecompress;
  for (const CodecDetail& detail : kCodecDetails) {
    if (!line.Given(detail.flag) || (is_list && detail.is_of_sst_dump)) {
      continue;
    }
    // The value is the default, which has no effect even if it was given.
    if (detail.flag == "compression_level" &&
        FLAGS_compression_level == CompressionOptions::kDefaultLevel) {
      continue;
    }
    if (std::any_of(types.begin(), types.end(), detail.is_for)) continue;
    std::string other = "--compression_types=" + FLAGS_compression_types;
    if (!is_list) {
      other = line.Given("compression_type")
                  ? "--compression_type=" + FLAGS_compression_type
                  : "the default codec, " +
                        std::string(CompressionTypeName(types.front()));
    }
    return FlagName(detail.flag) + " does nothing with " + other +
           ": it is for " + std::string(detail.codecs);
  }
  return {};
}

std::string Excludes(const std::string& a, const std::string& b) {
  return a + " and " + b + " exclude each other";
}

std::string FindFilterConflict(const CommandLine& line) {
  if (FLAGS_filter == "none") {
    for (const char* const flag :
         {"bloom_bits", "ribbon", "optimize_filters_for_memory",
          "whole_key_filtering", "partition_filters",
          "decouple_partitioned_filters",
          "detect_filter_construct_corruption"}) {
      if (line.Given(flag)) return Excludes("--filter=none", FlagName(flag));
    }
  }
  if (line.Given("filter") && line.Given("ribbon") &&
      FLAGS_ribbon != (FLAGS_filter == "ribbon")) {
    return Excludes("--filter=" + FLAGS_filter,
                    FLAGS_ribbon ? "--ribbon" : "--noribbon");
  }
  return {};
}

std::string FindTextConflict(const CommandLine& line) {
  if (line.Given("cf") && !line.Given("options_from")) {
    return "--cf needs --options_from";
  }
  if (FLAGS_ignore_unknown_options && !HasTexts(line)) {
    return "--ignore_unknown_options needs --options or --options_from";
  }
  return {};
}

std::string FindDictionaryConflict(const CommandLine& line) {
  if (HasTexts(line)) return {};
  if (FLAGS_compression_max_dict_bytes == 0) {
    for (const char* const flag : {"compression_zstd_max_train_bytes",
                                   "compression_max_dict_buffer_bytes",
                                   "compression_use_zstd_finalize_dict"}) {
      if (line.Given(flag)) {
        return FlagName(flag) + " needs --compression_max_dict_bytes";
      }
    }
  }
  if (FLAGS_compression_zstd_max_train_bytes == 0 &&
      FLAGS_compression_use_zstd_finalize_dict) {
    return "--compression_use_zstd_finalize_dict needs "
           "--compression_zstd_max_train_bytes";
  }
  return {};
}

// For `build`: rows that are in order need neither memory nor scratch files,
// unless all range deletions must be known first.
std::string FindSortingConflict(const CommandLine& line) {
  const bool keeps_rows =
      !FLAGS_sorted ||
      (FLAGS_target_file_size != 0 &&
       (FLAGS_input_format == "hex" || FLAGS_input_format == "jsonl"));
  if (keeps_rows && FLAGS_merge_inputs) {
    return FLAGS_sorted ? "--merge_inputs needs --input_format=tsv or csv with "
                          "--target_file_size: other rows are sorted then"
                        : Excludes("--merge_inputs", "--nosorted");
  }
  if (keeps_rows) return {};
  if (FLAGS_merge_inputs && line.Given("threads")) {
    return Excludes("--merge_inputs", "--threads");
  }
  for (const char* const flag : {"memory", "tmpdir"}) {
    if (line.Given(flag)) {
      return FlagName(flag) +
             " needs --nosorted: sorted rows are not held in memory";
    }
  }
  return {};
}

std::string FindBadRowsConflict(const CommandLine& line) {
  if (!line.Given("bad_rows")) return {};
  if (FLAGS_max_bad_rows == 0) return "--bad_rows needs --max_bad_rows";
  return {};
}

// For `scan`: formats that have one form only.
std::string FindFormatConflict(const CommandLine& line) {
  const std::string& format = FLAGS_output_format;
  if (format == "text" || format == "jsonl") return {};
  const bool may_be_hex = format == "csv" || format == "keys";
  if (FLAGS_output_hex && !may_be_hex) {
    return Excludes("--output_format=" + format,
                    FLAGS_hex ? "--hex" : "--output_hex");
  }
  for (const char* const flag : {"escape", "decode_blob_index"}) {
    if (line.Given(flag)) {
      return Excludes("--output_format=" + format, FlagName(flag));
    }
  }
  return {};
}

std::string FindOutputConflict(const CommandLine& line,
                               const Command& command) {
  if (FLAGS_json && FLAGS_jsonl) return Excludes("--json", "--jsonl");
  if (FLAGS_json && FLAGS_output_format == "jsonl") {
    return Excludes("--json", "--output_format=jsonl");
  }
  std::string conflict = FindFormatConflict(line);
  if (!conflict.empty()) return conflict;
  if (FLAGS_limit != 0 && FLAGS_read_num != 0 &&
      FLAGS_limit != FLAGS_read_num) {
    return Excludes("--limit", "--read_num");
  }
  if (FLAGS_each_table && FLAGS_one_database) {
    return Excludes("--each_table", "--one_database");
  }
  if (FLAGS_recursive && FLAGS_one_database) {
    return Excludes("--recursive", "--one_database");
  }
  if (FLAGS_output_hex && line.Given("escape") && command.bit == kScan) {
    return Excludes("--output_hex", "--escape");
  }
  if (FLAGS_out == "-" && FLAGS_overwrite) {
    return "--overwrite does nothing with --out=-, which is standard output";
  }
  if (command.bit == kSpace && line.Given("top") &&
      !line.Given("prefix_length") && !line.Given("prefix_separator")) {
    return "--top needs --prefix_length or --prefix_separator";
  }
  return {};
}

}  // namespace

std::string FindConflict(const CommandLine& line, const Command& command) {
  std::string conflict = FindOutputConflict(line, command);
  if (conflict.empty() && command.bit == kVerify && FLAGS_checksums_only &&
      line.Given("filter_keys")) {
    conflict = Excludes("--checksums_only", "--filter_keys");
  }
  if (conflict.empty() && (command.bit & kMake) != 0) {
    conflict = FindFilterConflict(line);
    if (conflict.empty()) conflict = FindTextConflict(line);
  }
  if (conflict.empty() && (command.bit & kPack) != 0) {
    conflict = FindDetailOfAnotherCodec(line, command);
  }
  if (conflict.empty() && (command.bit & kMake) != 0) {
    conflict = FindDictionaryConflict(line);
  }
  if (conflict.empty() && command.bit == kRecompress && FLAGS_threads != 0 &&
      FLAGS_compression_parallel_threads != 0) {
    conflict = Excludes("--threads", "--compression_parallel_threads");
  }
  if (conflict.empty() && command.bit == kBuild) {
    conflict = FindSortingConflict(line);
    if (conflict.empty()) conflict = FindBadRowsConflict(line);
  }
  if (conflict.empty() && (command.bit & kPack) != 0 &&
      line.Given("partition_index") && !FLAGS_partition_index &&
      FLAGS_index_type == "partitioned") {
    conflict = Excludes("--nopartition_index", "--index_type=partitioned");
  }
  return conflict;
}

}  // namespace ashlar::tool
