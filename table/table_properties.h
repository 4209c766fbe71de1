// TableProperties: what a table file says about itself.
//
// Filled in by the builder, stored in the properties block, read back by
// TableReader. A plain struct; FORMAT.md, "Properties", has the name and the
// encoding of each field.
#ifndef ASHLAR_TABLE_TABLE_PROPERTIES_H_
#define ASHLAR_TABLE_TABLE_PROPERTIES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "ashlar/table/internal_key.h"

namespace ashlar {

struct TableProperties {
  // Counts.
  uint64_t num_data_blocks = 0;
  uint64_t num_data_blocks_compression_rejected = 0;
  uint64_t num_data_blocks_compression_bypassed = 0;
  uint64_t num_uniform_blocks = 0;
  uint64_t num_entries = 0;    // points and range deletions
  uint64_t num_deletions = 0;  // of all kinds, range deletions included
  uint64_t num_merge_operands = 0;
  uint64_t num_range_deletions = 0;
  uint64_t num_filter_entries = 0;

  // Bytes.
  uint64_t raw_key_size = 0;  // internal keys
  uint64_t raw_value_size = 0;
  uint64_t data_size = 0;  // data blocks as stored, with trailers
  // Data blocks before compression, without trailers. Not stored: known to the
  // builder only.
  uint64_t uncompressed_data_size = 0;
  uint64_t index_size = 0;
  uint64_t index_partitions = 0;
  uint64_t top_level_index_size = 0;
  uint64_t filter_size = 0;
  uint64_t tail_start_offset = 0;
  uint64_t fixed_key_len = 0;

  // Form of the file.
  uint64_t format_version = 0;
  uint32_t index_type = 0;
  uint64_t index_key_is_user_key = 0;
  uint64_t index_value_is_delta_encoded = 0;
  uint64_t data_block_restart_interval = 0;
  uint64_t index_block_restart_interval = 0;
  uint64_t separate_key_value_in_data_block = 0;
  uint64_t user_defined_timestamps_persisted = 1;
  std::string whole_key_filtering;            // "0" or "1"
  std::string prefix_filtering;               // "0" or "1"
  std::string decoupled_partitioned_filters;  // "1" or empty
  std::string comparator_name;
  std::string merge_operator_name;
  std::string prefix_extractor_name;
  std::string property_collectors_names;
  std::string filter_policy_name;
  std::string compression_name;
  std::string compression_options;

  // Origin.
  uint64_t column_family_id = 0x7fffffff;
  std::string column_family_name;
  std::string db_id;
  std::string db_session_id;
  std::string db_host_id;
  uint64_t orig_file_number = 0;
  uint64_t creation_time = 0;
  uint64_t oldest_key_time = 0;
  uint64_t newest_key_time = 0;
  uint64_t file_creation_time = 0;
  uint64_t slow_compression_estimated_data_size = 0;
  uint64_t fast_compression_estimated_data_size = 0;
  std::string seqno_to_time_mapping;

  // Of all entries, as stored. Absent: the file does not say.
  std::optional<SequenceNumber> key_largest_seqno;
  std::optional<SequenceNumber> key_smallest_seqno;

  // Files made for ingestion.
  std::optional<uint32_t> external_sst_file_version;
  std::optional<uint64_t> external_sst_file_global_seqno;

  // Everything else, by name; values are bytes.
  std::map<std::string, std::string> user_collected_properties;

  // Every property of the file by its stored name, with its stored bytes.
  // Filled in by readers only.
  std::map<std::string, std::string> stored;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_TABLE_PROPERTIES_H_
