"""The configurations in which rocksdb_stress runs RocksDB's db_stress.

A flag of db_stress has one value, or a list of values. From a list, each run
takes one by chance. What decides which answers are right (keys, values, kinds
of entries) must not differ between the runs of a configuration, because each
run checks what the runs before it wrote.
"""

KiB = 1024
MiB = 1024 * KiB

# Small tables and buffers, so that minutes have many flushes and compactions.
# Faults can be injected in a debug build only. With another compression manager
# the blocks are not what the table options say, so Ashlar leaves the building
# of every table to RocksDB.
COMMON = {
    "acquire_snapshot_one_in": 1000,
    "allow_concurrent_memtable_write": 1,
    "block_size": [1 * KiB, 4 * KiB, 16 * KiB],
    "bloom_bits": [0, 5, 10],
    "cache_index_and_filter_blocks": [0, 1],
    "cache_size": [8 * MiB, 32 * MiB],
    "cache_type": ["lru_cache", "auto_hyper_clock_cache"],
    "checkpoint_one_in": 20000,
    "checksum_type": ["kNoChecksum", "kCRC32c", "kxxHash", "kxxHash64",
                      "kXXH3"],
    "clear_column_family_one_in": 0,
    "column_families": 3,
    "compact_files_one_in": 5000,
    "compact_range_one_in": 5000,
    "compression_manager": "none",
    "compression_type": ["none", "snappy", "lz4", "zstd"],
    "continuous_verification_interval": 0,
    "data_block_index_type": [0, 1],
    "delpercent": 4,
    "delrangepercent": 1,
    "fill_cache": [0, 1],
    "flush_one_in": 2000,
    "format_version": [2, 3, 4, 5, 6, 7],
    "index_block_restart_interval": [1, 4, 16],
    "index_shortening": [0, 1, 2],
    "index_type": [0, 3],
    "ingest_external_file_one_in": 2000,
    "iterpercent": 15,
    "key_may_exist_one_in": 100,
    "max_background_compactions": 2,
    "max_bytes_for_level_base": 4 * MiB,
    "max_key": 100000,
    "metadata_read_fault_one_in": 0,
    "metadata_write_fault_one_in": 0,
    "nooverwritepercent": 1,
    "open_files": [-1, 100],
    "optimize_filters_for_memory": [0, 1],
    "paranoid_file_checks": [0, 1],
    "prefix_size": 5,
    "prefixpercent": 5,
    "prepopulate_block_cache": [0, 1],
    "progress_reports": 0,
    "read_fault_one_in": 0,
    "readpercent": 40,
    "remote_compaction_worker_threads": 0,
    "reopen": 2,
    "snapshot_hold_ops": 10000,
    "subcompactions": [1, 2],
    "target_file_size_base": 512 * KiB,
    "use_multiget": [0, 1],
    "value_size_mult": 32,
    "verify_checksum": 1,
    "verify_checksum_one_in": 20000,
    "verify_db_one_in": 50000,
    "verify_iterator_with_expected_state_one_in": 10,
    "verify_sst_unique_id_in_manifest": 1,
    "write_buffer_size": 1 * MiB,
    "writepercent": 35,
    # Time to live and periodic compactions need all files open.
    "compaction_ttl": 0,
    "periodic_compaction_seconds": 0,
}

# What db_stress cannot do beside transactions.
TRANSACTIONS = {
    "checkpoint_one_in": 0,
    "delpercent": 5,
    "delrangepercent": 0,
    "enable_pipelined_write": 0,
    "ingest_external_file_one_in": 0,
    "use_txn": 1,
    "two_write_queues": [0, 1],
}

CONFIGURATIONS = {
    "plain": {},
    "timestamps": {
        "ingest_external_file_one_in": 0,
        "user_timestamp_size": 8,
    },
    "write_prepared": {**TRANSACTIONS, "txn_write_policy": 1},
    "write_unprepared": {**TRANSACTIONS, "txn_write_policy": 2},
    "partitioned": {
        "decouple_partitioned_filters": [0, 1],
        "index_type": 2,
        "partition_filters": 1,
        "partition_pinning": [0, 1, 2, 3],
        "top_level_index_pinning": [0, 1, 2, 3],
    },
    "mmap": {"mmap_read": 1},
    "direct": {
        "async_io": 1,
        "auto_readahead_size": [0, 1],
        "initial_auto_readahead_size": [0, 16 * KiB, 512 * KiB],
        "max_auto_readahead_size": [0, 16 * KiB, 512 * KiB],
        "num_file_reads_for_auto_readahead": [0, 1, 2],
        "readahead_size": [0, 16 * KiB],
        "use_direct_io_for_compaction_reads": 1,
        "use_direct_io_for_flush_and_compaction": 1,
        "use_direct_reads": 1,
    },
    "compressions": {
        "bottommost_compression_type": ["disable", "zstd", "zlib"],
        "compression_max_dict_bytes": [0, 16 * KiB],
        "compression_parallel_threads": [1, 2, 4],
        "compression_type": ["none", "snappy", "zlib", "bzip2", "lz4", "lz4hc",
                             "zstd"],
        "compression_zstd_max_train_bytes": [0, 64 * KiB],
        "enable_index_compression": [0, 1],
        "verify_compression": [0, 1],
    },
    "blobs": {
        "blob_compression_type": ["none", "lz4", "zstd"],
        "blob_file_size": 1 * MiB,
        "blob_garbage_collection_age_cutoff": [0.25, 0.5, 1.0],
        "enable_blob_files": 1,
        "enable_blob_garbage_collection": 1,
        "min_blob_size": 16,
        "use_blob_cache": [0, 1],
    },
    "merges": {
        "delpercent": 5,
        "delrangepercent": 5,
        "range_deletion_width": 100,
        "readpercent": 35,
        "use_full_merge_v1": [0, 1],
        "use_merge": 1,
    },
    "ribbon": {
        "bloom_before_level": [-1, 0, 1],
        "bloom_bits": 10,
        "optimize_filters_for_hits": [0, 1],
    },
    # No iterators: SeekForPrev fails in RocksDB itself with a hash index, and
    # with a memtable of prefixes. A scan of a prefix reads everything, since all
    # keys share 5 bytes.
    "hash_index": {
        "data_block_index_type": 1,
        "index_type": 1,
        "iterpercent": 0,
        "memtablerep": ["skip_list", "prefix_hash"],
        "allow_concurrent_memtable_write": 0,
        "prefixpercent": 2,
        "readpercent": 58,
    },
    "snapshots": {
        "acquire_snapshot_one_in": 20,
        "compact_range_one_in": 1000,
        "long_running_snapshots": 1,
        "snapshot_hold_ops": 50000,
    },
    "entities": {
        "use_attribute_group": [0, 1],
        "use_get_entity": [0, 1],
        "use_multi_cf_iterator": [0, 1],
        "use_multi_get_entity": [0, 1],
        "use_put_entity_one_in": 5,
    },
}


def flags_of(name, random):
    """The flags of a run, with values by chance where there is a list."""
    flags = {**COMMON, **CONFIGURATIONS[name]}
    flags = {flag: random.choice(value) if isinstance(value, list) else value
             for flag, value in flags.items()}
    if not flags.get("compression_max_dict_bytes"):
        # RocksDB refuses to train a dictionary of no size.
        flags["compression_zstd_max_train_bytes"] = 0
    return flags
