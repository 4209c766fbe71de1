#include "table/write/initial_properties.h"

#include <ctime>
#include <string>

#include "ashlar/table/option_table.h"
#include "ashlar/util/custom_codec.h"
#include "port/random_word.h"
#include "table/meta/properties_block.h"
#include "table/write/collectors.h"
#include "util/coding/coding.h"
#include "util/hash/checksum.h"

namespace ashlar::internal {

namespace {

// Returns the text that RocksDB writes for the same options. No program parses
// it.
std::string DescribeCompression(const TableOptions& table) {
  const CompressionOptions& options = table.compression_opts;
  std::string text =
      "window_bits=" + std::to_string(options.window_bits) +
      "; level=" + std::to_string(options.level) +
      "; strategy=" + std::to_string(options.strategy) +
      "; max_dict_bytes=" + std::to_string(options.max_dict_bytes) +
      "; zstd_max_train_bytes=" + std::to_string(options.zstd_max_train_bytes) +
      "; enabled=0; max_dict_buffer_bytes=" +
      std::to_string(options.max_dict_buffer_bytes) +
      "; use_zstd_dict_trainer=" +
      std::to_string(options.use_zstd_dict_trainer ? 1 : 0) +
      "; max_compressed_bytes_per_kb=" +
      std::to_string(options.max_compressed_bytes_per_kb) +
      "; checksum=" + std::to_string(options.checksum ? 1 : 0) +
      "; _type=" + std::to_string(static_cast<int>(table.compression)) + "; ";
  if (table.codec != nullptr) {
    text += "_compression_manager=";
    text += table.codec->CompatibilityName();
    text += "; ";
  }
  return text;
}

void DescribeForm(const TableOptions& options, TableProperties* p) {
  p->format_version = options.format_version;
  p->index_type = static_cast<uint32_t>(options.index_type);
  p->data_block_restart_interval =
      static_cast<uint64_t>(options.block_restart_interval);
  p->index_block_restart_interval =
      static_cast<uint64_t>(options.index_block_restart_interval);
  p->separate_key_value_in_data_block =
      options.separate_key_value_in_data_block ? 1 : 0;
  p->whole_key_filtering = options.whole_key_filtering ? "1" : "0";
  p->prefix_filtering = options.prefix_extractor != nullptr ? "1" : "0";
  // Means nothing in a file whose filter is in one piece. But RocksDB writes it
  // by default, and equal tables shall be equal files.
  p->decoupled_partitioned_filters =
      options.decouple_partitioned_filters ? "1" : "";
  p->comparator_name = options.comparator->Name();
  p->user_defined_timestamps_persisted =
      options.persist_user_defined_timestamps ? 1 : 0;
  p->prefix_extractor_name = options.prefix_extractor != nullptr
                                 ? options.prefix_extractor->Name()
                                 : "nullptr";
  p->compression_options = DescribeCompression(options);
}

void DescribeOrigin(const BuildOptions& options, const TableIdentity& identity,
                    TableProperties* p) {
  p->column_family_id = options.column_family_id;
  p->column_family_name = options.column_family_name;
  p->merge_operator_name = options.merge_operator_name.empty()
                               ? "nullptr"
                               : options.merge_operator_name;
  p->db_id = identity.db_id;
  p->db_session_id = identity.db_session_id;
  p->db_host_id = identity.db_host_id;
  p->orig_file_number = identity.file_number;
  p->creation_time = *identity.creation_time;
  p->file_creation_time = *identity.file_creation_time;
  p->oldest_key_time = identity.oldest_key_time;
  p->newest_key_time = identity.newest_key_time;
  p->user_collected_properties = options.user_properties;
  p->property_collectors_names = CollectorNames(options);
  p->seqno_to_time_mapping = EncodeTimes(options.seqno_to_time);
}

void DescribeExternalFile(TableProperties* p) {
  // The version that has a global sequence number.
  constexpr uint32_t kExternalFileVersion = 2;
  p->external_sst_file_version = kExternalFileVersion;
  p->external_sst_file_global_seqno = 0;
}

std::string NewSessionId() {
  // Eight digits of base 36 hold no more than 39 bits of the upper word.
  constexpr uint64_t kUpperMask = (uint64_t{1} << 39) - 1;
  return EncodeSessionId(port::RandomWord() & kUpperMask,
                         port::RandomWord() | 1);
}

// Any word except 0 will do, as long as files differ.
uint32_t BaseContextChecksum(const TableIdentity& identity) {
  const std::string all = identity.db_id + '\0' + identity.db_session_id +
                          '\0' + std::to_string(identity.file_number);
  const uint32_t hash = Checksum(ChecksumType::kXXH3, all.data(), all.size());
  return hash != 0 ? hash : 1;
}

}  // namespace

Status CheckTimes(const std::map<SequenceNumber, uint64_t>& times) {
  uint64_t last_time = 0;
  for (const auto& [sequence, time] : times) {
    if (time < last_time) {
      return Status::InvalidArgument(
          "seqno_to_time: time " + std::to_string(time) +
          " of sequence number " + std::to_string(sequence) +
          " is smaller than the time before it");
    }
    last_time = time;
  }
  return {};
}

std::string EncodeTimes(const std::map<SequenceNumber, uint64_t>& times) {
  std::string coded;
  if (times.empty()) return coded;
  AppendVarint64(&coded, times.size());
  SequenceNumber last_sequence = 0;
  uint64_t last_time = 0;
  for (const auto& [sequence, time] : times) {
    AppendVarint64(&coded, sequence - last_sequence);
    AppendVarint64(&coded, time - last_time);
    last_sequence = sequence;
    last_time = time;
  }
  return coded;
}

Status ValidateBuildOptions(const BuildOptions& options) {
  if (options.prepopulate_block_cache && options.block_cache == nullptr) {
    return Status::InvalidArgument(
        "prepopulate_block_cache needs a block_cache");
  }
  Status status = CheckBounds(options);
  if (status.ok()) {
    status = options.cache_usage_options.Validate(options.block_cache.get());
  }
  if (!status.ok()) return status;
  constexpr uint64_t kMaxPropertyBytes = uint64_t{1} << 26;
  uint64_t bytes = 0;
  for (const auto& [name, value] : options.user_properties) {
    bytes += name.size() + value.size();
    if (bytes > kMaxPropertyBytes) {
      return Status::InvalidArgument(
          "user_properties: names and values have more than " +
          std::to_string(kMaxPropertyBytes) + " bytes");
    }
    if (name.starts_with(kReservedPropertyPrefix)) {
      return Status::InvalidArgument("user_properties: name '" + name +
                                     "' begins with \"rocksdb.\"");
    }
  }
  status = CheckTimes(options.seqno_to_time);
  if (!status.ok()) return status;
  for (const auto& factory : options.table_properties_collector_factories) {
    if (factory == nullptr) {
      return Status::InvalidArgument(
          "table_properties_collector_factories has a null pointer");
    }
  }
  return {};
}

TableIdentity CompleteIdentity(TableIdentity identity) {
  constexpr const char* kDbId = "Ashlar";
  if (identity.db_id.empty()) identity.db_id = kDbId;
  if (identity.db_session_id.empty()) identity.db_session_id = NewSessionId();
  if (identity.file_number == 0) identity.file_number = 1;
  const auto now = static_cast<uint64_t>(std::time(nullptr));
  if (!identity.creation_time) identity.creation_time = now;
  if (!identity.file_creation_time) identity.file_creation_time = now;
  if (!identity.base_context_checksum) {
    identity.base_context_checksum = BaseContextChecksum(identity);
  }
  return identity;
}

TableProperties InitialProperties(const TableOptions& table_options,
                                  const BuildOptions& build_options,
                                  const TableIdentity& identity) {
  TableProperties properties;
  DescribeForm(table_options, &properties);
  DescribeOrigin(build_options, identity, &properties);
  if (build_options.external_file) DescribeExternalFile(&properties);
  return properties;
}

}  // namespace ashlar::internal
