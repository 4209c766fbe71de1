#include "tools/ashlar/outputs/kept_options.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "ashlar/util/prefix_extractor.h"
#include "tools/ashlar/outputs/block_size_guess.h"
#include "tools/ashlar/print/output.h"

namespace ashlar::tool {
namespace {

void WarnNotKept(const std::string& path, const std::string& what) {
  PrintWarning(path + ": " + what);
}

// `interval` is 0 if the file does not record it.
void KeepInterval(const std::string& path, std::string_view name,
                  uint64_t interval, int* kept) {
  if (interval == 0) return;
  if (interval <= static_cast<uint64_t>(std::numeric_limits<int>::max())) {
    *kept = static_cast<int>(interval);
    return;
  }
  WarnNotKept(path, std::string(name) + " " + std::to_string(interval) +
                        " is out of range; the new table uses " +
                        std::to_string(*kept));
}

void KeepExtractor(const std::string& path, const std::string& name,
                   TableOptions* table) {
  table->prefix_extractor = FindBuiltinPrefixExtractor(name);
  if (table->prefix_extractor != nullptr || name.empty() || name == "nullptr") {
    return;
  }
  WarnNotKept(path, "prefix extractor " + name +
                        " is not built in; the new table has none");
}

void KeepTableOptions(const CommandLine& line, const std::string& path,
                      const TableProperties& p, TableOptions* table) {
  table->persist_user_defined_timestamps =
      p.user_defined_timestamps_persisted != 0;
  if (!line.Given("block_restart_interval")) {
    KeepInterval(path, "block_restart_interval", p.data_block_restart_interval,
                 &table->block_restart_interval);
  }
  if (!line.Given("index_block_restart_interval") &&
      table->index_type != IndexType::kHashSearch) {
    KeepInterval(path, "index_block_restart_interval",
                 p.index_block_restart_interval,
                 &table->index_block_restart_interval);
  }
  if (!line.Given("separate_key_value_in_data_block") &&
      FLAGS_target_rocksdb.empty()) {
    table->separate_key_value_in_data_block =
        p.separate_key_value_in_data_block != 0;
  }
  if (!line.Given("prefix_extractor")) {
    KeepExtractor(path, p.prefix_extractor_name, table);
  }
}

void KeepOrigin(const CommandLine& line, const TableProperties& p,
                BuildOptions* build) {
  if (p.column_family_id <= kUnknownColumnFamilyId) {
    build->column_family_id = static_cast<uint32_t>(p.column_family_id);
  }
  build->column_family_name = p.column_family_name;
  if (p.merge_operator_name != "nullptr") {
    build->merge_operator_name = p.merge_operator_name;
  }
  for (const auto& [name, value] : p.user_collected_properties) {
    if (!name.starts_with("rocksdb.")) build->user_properties[name] = value;
  }
  TableIdentity& identity = build->identity;
  identity.oldest_key_time = p.oldest_key_time;
  identity.newest_key_time = p.newest_key_time;
  if (!line.Given("identity") && !line.Given("creation_time") &&
      std::getenv("SOURCE_DATE_EPOCH") == nullptr) {
    identity.creation_time = p.creation_time;
  }
}

}  // namespace

Status CheckCanBeCopied(const TableProperties& properties) {
  if (!properties.user_collected_properties.contains(
          "rocksdb.embedded.blob.stats")) {
    return {};
  }
  return Status::NotSupported(
      "the table has embedded blobs, which cannot be copied");
}

void KeepForm(const CommandLine& line, const std::string& path,
              uint32_t format_version, TableOptions* table) {
  if (!line.Given("format_version") && FLAGS_target_rocksdb.empty()) {
    table->format_version = std::max(format_version, kMinFormatVersion);
    if (table->format_version != format_version) {
      WarnNotKept(path, "format version " + std::to_string(format_version) +
                            " cannot be written; the new table has version " +
                            std::to_string(table->format_version));
    }
  }
  if (!line.Given("block_size")) table->block_size = GuessBlockSize(path);
}

void KeepOptions(const CommandLine& line, const std::string& path,
                 const TableProperties& properties, SinkOptions* options) {
  KeepTableOptions(line, path, properties, &options->table);
  KeepOrigin(line, properties, &options->build);
  if (!properties.seqno_to_time_mapping.empty()) {
    WarnNotKept(path, "its mapping of sequence numbers to times is not copied");
  }
}

}  // namespace ashlar::tool
