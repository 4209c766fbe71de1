// TableProperties: what a table file says of itself.
//
// A builder fills it in and stores it in the properties block; TableReader and
// InspectTable read it back. Most fields are RocksDB's, under its names;
// FORMAT.md, section 10, has the stored name and the encoding of each. Where a
// file lacks a property, the field keeps the default that is shown here.
//
// A plain struct: thread-safe to read. Readers go by few of these values, and
// check them; the others may be wrong in a file that another program wrote.
#ifndef ASHLAR_TABLE_TABLE_PROPERTIES_H_
#define ASHLAR_TABLE_TABLE_PROPERTIES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/stored_properties.h"

namespace ashlar {

struct TableProperties {
  // Counts.
  uint64_t num_data_blocks = 0;
  // Data blocks stored uncompressed because they would have shrunk too little.
  uint64_t num_data_blocks_compression_rejected = 0;
  // Data blocks of a table that is built without a codec.
  uint64_t num_data_blocks_compression_bypassed = 0;
  // Index blocks marked by TableOptions::uniform_cv_threshold.
  uint64_t num_uniform_blocks = 0;
  uint64_t num_entries = 0;    // range deletions included
  uint64_t num_deletions = 0;  // of all kinds, range deletions included
  uint64_t num_merge_operands = 0;
  uint64_t num_range_deletions = 0;
  uint64_t num_filter_entries = 0;  // keys and prefixes in the filter

  // Sizes, in bytes.
  uint64_t raw_key_size = 0;    // of all internal keys
  uint64_t raw_value_size = 0;  // of all values
  uint64_t data_size = 0;       // of data blocks as stored, trailers included
  // Of data blocks before compression, without trailers. The builder knows it;
  // it is not stored, and so 0 in a table that was read.
  uint64_t uncompressed_data_size = 0;
  // Of all index blocks before compression, and 5 bytes for one block trailer:
  // as RocksDB counts.
  uint64_t index_size = 0;
  uint64_t index_partitions = 0;      // a count; 0 if not partitioned
  uint64_t top_level_index_size = 0;  // before compression; partitioned only
  uint64_t filter_size = 0;           // 0: there is no filter
  uint64_t tail_start_offset = 0;     // offset of the first byte after the data
  uint64_t fixed_key_len = 0;         // bytes; Ashlar's builder writes 0

  // Form of the file. Numbers are those of TableOptions; flags are 0 or 1.
  uint64_t format_version = 0;         // readers go by the footer instead
  uint32_t index_type = 0;             // as IndexType
  uint64_t index_key_is_user_key = 0;  // else it is an internal key
  uint64_t index_value_is_delta_encoded = 0;  // block handles in the index
  uint64_t data_block_restart_interval = 0;   // 0: not known
  uint64_t index_block_restart_interval = 0;  // 0: not known
  uint64_t separate_key_value_in_data_block = 0;
  uint64_t user_defined_timestamps_persisted = 1;
  std::string whole_key_filtering;            // "0" or "1"
  std::string prefix_filtering;               // "0" or "1"
  std::string decoupled_partitioned_filters;  // "1" or empty
  // Names; of merge operator and prefix extractor "nullptr" if there is none.
  std::string comparator_name;
  std::string merge_operator_name;
  std::string prefix_extractor_name;
  std::string property_collectors_names;  // "[A,B]"
  std::string filter_policy_name;         // "bloomfilter", "ribbonfilter"
  std::string compression_name;     // a codec; from version 7 on a list of them
  std::string compression_options;  // text for people

  // Origin: table/entry/table_identity.h. Times are in seconds since 1970, and
  // 0 if they are not known.
  uint64_t column_family_id = 0x7fffffff;  // not known
  std::string column_family_name;
  std::string db_id;
  std::string db_session_id;
  std::string db_host_id;
  uint64_t orig_file_number = 0;  // 0: not known
  uint64_t creation_time = 0;
  uint64_t oldest_key_time = 0;
  uint64_t newest_key_time = 0;
  uint64_t file_creation_time = 0;
  // Bytes of all data blocks with a slow and with a fast codec, estimated while
  // the table was built (TableOptions::sample_for_compression). 0: not
  // estimated.
  uint64_t slow_compression_estimated_data_size = 0;
  uint64_t fast_compression_estimated_data_size = 0;
  std::string seqno_to_time_mapping;  // encoded: FORMAT.md, section 10

  // The largest and the smallest sequence number of all entries, as stored.
  // Absent: the file does not say.
  std::optional<SequenceNumber> key_largest_seqno;
  std::optional<SequenceNumber> key_smallest_seqno;

  // Files made for ingestion only. A global sequence number other than 0 takes
  // the place of those of all entries.
  std::optional<uint32_t> external_sst_file_version;
  std::optional<uint64_t> external_sst_file_global_seqno;
  // Readers only: where in the file the 8 bytes of that number are, which
  // ingestion overwrites in place. 0: the file has none.
  uint64_t external_sst_file_global_seqno_offset = 0;

  // All properties that have no field above, by name; values are bytes.
  std::map<std::string, std::string> user_collected_properties;

  // Every property of the file by its stored name, with its stored bytes.
  // Filled in by readers only, and empty without
  // ReaderOptions::keep_stored_properties.
  StoredProperties stored;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_TABLE_PROPERTIES_H_
