#include "library_rules.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "ashlar/util/comparator.h"
#include "job_options.h"
#include "library_compaction.h"
#include "options_file.h"

namespace ashlar_rocksdb {

namespace {

// Options that must name no object.
struct ObjectRule {
  const char* option;
  const char* what;
};
constexpr ObjectRule kNoObjects[] = {
    {"compaction_filter", "the compaction filter "},
    {"compaction_filter_factory", "the compaction filter factory "},
    {"sst_partitioner_factory", "the partitioner "},
    {"compression_manager", "the compression manager "},
    {"table_properties_collectors", "the properties collector "},
};

// Options that must have one value, or be missing.
struct ValueRule {
  const char* option;
  const char* value;
};
constexpr ValueRule kValues[] = {
    {"enable_blob_files", "false"},
    {"preclude_last_level_data_seconds", "0"},
    {"preserve_internal_time_seconds", "0"},
    {"last_level_temperature", "kUnknown"},
    {"bottommost_temperature", "kUnknown"},
    {"default_write_temperature", "kUnknown"},
};

constexpr std::string_view kStringAppend = "StringAppendOperator";
constexpr std::string_view kCrc32cFactory = "FileChecksumGenCrc32cFactory";

// Sets *delimiter to that of RocksDB's StringAppendOperator. Returns false if
// the option's text does not tell it.
bool StringAppendDelimiter(const std::string& text, std::string* delimiter) {
  // RocksDB writes no delimiter that is empty, and takes one that is not
  // written for a comma. So the bare name says nothing.
  constexpr std::string_view kName = "delimiter=";
  const size_t at = text.find(kName);
  if (at == std::string::npos) return false;
  std::string_view value = std::string_view(text).substr(at + kName.size());
  if (value.ends_with('}')) value.remove_suffix(1);
  if (value.ends_with(';')) value.remove_suffix(1);
  *delimiter = value;
  // What RocksDB puts into braces or escapes, or should have.
  return !value.empty() &&
         value.find_first_of(";{}\\#= \t") == std::string_view::npos;
}

std::string MergeObstacle(const CompactionJob& job) {
  const std::string name =
      ObjectNameOf(job.options.column_family, "merge_operator");
  if (name.empty() || LibraryMergeOperator(job) != nullptr) return {};
  return "the merge operator " + name;
}

std::string FileObstacle(const CompactionJob& job) {
  for (const JobInputFile& input : job.inputs) {
    if (input.oldest_blob_file_number != 0) {
      return "blob files, which " + input.path + " refers to";
    }
  }
  return {};
}

std::string DatabaseObstacle(const CompactionJob& job) {
  const std::string name =
      ObjectNameOf(job.options.database, "file_checksum_gen_factory");
  if (name.empty() || name == kCrc32cFactory) return {};
  return "the file checksums of " + name;
}

std::string OrderObstacle(const CompactionJob& job) {
  const ashlar::Comparator* const order =
      ashlar::FindBuiltinComparator(job.column_family.comparator);
  if (order == nullptr) {
    return "the comparator " + job.column_family.comparator;
  }
  // The job does not say which history is needed.
  if (order->timestamp_size() != 0) return "timestamps of the user";
  return {};
}

std::string OptionObstacle(const CompactionJob& job) {
  const OptionTexts& options = job.options.column_family;
  for (const ObjectRule& rule : kNoObjects) {
    const std::string name = ObjectNameOf(options, rule.option);
    if (!name.empty()) return rule.what + name;
  }
  for (const ValueRule& rule : kValues) {
    const std::string text = OptionText(options, rule.option);
    if (!text.empty() && text != rule.value) {
      return "the option " + std::string(rule.option) + "=" + text;
    }
  }
  const std::string style = OptionText(options, "compaction_style");
  if (style != "kCompactionStyleLevel" &&
      style != "kCompactionStyleUniversal") {
    return "the compaction style " + style;
  }
  if (job.options.table_factory != "BlockBasedTable") {
    return "the table factory " + job.options.table_factory;
  }
  return {};
}

std::string TableObstacle(const CompactionJob& job) {
  ParsedOptions parsed;
  std::string table_problem;
  const ashlar::Status status =
      ParseOptions(job.options, &parsed, &table_problem);
  if (!status.ok()) return status.ToString();
  if (!table_problem.empty()) return "table options: " + table_problem;
  const std::string prefix =
      ObjectNameOf(job.options.column_family, "prefix_extractor");
  if (!prefix.empty() && parsed.column_family.prefix_extractor == nullptr) {
    return "the prefix extractor " + prefix;
  }
  return {};
}

}  // namespace

std::string OptionText(const OptionTexts& options, const std::string& name) {
  const auto found = options.find(name);
  return found == options.end() ? std::string() : found->second;
}

std::shared_ptr<const ashlar::MergeOperator> LibraryMergeOperator(
    const CompactionJob& job) {
  const OptionTexts& options = job.options.column_family;
  const std::string name = ObjectNameOf(options, "merge_operator");
  if (name == kStringAppend || name == "stringappend") {
    std::string delimiter;
    if (!StringAppendDelimiter(OptionText(options, "merge_operator"),
                               &delimiter)) {
      return nullptr;
    }
    return ashlar::NewStringAppendOperator(delimiter);
  }
  return name.empty() ? nullptr : ashlar::FindBuiltinMergeOperator(name);
}

bool HasFileChecksums(const CompactionJob& job) {
  return ObjectNameOf(job.options.database, "file_checksum_gen_factory") ==
         kCrc32cFactory;
}

std::string LibraryObstacle(const CompactionJob& job) {
  for (const auto obstacle_of :
       {OrderObstacle, OptionObstacle, MergeObstacle, DatabaseObstacle,
        FileObstacle, TableObstacle}) {
    std::string obstacle = obstacle_of(job);
    if (!obstacle.empty()) return obstacle;
  }
  return {};
}

}  // namespace ashlar_rocksdb
