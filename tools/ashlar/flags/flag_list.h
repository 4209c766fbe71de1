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
           "the command, if the first word is not one")                        \
  FLAG(own, file, "", "path", kInput, kAll,                                    \
           "an input, like the words without a flag; may be repeated")         \
  FLAG(string, comparator, "", "name", kInput, kCheck | kScan | kGet | kMake | \
           kDiff | kOverlap | kRecompress | kStats | kReport | kSpace,         \
           "order of the keys if the file does not name one: "                 \
           "leveldb.BytewiseComparator or "                                    \
           "rocksdb.ReverseBytewiseComparator, also with .u64ts after it. "    \
           "Files that name any other comparator are scanned and verified "    \
           "in their stored order, with a warning; get, --from, --to and "     \
           "--prefix refuse them")                                             \
  FLAG(bool, recursive, false, "", kInput, kEachFile | kCompact,               \
           "also look for tables in the folders of a folder")                  \
  FLAG(uint64, readahead_size, 2097152, "bytes", kInput, kReading,             \
           "read this much at once when reading a file from end to end")       \
  FLAG(uint64, max_uncompressed_block, 1073741824, "bytes", kInput, kReading,  \
           "refuse blocks that declare a larger size")                         \
  FLAG(string, require_property_regex, "", "regex", kInput, kChoosing,         \
           "skip files whose properties text does not match")                  \
  FLAG(string, exclude_property_regex, "", "regex", kInput, kChoosing,         \
           "skip files whose properties text matches")                         \
  FLAG(string, env_uri, "", "uri", kInput, kAll,                               \
           "for scripts written for RocksDB's sst_dump; the value must be "    \
           "empty or file://")                                                 \
  FLAG(string, fs_uri, "", "uri", kInput, kAll,                                \
           "the same as --env_uri")                                            \
  FLAG(string, from, "", "key", kRange, kEndsOfRange,                          \
           "begin of the range of user keys, inclusive")                       \
  FLAG(string, to, "", "key", kRange, kEndsOfRange,                            \
           "end of the range of user keys, exclusive")                         \
  FLAG(string, prefix, "", "key", kRange, kRangeOfKeys,                        \
           "only keys that begin with this; cannot be used with --from")       \
  FLAG(uint64, read_num, 0, "n", kRange, kCheck | kScan,                       \
           "stop after n entries, over all inputs together; 0: no limit")      \
  FLAG(uint64, limit, 0, "n", kRange, kCheck | kScan | kGet,                   \
           "same as --read_num; also -n. get: stop after n keys")              \
  FLAG(own, key, "", "key", kRange, kGet,                                      \
           "a key to look up; may be repeated")                                \
  FLAG(string, keys_file, "", "path", kRange, kGet,                            \
           "look up each line of this file")                                   \
  FLAG(uint64, snapshot, 72057594037927935, "n", kRange, kGet | kScan | kDiff, \
           "see what a reader at this sequence number sees")                   \
  FLAG(bool, each_table, false, "", kInput, kOfDatabases,                      \
           "take the tables in the folder of a database one by one")           \
  FLAG(bool, one_database, false, "", kInput, kSpace | kStats | kReport,       \
           "take a folder of tables without a CURRENT as one database, as "    \
           "get, scan and diff do")                                            \
  FLAG(string, cf, "default", "name", kInput, kOfDatabases | kMake,            \
           "the column family of a database; with --options_from, that of "    \
           "the file")                                                         \
  FLAG(string, db_paths, "", "list", kInput, kOfDatabases,                     \
           "the folders of a database with several, as its db_paths or "       \
           "cf_paths had them, separated by commas")                           \
  FLAG(bool, input_key_hex, false, "", kRange, kEndsOfRange,                   \
           "--from, --to, --prefix, --key and --keys_file are hexadecimal. "   \
           "Without it, \\t, \\n, \\r, \\\\ and \\xHH stand for bytes in them")\
  FLAG(bool, hex, false, "", kRange, kRangeOfKeys | kCompact | kRaw |          \
           kSalvage | kDiff | kOverlap,                                        \
           "same as --input_key_hex --output_hex")                             \
  FLAG(bool, output_hex, false, "", kOutput, kScan | kGet | kRaw | kSalvage |  \
           kDiff | kOverlap | kSpace,                                          \
           "in text, print keys and values as upper-case hexadecimal; raw: "   \
           "leave out the ASCII lines")                                        \
  FLAG(bool, show_sequence_number_type, false, "", kOutput, kRaw,              \
           "print sequence number and type after each key")                    \
  FLAG(string, output_format, "text",                                          \
           "text|canonical|jsonl|tsv|csv|keys|count", kOutput, kScan,          \
           "canonical: rows that 'build --input_format=hex' reads. tsv, csv: " \
           "keys and values, which 'build' reads, csv with --header. keys: "   \
           "each key once, as --keys_file reads it. count: the number of "     \
           "entries of each file")                                             \
  FLAG(bool, json, false, "", kOutput, kAll,                                   \
           "print one JSON document on standard output")                       \
  FLAG(bool, jsonl, false, "", kOutput, kReading | kCacheSim,                  \
           "print one JSON object per line; for scans of large files")         \
  FLAG(bool, text, false, "", kOutput, kScan,                                  \
           "JSON: also print key_text and value_text if the bytes are UTF-8")  \
  FLAG(bool, decode_blob_index, false, "", kOutput, kScan,                     \
           "in text, print a blob index as what it refers to: blob file, "     \
           "offset, size and codec. If it holds the value itself, print "      \
           "the value")                                                        \
  FLAG(string, escape, "auto", "auto|always|never", kOutput, kReading,         \
           "print bytes outside printable ASCII as \\xHH, and a backslash "    \
           "as \\\\; auto: on a terminal. Keys in layout, space, overlap and " \
           "stats always are")                                                 \
  FLAG(string, color, "auto", "auto|always|never", kOutput, kAll,              \
           "color faults, warnings and hints in text, never in JSON; auto: "   \
           "on a terminal, unless NO_COLOR is set")                            \
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
           "fault lines per file; further faults are only counted; 0: no "     \
           "limit")                                                            \
  FLAG(uint64, filter_probes, 100000, "n", kOutput, kStats | kReport,          \
           "number of absent keys to ask the filter about")                    \
  FLAG(uint64, sample, 2048, "n", kOutput, kReport | kRecompress,              \
           "data blocks to work on, spread over the file; 0: all, which is "   \
           "the default of recompress")                                        \
  FLAG(string, prefix_separator, "", "text", kOutput, kStats | kSpace,         \
           "the prefix of a key ends before this text; a key without it is "   \
           "its own prefix")                                                   \
  FLAG(uint32, prefix_length, 0, "bytes", kOutput, kStats | kSpace,            \
           "length of prefixes; a shorter key is its own prefix")              \
  FLAG(uint64, ranges, 16, "n", kOutput, kSpace,                               \
           "number of key ranges; 0: one per data block")                      \
  FLAG(uint64, top, 20, "n", kOutput, kOverlap | kSpace,                       \
           "pairs or prefixes to show; 0: all")                                \
  FLAG(bool, data_only, false, "", kOutput, kDiff,                             \
           "compare entries and range deletions, and no properties")           \
  FLAG(bool, range_dels, true, "", kOutput, kScan,                             \
           "print range deletions after the points")                           \
  FLAG(uint32, threads, 0, "n", kOutput, kCheck | kScan | kVerify |            \
           kRecompress | kReport | kCompact | kBuild,                          \
           "number of threads; 0: one per core. scan uses one thread, and "    \
           "so does check with a range or --read_num. compact: threads "       \
           "that read ahead and run --max_subcompactions. build: threads "     \
           "that parse rows (not with --merge_inputs) and sort them")          \
  FLAG(string, progress, "auto", "auto|always|never", kOutput, kCheck |        \
           kScan | kVerify | kLayout | kGet | kRecompress | kRaw | kRewrite |  \
           kSalvage | kStats | kReport | kSpace | kCompact | kBuild | kDiff |  \
           kCacheSim,                                                          \
           "show progress on standard error; auto: on a terminal, for files "  \
           "above 64 MiB")                                                     \
  FLAG(bool, verify_checksum, true, "", kVerification, kCheck | kScan | kGet | \
           kDiff | kOverlap | kCompact,                                        \
           "compare each block with its checksum (RocksDB's tool does so "     \
           "only on request)")                                                 \
  FLAG(string, compression_types, "", "list", kRecompression, kRecompress,     \
           "codecs to try, separated by commas; default: all that are built "  \
           "in")                                                               \
  FLAG(int32, compression_level_from, 0, "n", kRecompression, kRecompress,     \
           "first level to try; needs --compression_level_to")                 \
  FLAG(int32, compression_level_to, 0, "n", kRecompression, kRecompress,       \
           "last level to try")                                                \
  FLAG(string, tmpdir, "", "folder", kRecompression, kRecompress | kBuild,     \
           "folder for scratch files; default: $TMPDIR, or /tmp")              \
  FLAG(string, snapshots, "", "list", kCompaction, kCompact,                   \
           "sequence numbers of live snapshots, separated by commas, the "     \
           "oldest first: the versions that they see are kept")                \
  FLAG(uint64, earliest_write_conflict_snapshot, 0, "n", kCompaction,          \
           kCompact,                                                           \
           "the earliest of --snapshots that a transaction uses to find "      \
           "write conflicts; 0: none does")                                    \
  FLAG(bool, bottommost, false, "", kCompaction, kCompact,                     \
           "no other table has older data of these keys: deletions go, and "   \
           "sequence numbers that all snapshots see become 0")                 \
  FLAG(own, deeper, "", "list", kCompaction, kCompact,                         \
           "the tables, separated by commas, of a level below the outputs, "   \
           "which take no part: deletions go where no such table has the key, "\
           "and outputs end where tables of the first such level do. May be "  \
           "repeated, once for each level, the next one first. Instead of "    \
           "--bottommost")                                                     \
  FLAG(bool, allow_ingest_behind, false, "", kCompaction, kCompact,            \
           "tables may later be ingested beneath all others: deletions and "   \
           "sequence numbers stay")                                            \
  FLAG(uint64, preserve_seqno_after, 72057594037927935, "n", kCompaction,      \
           kCompact,                                                           \
           "with --bottommost, larger sequence numbers than this stay")        \
  FLAG(uint64, full_history_ts_low, 0, "n", kCompaction, kCompact,             \
           "keys with timestamps: the history below this timestamp is not "    \
           "needed; 0: all is")                                                \
  FLAG(bool, enforce_single_del_contracts, true, "", kCompaction, kCompact,    \
           "a single deletion above a deletion of the same key is an error")   \
  FLAG(string, merge_operator, "", "name", kCompaction, kMerge,                \
           "what joins merge operands: uint64add, stringappend, max or put, "  \
           "or their long names, such as UInt64AddOperator")                   \
  FLAG(string, merge_delimiter, ",", "text", kCompaction, kMerge,              \
           "what --merge_operator=stringappend writes between two strings")    \
  FLAG(bool, target_file_size_is_upper_bound, false, "", kCompaction,          \
           kCompact,                                                           \
           "the blocks after the data count as part of --target_file_size, "   \
           "too")                                                              \
  FLAG(uint32, max_subcompactions, 1, "n", kCompaction, kCompact,              \
           "with --target_file_size, compact up to so many ranges of keys "    \
           "side by side; tables end where a range ends")                      \
  FLAG(uint64, rate_limit, 0, "bytes", kCompaction, kCompact,                  \
           "read no more than this from the inputs each second; blocks are "   \
           "then not read ahead by other threads; 0: no limit")                \
  FLAG(uint64, max_compaction_bytes, 0, "bytes", kCompaction, kCompact,        \
           "with --target_file_size and --deeper, end an output before it and "\
           "the tables below it have more than this; 0: 25 times the target")  \
  FLAG(uint64, write_rate_limit, 0, "bytes", kCompaction, kCompact,            \
           "write no more than this to the outputs each second; 0: no limit")  \
  FLAG(uint64, bytes_per_sync, 0, "bytes", kCompaction, kCompact,              \
           "let the disk begin to write whenever an output has this many new " \
           "bytes; 0: off")                                                    \
  FLAG(bool, strict_bytes_per_sync, false, "", kCompaction, kCompact,          \
           "with --bytes_per_sync, wait then for the bytes before")            \
  FLAG(bool, use_direct_writes, false, "", kCompaction, kCompact,              \
           "write outputs past the page cache (O_DIRECT)")                     \
  FLAG(bool, use_fsync, false, "", kCompaction, kCompact,                      \
           "sync outputs by fsync, not by fdatasync")                          \
  FLAG(string, sizes, "64M,256M,1G,4G", "list", kSimulation, kCacheSim,        \
           "sizes of the caches in bytes, such as 512M, separated by commas")  \
  FLAG(string, caches, "clock,lru", "list", kSimulation, kCacheSim,            \
           "the caches, separated by commas: clock, clock_admission, lru, "    \
           "lru_pools. Tables by caller, kind and level are those of the "     \
           "first")                                                            \
  FLAG(uint32, sampling_frequency, 0, "n", kSimulation, kCacheSim,             \
           "the trace has one block in n, as RocksDB's option of this name "   \
           "says; 0: what the trace says, or else all blocks")                 \
  FLAG(uint64, unknown_block_size, 4096, "bytes", kSimulation, kCacheSim,      \
           "what a block is charged if the trace does not say")                \
  FLAG(bool, checksums_only, false, "", kVerification, kVerify,                \
           "check only checksums and positions; decompress nothing")           \
  FLAG(string, filter_keys, "all", "first|all", kVerification, kVerify,        \
           "keys that filters are asked about: all, or the first 8 of each "   \
           "data block, which is faster; the verdict then says what was not "  \
           "checked")                                                          \
  FLAG(bool, strict, true, "", kVerification, kAll,                            \
           "with --nostrict, exit with 0 if any input opened as a table, "     \
           "else with 1")                                                      \
  FLAG(bool, strict_flags, false, "", kVerification, kAll,                     \
           "treat a flag that the command does not use as an error")           \
  FLAG(string, out, "", "path", kNewFiles, kMake | kRaw | kReport | kCacheSim, \
           "the file to make; it appears only when it is complete. raw, "      \
           "report, cache-sim: - is standard output")                          \
  FLAG(bool, overwrite, false, "", kNewFiles, kMake | kRaw | kReport |         \
           kCacheSim,                                                          \
           "replace an existing file")                                         \
  FLAG(bool, clean, false, "", kNewFiles, kMake | kRaw | kReport | kCacheSim,  \
           "first remove, and name, files that earlier runs with the same "    \
           "--out left when they were killed; without this flag such files "   \
           "are only named")                                                   \
  FLAG(uint64, target_file_size, 0, "bytes", kNewFiles, kBuild | kRewrite |    \
           kCompact,                                                           \
           "begin a new file, between two user keys, when a file has this "    \
           "size. The files share no keys. They are <out without "             \
           ".sst>-000001.sst and so on; <out without .sst>-manifest.json "     \
           "lists them. 0: one file")                                          \
  FLAG(string, input_format, "tsv", "tsv|csv|hex|jsonl|arrow|parquet",         \
           kNewFiles, kBuild,                                                  \
           "format of the rows; see 'ashlar help build'. Without this flag, "  \
           "files of arrow and parquet are recognised")                        \
  FLAG(bool, header, false, "", kNewFiles, kBuild,                             \
           "csv, tsv: the first line of each input has the names of the "      \
           "columns; --noheader: it is a row. Without either, a line that may "\
           "be names is an error")                                             \
  FLAG(bool, crlf, false, "", kNewFiles, kBuild,                               \
           "tsv, hex: lines may end in CR LF; without this flag, such a line " \
           "is a bad row. In csv and jsonl they always may")                   \
  FLAG(uint64, max_row_bytes, 8589934592, "bytes", kNewFiles, kBuild,          \
           "csv, tsv, hex, jsonl: a longer row ends the run, as a quote in "   \
           "csv does that is never closed")                                    \
  FLAG(uint64, max_bad_rows, 0, "n", kNewFiles, kBuild,                        \
           "skip up to n malformed rows; one more ends the run. Rows out of "  \
           "order are not malformed")                                          \
  FLAG(string, bad_rows, "", "path", kNewFiles, kBuild,                        \
           "with --max_bad_rows: a file to make, with the input, the line, "   \
           "the reason and the text of each malformed row, as escaped text "   \
           "with TABs between")                                                \
  FLAG(bool, dry_run, false, "", kNewFiles, kBuild,                            \
           "read, check and compress all rows, say how large the table would " \
           "be, and write nothing. --out is not needed")                       \
  FLAG(string, key_column, "", "columns", kNewFiles, kBuild,                   \
           "the columns of the key, by name or number, separated by commas: "  \
           "tenant,id:u64be; see 'ashlar help build'")                         \
  FLAG(string, value_column, "", "columns", kNewFiles, kBuild,                 \
           "the column of the value. Several become one JSON object; without " \
           "this flag, all columns that --key_column does not name do")        \
  FLAG(string, delimiter, ",", "character", kNewFiles, kBuild,                 \
           "csv: what is between columns, such as ; or \\t")                   \
  FLAG(string, null, "", "text", kNewFiles, kBuild,                            \
           "csv, tsv: a column of this text, without quotes, is null: in a "   \
           "JSON object null, anywhere else a bad row")                        \
  FLAG(bool, external, false, "", kNewFiles, kBuild,                           \
           "hex: make a file for IngestExternalFile; all sequence numbers "    \
           "must be 0")                                                        \
  FLAG(bool, sorted, true, "", kNewFiles, kBuild,                              \
           "rows come in key order; with --nosorted they are sorted, in "      \
           "--memory and, if that is too small, in --tmpdir")                  \
  FLAG(bool, merge_inputs, false, "", kNewFiles, kBuild,                       \
           "the rows of each input come in key order, and are merged; of "     \
           "equal keys, those of an earlier input come first")                 \
  FLAG(uint64, memory, 536870912, "bytes", kNewFiles, kBuild,                  \
           "memory for sorting rows, with --nosorted; and, with "              \
           "--target_file_size, for rows of hex and jsonl. Rows that it "      \
           "does not hold go to --tmpdir. The output's filter and index "      \
           "need more memory: about 10 bytes per key, and one key per "        \
           "block")                                                            \
  FLAG(string, on_duplicate, "error", "error|first|last", kNewFiles, kBuild,   \
           "what to do if a key comes twice: fail, or keep one of the rows")   \
  FLAG(string, preset, "none", "none|fast|balanced|small|archive", kNewFiles,  \
           kMake,                                                              \
           "flags for codec, level, dictionary and block size at once; a "     \
           "flag that is given beside it counts. For the 53 MB of rows of "    \
           "'make demo', in MB and seconds of one core: without 19.3, 0.2; "   \
           "fast, lz4 in blocks of 16 KiB: 22.0, 0.1; balanced, zstd in "      \
           "blocks of 16 KiB: 15.2, 0.2; small, zstd level 9 with a "          \
           "dictionary of 64 KiB: 12.8, 1.1; archive, zstd level 19 in "       \
           "blocks of 64 KiB with a dictionary of 256 KiB: 11.1, 14")          \
  FLAG(string, options_from, "", "path", kNewFiles, kMake,                     \
           "an OPTIONS file of a RocksDB database, or the folder of one, "     \
           "whose newest OPTIONS file counts: tables are made as that "        \
           "database makes those of its last level, in the family --cf. "      \
           "Flags that are given beside it count")                             \
  FLAG(string, options, "", "text", kNewFiles, kMake,                          \
           "options of tables as RocksDB's strings have them, such as "        \
           "'block_size=16K;compression=kZSTD'. They count more than "         \
           "--options_from, and flags more than they")                         \
  FLAG(bool, ignore_unknown_options, false, "", kNewFiles, kMake,              \
           "leave out what --options and --options_from have that is unknown " \
           "or not built in, with a warning for each; otherwise it is an "     \
           "error")                                                            \
  FLAG(string, compression_type, "zstd", "name", kNewFiles, kMake,             \
           "none, snappy, zlib, bzip2, lz4, lz4hc or zstd, if built in; "      \
           "RocksDB's names also work")                                        \
  FLAG(int32, compression_level, 32767, "n", kNewFiles, kPack,                 \
           "level, in the codec's own scale; 32767: the codec's default")      \
  FLAG(uint32, compression_max_dict_bytes, 0, "bytes", kNewFiles, kPack,       \
           "limit of the size of a dictionary for the data blocks; 0: no "     \
           "dictionary. It is made of the file's own rows, so blocks are "     \
           "held in memory until it is made")                                  \
  FLAG(uint32, compression_zstd_max_train_bytes, 0, "bytes", kNewFiles, kPack, \
           "size of the samples that zstd trains its dictionary with; 0: "     \
           "use the samples as the dictionary")                                \
  FLAG(uint64, compression_max_dict_buffer_bytes, 0, "bytes", kNewFiles,       \
           kPack,                                                              \
           "limit of the uncompressed blocks that are held in memory for "     \
           "the dictionary; 0: --target_file_size, or the whole file if "      \
           "that is 0 too. If both are given, the smaller one counts")         \
  FLAG(bool, compression_use_zstd_finalize_dict, false, "", kNewFiles, kPack,  \
           "zstd: finalize the dictionary instead of training it")             \
  FLAG(int32, compression_window_bits, -14, "n", kNewFiles, kPack,             \
           "zlib: -9 to -14; a larger window compresses better")               \
  FLAG(int32, compression_strategy, 0, "n", kNewFiles, kPack,                  \
           "zlib: number of its strategy, 0 to 4")                             \
  FLAG(int32, compression_max_compressed_bytes_per_kb, 896, "n", kNewFiles,    \
           kPack,                                                              \
           "store a block uncompressed unless each 1024 bytes of it shrink "   \
           "to at most this")                                                  \
  FLAG(bool, compression_checksum, false, "", kNewFiles, kPack,                \
           "zstd: write a checksum in each frame")                             \
  FLAG(bool, verify_compression, false, "", kNewFiles, kPack,                  \
           "decompress each compressed block and compare it with the "         \
           "original before it is written; recompress: also compare what is "  \
           "read back with the input")                                         \
  FLAG(uint64, sample_for_compression, 0, "n", kNewFiles, kMake,               \
           "compress one data block in n also with lz4 and with zstd, and "    \
           "write into the properties how large all of them would be with "    \
           "each; 0: no estimates")                                            \
  FLAG(uint64, block_size, 4096, "bytes", kNewFiles, kPack,                    \
           "size of a data block before compression (also "                    \
           "--set_block_size); default of recompress: 16384; of rewrite: "     \
           "that of the input")                                                \
  FLAG(int32, block_restart_interval, 16, "n", kNewFiles, kPack,               \
           "entries from one whole key to the next in a data block")           \
  FLAG(int32, block_size_deviation, 10, "percent", kNewFiles, kPack,           \
           "if the next entry would make a block larger than --block_size, "   \
           "and at most this much of the block is free, close it before "      \
           "that entry; 0 or 100: never. With --block_align it does not "      \
           "matter how much is free, unless this is 100")                      \
  FLAG(bool, use_delta_encoding, true, "", kNewFiles, kPack,                   \
           "keys omit what they share with the key before them")               \
  FLAG(string, data_block_index_type, "binary", "binary|hash", kNewFiles,      \
           kPack,                                                              \
           "hash: data blocks have a hash index for point lookups")            \
  FLAG(double, data_block_hash_table_util_ratio, 0.75, "n", kNewFiles, kPack,  \
           "entries per bucket of that hash index")                            \
  FLAG(bool, separate_key_value_in_data_block, false, "", kNewFiles, kPack,    \
           "store all values of a block after all its keys; needs RocksDB "    \
           "11.0 or later to read")                                            \
  FLAG(bool, embedded_blobs, false, "", kNewFiles, kPack,                      \
           "store values of --min_blob_size bytes or more apart from their "   \
           "entries, uncompressed, in the same file; needs format version 7 "  \
           "and RocksDB 11.6 or later to read; default of rewrite and "        \
           "salvage: as the input")                                            \
  FLAG(uint64, min_blob_size, 2048, "bytes", kNewFiles, kPack,                 \
           "size from which on --embedded_blobs stores a value apart; "        \
           "default of rewrite and salvage: the smallest blob of the input")   \
  FLAG(bool, block_align, false, "", kNewFiles, kPack,                         \
           "data blocks begin at multiples of 4096, or of a smaller "          \
           "--block_size; needs --compression_type=none")                      \
  FLAG(uint64, super_block_alignment_size, 0, "bytes", kNewFiles, kPack,       \
           "a data block that would cross a multiple of this is moved to "     \
           "that multiple, if --super_block_alignment_space_overhead_ratio "   \
           "allows it. A power of two larger than --block_size; 0: no block "  \
           "is moved")                                                         \
  FLAG(uint64, super_block_alignment_space_overhead_ratio, 128, "n",           \
           kNewFiles, kPack,                                                   \
           "move a block only if fewer than --super_block_alignment_size / "   \
           "n bytes stay empty for it; 0: move no block")                      \
  FLAG(uint32, format_version, 6, "n", kNewFiles, kPack,                       \
           "2 to 7; older RocksDB releases need older versions; default of "   \
           "rewrite: that of the input")                                       \
  FLAG(string, target_rocksdb, "", "maj.min", kNewFiles, kPack,                \
           "the oldest RocksDB release that must be able to read the file. "   \
           "Sets the newest format version that the release reads, the "       \
           "checksum kCRC32c if it does not read kXXH3, and the codec lz4 "    \
           "if it does not read zstd. A flag that asks for what the "          \
           "release does not read is an error; rewrite leaves out, with a "    \
           "warning, what it would keep of the input")                         \
  FLAG(string, filter, "bloom", "none|bloom|ribbon", kNewFiles, kMake,         \
           "kind of filter")                                                   \
  FLAG(bool, ribbon, false, "", kNewFiles, kMake,                              \
           "same as --filter=ribbon: a third smaller, slower to build")        \
  FLAG(double, bloom_bits, 10, "n", kNewFiles, kMake,                          \
           "filter bits per key; ribbon: of a Bloom filter with the same "     \
           "rate of false positives")                                          \
  FLAG(bool, optimize_filters_for_memory, false, "", kNewFiles, kMake,         \
           "round filter sizes to sizes that allocators provide")              \
  FLAG(bool, detect_filter_construct_corruption, false, "", kNewFiles, kMake,  \
           "ask the new filter about every key before it is written")          \
  FLAG(bool, whole_key_filtering, true, "", kNewFiles, kMake,                  \
           "put whole keys into the filter")                                   \
  FLAG(string, prefix_extractor, "", "name", kNewFiles, kPack,                 \
           "put prefixes into the filter: rocksdb.FixedPrefix.<n>, "           \
           "rocksdb.CappedPrefix.<n> or rocksdb.Noop")                         \
  FLAG(string, checksum_type, "kXXH3", "name", kNewFiles, kPack,               \
           "kNoChecksum, kCRC32c, kxxHash, kxxHash64 or kXXH3, or 0 to 4")     \
  FLAG(bool, enable_index_compression, true, "", kNewFiles, kPack,             \
           "also compress index blocks")                                       \
  FLAG(string, index_type, "binary", "binary|hash|partitioned|first_key",      \
           kNewFiles, kPack,                                                   \
           "kind of index; hash needs --prefix_extractor")                     \
  FLAG(bool, partition_filters, false, "", kNewFiles, kMake,                   \
           "also partition the filter; needs --index_type=partitioned")        \
  FLAG(bool, partition_index, false, "", kNewFiles, kPack,                     \
           "same as --index_type=partitioned: split the index into "           \
           "partitions")                                                       \
  FLAG(int32, index_block_restart_interval, 1, "n", kNewFiles, kPack,          \
           "entries from one whole key to the next in an index block")         \
  FLAG(string, index_shortening, "separators", "none|separators|successor",    \
           kNewFiles, kPack,                                                   \
           "how far index keys are shortened: separators: to the shortest "    \
           "key between two blocks; successor: the last key too")              \
  FLAG(uint64, metadata_block_size, 4096, "bytes", kNewFiles, kPack,           \
           "size of a partition of the index or the filter")                   \
  FLAG(bool, decouple_partitioned_filters, true, "", kNewFiles, kMake,         \
           "--partition_filters: cut filter partitions by their own size, "    \
           "not with the index")                                               \
  FLAG(uint32, compression_parallel_threads, 0, "n", kNewFiles, kPack,         \
           "worker threads that compress and write blocks. 1: none, one "      \
           "thread does it all; n: n workers, more than 31 count as 31; 0: "   \
           "one per core, except one")                                         \
  FLAG(string, compression_manager, "", "name", kNewFiles, kPack,              \
           "for scripts written for RocksDB's sst_dump; the value must be "    \
           "empty or BuiltinV2")                                               \
  FLAG(string, identity, "", "hex", kNewFiles, kMake,                          \
           "fixes the identity of the file, so that equal input and options "  \
           "give equal bytes. The creation time is then 0 unless it is "       \
           "given, and files of --target_file_size are built by one thread")   \
  FLAG(uint64, creation_time, 0, "seconds", kNewFiles, kMake,                  \
           "creation time for the properties, in seconds since 1970; "         \
           "default: SOURCE_DATE_EPOCH, or now")                               \
  FLAG(own, help, "", "", kOther, kAll,                                        \
           "print this text; also -h; --help=<command>: help for one command; "\
           "--help=man: the manual page; --help=man-<command>: that of one "   \
           "command; --help=commands: their names; --help=bash, zsh or fish: " \
           "completions")                                                      \
  FLAG(own, version, "", "", kOther, kAll,                                     \
           "print version, compiler, codecs and format versions; also -V; "    \
           "with --json, as JSON")                                             \
  FLAG(bool, sandbox, true, "", kOther, kAll,                                  \
           "before a file is read, give up starting programs and using the "   \
           "network and, for commands that only read, changing files, so that "\
           "a hostile file cannot; what the kernel lacks of this is left out") \
  FLAG(string, parse_internal_key, "", "hex", kOther, kAll,                    \
           "decode one internal key and exit")
// clang-format on

#endif  // ASHLAR_TOOLS_ASHLAR_FLAGS_FLAG_LIST_H_
