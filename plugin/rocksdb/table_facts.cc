#include "table_facts.h"

#include <string>

#include "rocksdb/table.h"
#include "table/sst_file_writer_collectors.h"
#include "util/coding.h"

namespace ashlar_rocksdb {

namespace {

void CopyCounts(const ashlar::TableProperties& ours,
                rocksdb::TableProperties* theirs) {
  theirs->num_data_blocks = ours.num_data_blocks;
  theirs->num_data_blocks_compression_rejected =
      ours.num_data_blocks_compression_rejected;
  theirs->num_data_blocks_compression_bypassed =
      ours.num_data_blocks_compression_bypassed;
  theirs->num_uniform_blocks = ours.num_uniform_blocks;
  theirs->num_entries = ours.num_entries;
  theirs->num_deletions = ours.num_deletions;
  theirs->num_merge_operands = ours.num_merge_operands;
  theirs->num_range_deletions = ours.num_range_deletions;
  theirs->num_filter_entries = ours.num_filter_entries;
  theirs->raw_key_size = ours.raw_key_size;
  theirs->raw_value_size = ours.raw_value_size;
  theirs->data_size = ours.data_size;
  theirs->uncompressed_data_size = ours.uncompressed_data_size;
  theirs->index_size = ours.index_size;
  theirs->index_partitions = ours.index_partitions;
  theirs->top_level_index_size = ours.top_level_index_size;
  theirs->filter_size = ours.filter_size;
  theirs->tail_start_offset = ours.tail_start_offset;
  theirs->slow_compression_estimated_data_size =
      ours.slow_compression_estimated_data_size;
  theirs->fast_compression_estimated_data_size =
      ours.fast_compression_estimated_data_size;
}

void CopyForm(const ashlar::TableProperties& ours,
              rocksdb::TableProperties* theirs) {
  theirs->format_version = ours.format_version;
  theirs->fixed_key_len = ours.fixed_key_len;
  theirs->index_key_is_user_key = ours.index_key_is_user_key;
  theirs->index_value_is_delta_encoded = ours.index_value_is_delta_encoded;
  theirs->data_block_restart_interval = ours.data_block_restart_interval;
  theirs->index_block_restart_interval = ours.index_block_restart_interval;
  theirs->separate_key_value_in_data_block =
      ours.separate_key_value_in_data_block;
  theirs->user_defined_timestamps_persisted =
      ours.user_defined_timestamps_persisted;
  theirs->comparator_name = ours.comparator_name;
  theirs->merge_operator_name = ours.merge_operator_name;
  theirs->prefix_extractor_name = ours.prefix_extractor_name;
  theirs->property_collectors_names = ours.property_collectors_names;
  theirs->filter_policy_name = ours.filter_policy_name;
  theirs->compression_name = ours.compression_name;
  theirs->compression_options = ours.compression_options;
}

void CopyOrigin(const ashlar::TableProperties& ours,
                rocksdb::TableProperties* theirs) {
  theirs->column_family_id = ours.column_family_id;
  theirs->column_family_name = ours.column_family_name;
  theirs->db_id = ours.db_id;
  theirs->db_session_id = ours.db_session_id;
  theirs->db_host_id = ours.db_host_id;
  theirs->orig_file_number = ours.orig_file_number;
  theirs->creation_time = ours.creation_time;
  theirs->oldest_key_time = ours.oldest_key_time;
  theirs->newest_key_time = ours.newest_key_time;
  theirs->file_creation_time = ours.file_creation_time;
  theirs->seqno_to_time_mapping = ours.seqno_to_time_mapping;
  if (ours.key_largest_seqno) {
    theirs->key_largest_seqno = *ours.key_largest_seqno;
  }
  if (ours.key_smallest_seqno) {
    theirs->key_smallest_seqno = *ours.key_smallest_seqno;
  }
}

// RocksDB keeps among the collected ones what Ashlar has fields for.
void CopyCollected(const ashlar::TableProperties& ours,
                   rocksdb::TableProperties* theirs) {
  rocksdb::UserCollectedProperties& to = theirs->user_collected_properties;
  to.insert(ours.user_collected_properties.begin(),
            ours.user_collected_properties.end());
  using rocksdb::BlockBasedTablePropertyNames;
  rocksdb::PutFixed32(&to[BlockBasedTablePropertyNames::kIndexType],
                      ours.index_type);
  const auto copy_text = [&to](const std::string& name,
                               const std::string& text) {
    if (!text.empty()) to[name] = text;
  };
  copy_text(BlockBasedTablePropertyNames::kWholeKeyFiltering,
            ours.whole_key_filtering);
  copy_text(BlockBasedTablePropertyNames::kPrefixFiltering,
            ours.prefix_filtering);
  copy_text(BlockBasedTablePropertyNames::kDecoupledPartitionedFilters,
            ours.decoupled_partitioned_filters);
  using rocksdb::ExternalSstFilePropertyNames;
  if (ours.external_sst_file_version) {
    rocksdb::PutFixed32(&to[ExternalSstFilePropertyNames::kVersion],
                        *ours.external_sst_file_version);
  }
  if (ours.external_sst_file_global_seqno) {
    rocksdb::PutFixed64(&to[ExternalSstFilePropertyNames::kGlobalSeqno],
                        *ours.external_sst_file_global_seqno);
  }
}

}  // namespace

rocksdb::TableProperties PropertiesFrom(const ashlar::TableProperties& ours) {
  rocksdb::TableProperties theirs;
  theirs.external_sst_file_global_seqno_offset =
      ours.external_sst_file_global_seqno_offset;
  CopyCounts(ours, &theirs);
  CopyForm(ours, &theirs);
  CopyOrigin(ours, &theirs);
  CopyCollected(ours, &theirs);
  return theirs;
}

}  // namespace ashlar_rocksdb
