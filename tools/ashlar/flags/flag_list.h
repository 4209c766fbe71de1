// The one table of flags. A row says which commands take the flag, and has its
// text in --help. It is a macro, because gflags defines flags by macros: it
// calls FLAG as
//
//   FLAG(kind, name, default, value, group, commands, help)
//
// `value` is the word for the value in --help. If it has a '|', it is the list
// of allowed values. Flags of kind `own` are handled by flags.cc, and gflags
// does not know them.
#ifndef ASHLAR_TOOLS_ASHLAR_FLAGS_FLAG_LIST_H_
#define ASHLAR_TOOLS_ASHLAR_FLAGS_FLAG_LIST_H_

// clang-format off
#define ASHLAR_FLAG_LIST(FLAG)                                                 \
  FLAG(string, command, "check", "name", kInput, kAll,                         \
           "the command, where the first word is not one")                     \
  FLAG(own, file, "", "path", kInput, kAll,                                    \
           "an input, like those without a flag; may be repeated")             \
  FLAG(string, comparator, "", "name", kInput,                                 \
           kCheck | kScan | kGet | kMake | kDiff | kOverlap,                   \
           "order of the keys, where the file does not name one: "             \
           "leveldb.BytewiseComparator or rocksdb.ReverseBytewiseComparator, " \
           "either with .u64ts behind. Files that name any other are scanned " \
           "and verified as they are stored, with a warning; get, --from, "    \
           "--to and --prefix refuse them")                                    \
  FLAG(bool, recursive, false, "", kInput, kEachFile,                          \
           "look for tables in the folders of a folder too")                   \
  FLAG(uint64, readahead_size, 2097152, "bytes", kInput, kReading,             \
           "read this much at once when walking through a file")               \
  FLAG(uint64, max_uncompressed_block, 1073741824, "bytes", kInput,            \
           kReading, "refuse blocks that claim to be larger")                  \
  FLAG(string, require_property_regex, "", "regex", kInput, kChoosing,         \
           "skip files whose properties text does not match")                  \
  FLAG(string, exclude_property_regex, "", "regex", kInput, kChoosing,         \
           "skip files whose properties text matches")                         \
  FLAG(string, env_uri, "", "uri", kInput, kAll,                               \
           "only file:// is supported")                                        \
  FLAG(string, fs_uri, "", "uri", kInput, kAll,                                \
           "only file:// is supported")                                        \
  FLAG(string, from, "", "key", kRange, kRangeOfKeys,                          \
           "first user key, inclusive")                                        \
  FLAG(string, to, "", "key", kRange, kRangeOfKeys,                            \
           "user key to stop at, exclusive")                                   \
  FLAG(string, prefix, "", "key", kRange, kRangeOfKeys,                        \
           "only keys that begin so; not together with --from")                \
  FLAG(uint64, read_num, 0, "n", kRange, kCheck | kScan,                       \
           "stop after n entries, over all inputs together; 0: no limit")      \
  FLAG(own, key, "", "key", kRange, kGet,                                      \
           "a key to look up; may be repeated")                                \
  FLAG(string, keys_file, "", "path", kRange, kGet,                            \
           "look up each line of this file")                                   \
  FLAG(bool, input_key_hex, false, "", kRange, kRangeOfKeys,                   \
           "--from, --to, --prefix, --key and --keys_file are hexadecimal")    \
  FLAG(bool, output_hex, false, "", kOutput,                                   \
           kScan | kGet | kRaw | kSalvage | kDiff | kOverlap | kSpace,         \
           "keys and values as upper-case hexadecimal; raw: nothing else")     \
  FLAG(bool, show_sequence_number_type, false, "", kOutput, kRaw,              \
           "sequence number and type behind each key")                         \
  FLAG(string, output_format, "text", "text|canonical|jsonl", kOutput,         \
           kScan, "canonical: rows that 'build --input_format=hex' reads")     \
  FLAG(bool, json, false, "", kOutput, kAll,                                   \
           "one JSON document on standard output")                             \
  FLAG(bool, jsonl, false, "", kOutput, kReading,                              \
           "one JSON object a line; for scans of large files")                 \
  FLAG(bool, text, false, "", kOutput, kScan,                                  \
           "JSON: key_text and value_text besides, where bytes are UTF-8")     \
  FLAG(bool, decode_blob_index, false, "", kOutput, kScan,                     \
           "show references into blob files decoded")                          \
  FLAG(string, escape, "auto", "auto|always|never", kOutput,                   \
           kReading,                                                           \
           "bytes outside printable ASCII as \\xHH; auto: on a terminal")      \
  FLAG(string, color, "auto", "auto|always|never", kOutput, kAll,              \
           "mark faults, warnings and hints in text; auto: on a terminal, "    \
           "unless NO_COLOR is set. Never in JSON")                            \
  FLAG(bool, show_properties, false, "", kOutput, kEachFile,                   \
           "print the table properties after the command's own output")        \
  FLAG(bool, list_meta_blocks, false, "", kOutput, kEachFile,                  \
           "print name, offset and size of each meta block")                   \
  FLAG(bool, show_summary, false, "", kOutput, kEachFile,                      \
           "print totals over all files at the end")                           \
  FLAG(bool, quiet, false, "", kOutput, kAll,                                  \
           "no headings, no hints and no lines that RocksDB's tool does not "  \
           "print")                                                            \
  FLAG(uint64, max_errors, 20, "n", kOutput, kReading,                         \
           "fault lines a file, then only their number; 0: all")               \
  FLAG(uint64, filter_probes, 100000, "n", kOutput, kStats | kReport,          \
           "absent keys that the filter is asked for")                         \
  FLAG(uint64, sample, 2048, "n", kOutput, kReport | kRecompress,              \
           "data blocks to work on, spread over the file; 0: all, as "         \
           "recompress does where this is not given")                          \
  FLAG(string, prefix_separator, "", "text", kOutput, kStats | kSpace,         \
           "prefixes are what stands before it first, or whole keys")          \
  FLAG(uint32, prefix_length, 0, "bytes", kOutput, kStats | kSpace,            \
           "prefixes are so long, or whole keys")                              \
  FLAG(uint64, ranges, 16, "n", kOutput, kSpace,                               \
           "ranges of keys to cut into; 0: one a data block")                  \
  FLAG(uint64, top, 20, "n", kOutput, kOverlap | kSpace,                       \
           "pairs or prefixes to show; 0: all")                                \
  FLAG(bool, range_dels, true, "", kOutput, kScan,                             \
           "print range deletions behind the points")                          \
  FLAG(uint32, threads, 0, "n", kOutput,                                       \
           kCheck | kScan | kVerify | kRecompress | kReport,                   \
           "threads to work with, 0: one for each core. scan uses one; check " \
           "does where it has a range or --read_num")                          \
  FLAG(string, progress, "auto", "auto|always|never", kOutput,                 \
           kCheck | kScan | kVerify | kLayout | kGet | kRecompress | kRaw |    \
               kRewrite | kSalvage | kStats | kReport | kSpace,                \
           "on standard error; auto: on a terminal, files above 64 MiB")       \
  FLAG(bool, verify_checksum, true, "", kVerification,                         \
           kCheck | kScan | kDiff | kOverlap,                                  \
           "compare each block with its checksum; RocksDB's tool does so "     \
           "only when asked")                                                  \
  FLAG(string, compression_types, "", "list", kRecompression, kRecompress,     \
           "codecs to try, with commas between; default: all built in")        \
  FLAG(int32, compression_level_from, 0, "n", kRecompression, kRecompress,     \
           "first of the levels to try; goes with --compression_level_to")     \
  FLAG(int32, compression_level_to, 0, "n", kRecompression, kRecompress,       \
           "last of them")                                                     \
  FLAG(string, tmpdir, "", "folder", kRecompression,                           \
           kRecompress | kBuild,                                               \
           "for scratch files; default: $TMPDIR, or /tmp")                     \
  FLAG(bool, checksums_only, false, "", kVerification, kVerify,                \
           "checksums and positions only; nothing is decompressed")            \
  FLAG(string, filter_keys, "all", "first|all", kVerification, kVerify,        \
           "which keys the filter must know: all, or the first 8 of each "     \
           "data block, which is quicker; the verdict then says what was not " \
           "looked at")                                                        \
  FLAG(bool, strict, true, "", kVerification, kAll,                            \
           "with --nostrict exit 0 if any input opened as a table, else 1")    \
  FLAG(bool, strict_flags, false, "", kVerification, kAll,                     \
           "a flag that the command does not use is an error")                 \
  FLAG(string, out, "", "path", kNewFiles, kMake | kRaw | kReport,             \
           "the file to make; it appears only when it is whole. raw, report: " \
           "- is standard output")                                             \
  FLAG(bool, overwrite, false, "", kNewFiles, kMake | kRaw | kReport,          \
           "replace an existing file")                                         \
  FLAG(bool, clean, false, "", kNewFiles, kMake | kRaw | kReport,              \
           "first remove what earlier runs over the same output left when "    \
           "they were killed, and name it; without it, only name it")          \
  FLAG(uint64, target_file_size, 0, "bytes", kNewFiles, kBuild | kRewrite,     \
           "begin a new file when one is so large, between two user keys: "    \
           "<out without .sst>-000001.sst and so on, which share no keys, and "\
           "<out without .sst>-manifest.json, which lists them; 0: one file")  \
  FLAG(string, input_format, "tsv", "tsv|csv|hex|jsonl", kNewFiles,            \
           kBuild, "what a row looks like; see 'ashlar help build'")           \
  FLAG(string, key_column, "", "name", kNewFiles, kBuild,                      \
           "csv with a header line: the column of the keys")                   \
  FLAG(string, value_column, "", "name", kNewFiles, kBuild,                    \
           "csv with a header line: the column of the values")                 \
  FLAG(bool, external, false, "", kNewFiles, kBuild,                           \
           "hex: make a file that IngestExternalFile takes; all sequence "     \
           "numbers must be 0")                                                \
  FLAG(bool, sorted, true, "", kNewFiles, kBuild,                              \
           "rows come in key order; with --nosorted they are sorted, in "      \
           "--memory and beyond it in --tmpdir")                               \
  FLAG(uint64, memory, 536870912, "bytes", kNewFiles, kBuild,                  \
           "for --nosorted; filter and index of the file come besides")        \
  FLAG(string, on_duplicate, "error", "error|first|last", kNewFiles,           \
           kBuild, "what happens to a key that comes again")                   \
  FLAG(string, compression_type, "zstd", "name", kNewFiles, kMake,             \
           "none, snappy, zlib, bzip2, lz4, lz4hc or zstd, as far as "         \
           "built in; RocksDB's names too")                                    \
  FLAG(int32, compression_level, 32767, "n", kNewFiles, kPack,                 \
           "in the codec's own scale; 32767: its default")                     \
  FLAG(uint32, compression_max_dict_bytes, 0, "bytes", kNewFiles, kPack,       \
           "of a dictionary that blocks are compressed with; made of the "     \
           "file's own rows, for which blocks are held in memory")             \
  FLAG(uint32, compression_zstd_max_train_bytes, 0, "bytes", kNewFiles,        \
           kPack,                                                              \
           "of samples that zstd's dictionary is trained with; 0: they are "   \
           "the dictionary")                                                   \
  FLAG(uint64, compression_max_dict_buffer_bytes, 0, "bytes", kNewFiles,       \
           kPack,                                                              \
           "of blocks held at most for the dictionary; 0: the whole file")     \
  FLAG(bool, compression_use_zstd_finalize_dict, false, "", kNewFiles, kPack,  \
           "zstd: make the dictionary of the samples as they are")             \
  FLAG(int32, compression_window_bits, -14, "n", kNewFiles, kPack,             \
           "zlib: -9 to -14; a larger window packs better")                    \
  FLAG(int32, compression_strategy, 0, "n", kNewFiles, kPack,                  \
           "zlib: its strategy by number, 0 to 4")                             \
  FLAG(int32, compression_max_compressed_bytes_per_kb, 896, "n", kNewFiles,    \
           kPack, "blocks that do not get so small are stored as they are")    \
  FLAG(bool, compression_checksum, false, "", kNewFiles, kPack,                \
           "zstd: a checksum in each frame")                                   \
  FLAG(bool, verify_compression, false, "", kNewFiles, kPack,                  \
           "decompress each compressed block and compare it with the original "\
           "before it is written; recompress: also compare what is read back " \
           "with the input")                                                   \
  FLAG(uint64, block_size, 4096, "bytes", kNewFiles, kPack,                    \
           "of a data block before compression (also --set_block_size); "      \
           "recompress: 16384; rewrite: that of the input")                    \
  FLAG(int32, block_restart_interval, 16, "n", kNewFiles, kPack,               \
           "entries between whole keys in a data block")                       \
  FLAG(int32, block_size_deviation, 10, "percent", kNewFiles, kPack,           \
           "a block so close to --block_size is closed early")                 \
  FLAG(bool, use_delta_encoding, true, "", kNewFiles, kPack,                   \
           "keys leave out what they share with the one before")               \
  FLAG(string, data_block_index_type, "binary", "binary|hash", kNewFiles,      \
           kPack,                                                              \
           "hash: data blocks tell point lookups where to look")               \
  FLAG(double, data_block_hash_table_util_ratio, 0.75, "n", kNewFiles, kPack,  \
           "entries to buckets of that hash table")                            \
  FLAG(bool, separate_key_value_in_data_block, false, "", kNewFiles, kPack,    \
           "all values behind all keys; RocksDB 11.0 or later reads it")       \
  FLAG(bool, block_align, false, "", kNewFiles, kPack,                         \
           "data blocks begin at multiples of 4096, or of a smaller "          \
           "--block_size; goes with --compression_type=none")                  \
  FLAG(uint64, super_block_alignment_size, 0, "bytes", kNewFiles, kPack,       \
           "no data block lies across a multiple of this, a power of two; 0: " \
           "off")                                                              \
  FLAG(uint64, super_block_alignment_space_overhead_ratio, 128, "n", kNewFiles,\
           kPack,                                                              \
           "up to 1/n of it is left empty for that; 0: nothing")               \
  FLAG(uint32, format_version, 6, "n", kNewFiles, kPack,                       \
           "2 to 7; older RocksDB needs older versions; rewrite: that of the " \
           "input")                                                            \
  FLAG(string, target_rocksdb, "", "maj.min", kNewFiles, kPack,                \
           "newest format and checksum that this RocksDB reads")               \
  FLAG(string, filter, "bloom", "none|bloom|ribbon", kNewFiles, kMake,         \
           "kind of filter")                                                   \
  FLAG(bool, ribbon, false, "", kNewFiles, kMake,                              \
           "--filter=ribbon: a third smaller, slower to build")                \
  FLAG(double, bloom_bits, 10, "n", kNewFiles, kMake,                          \
           "filter bits a key; ribbon: of a Bloom filter that is as good")     \
  FLAG(bool, optimize_filters_for_memory, false, "", kNewFiles, kMake,         \
           "filters of sizes that allocators hand out")                        \
  FLAG(bool, detect_filter_construct_corruption, false, "", kNewFiles, kMake,  \
           "ask the filter that was made about every key before it is written")\
  FLAG(bool, whole_key_filtering, true, "", kNewFiles, kMake,                  \
           "the filter holds whole keys")                                      \
  FLAG(string, prefix_extractor, "", "name", kNewFiles, kPack,                 \
           "the filter holds prefixes: rocksdb.FixedPrefix.<n>, "              \
           "rocksdb.CappedPrefix.<n> or rocksdb.Noop")                         \
  FLAG(string, checksum_type, "kXXH3", "name", kNewFiles, kPack,               \
           "kNoChecksum, kCRC32c, kxxHash, kxxHash64, kXXH3, or 0 to 4")       \
  FLAG(bool, enable_index_compression, true, "", kNewFiles, kPack,             \
           "compress the index block too")                                     \
  FLAG(string, index_type, "binary", "binary|hash|partitioned|first_key",      \
           kNewFiles, kPack,                                                   \
           "kind of index; hash goes with --prefix_extractor")                 \
  FLAG(bool, partition_filters, false, "", kNewFiles, kMake,                   \
           "cut the filter too; goes with --index_type=partitioned")           \
  FLAG(bool, partition_index, false, "", kNewFiles, kPack,                     \
           "--index_type=partitioned: cut it into parts")                      \
  FLAG(int32, index_block_restart_interval, 1, "n", kNewFiles, kPack,          \
           "entries between whole keys in an index block")                     \
  FLAG(string, index_shortening, "separators",                                 \
           "none|separators|successor", kNewFiles, kPack,                      \
           "index keys are cut to what tells two blocks apart; successor: "    \
           "the last one too")                                                 \
  FLAG(uint64, metadata_block_size, 4096, "bytes", kNewFiles, kPack,           \
           "of a part of a partitioned index or filter")                       \
  FLAG(bool, decouple_partitioned_filters, true, "", kNewFiles, kMake,         \
           "--partition_filters: cut by their own size, not with the index")   \
  FLAG(uint32, compression_parallel_threads, 0, "n", kNewFiles, kPack,         \
           "1 is serial, n adds n workers, 31 at most, 0: one for each core "  \
           "but one")                                                          \
  FLAG(string, compression_manager, "", "name", kNewFiles, kPack,              \
           "only BuiltinV2 is supported")                                      \
  FLAG(string, identity, "", "hex", kNewFiles, kMake,                          \
           "fixes who the file is, so that equal input and options give "      \
           "equal bytes; the time is then 0 unless it is given, and files of " \
           "--target_file_size are built by one thread")                       \
  FLAG(uint64, creation_time, 0, "seconds", kNewFiles, kMake,                  \
           "since 1970, for the properties; default: SOURCE_DATE_EPOCH, or "   \
           "now")                                                              \
  FLAG(own, help, "", "", kOther, kAll,                                        \
           "this text; --help=<command>: that of one command; --help=man: "    \
           "the manual page; --help=bash, zsh or fish: completions")           \
  FLAG(own, version, "", "", kOther, kAll,                                     \
           "version, compiler, codecs, format versions; with --json as JSON")  \
  FLAG(string, parse_internal_key, "", "hex", kOther, kAll,                    \
           "decode one internal key and exit")
// clang-format on

#endif  // ASHLAR_TOOLS_ASHLAR_FLAGS_FLAG_LIST_H_
