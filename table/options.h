// Options of building tables: plain structs, to be set by name.
//
//   TableOptions   what is written into the file
//   BuildOptions   which file it is, what else its properties say, and how many
//                  threads build it
//
// Options of reading are in table/reader_options.h and table/read_options.h,
// which this header includes.
//
// Options that RocksDB has too have its names and meanings; a comment says
// where they differ (RocksDB 11.8). Each comment says in this order: what the
// option does, its unit, its default, when to change it, and what that costs.
//
// TableBuilder::Create and ExternalFileWriter copy the options and validate
// them once. An impossible value, or mix, is InvalidArgument, which names the
// field or both fields. RocksDB changes some of those silently; Ashlar changes
// none. table/option_table.h has names and bounds of the options as a table.
//
// Plain values: thread-safe to read. Nothing here can be changed while a table
// is built.
#ifndef ASHLAR_TABLE_OPTIONS_H_
#define ASHLAR_TABLE_OPTIONS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/entry/rocksdb_release.h"
#include "ashlar/table/entry/table_identity.h"
#include "ashlar/table/read_options.h"
#include "ashlar/table/reader_options.h"
#include "ashlar/util/checksum_type.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/compression.h"
#include "ashlar/util/export.h"
#include "ashlar/util/result.h"
#include "ashlar/util/status.h"

namespace ashlar {

class CustomCodec;
class FileChecksumGenFactory;
class FilterPolicy;
class FlushBlockPolicyFactory;
class PrefixExtractor;
class Statistics;
class TablePropertiesCollectorFactory;
class WorkerPool;

// The oldest and the newest format version that are written.
inline constexpr uint32_t kMinFormatVersion = 2;
inline constexpr uint32_t kMaxFormatVersion = 7;
// RocksDB's number for "no column family is known".
inline constexpr uint32_t kUnknownColumnFamilyId = 0x7fffffff;

// Which built-in filter a table has.
enum class FilterType : uint8_t {
  kNone,
  // RocksDB's current Bloom filter, which looks at one cache line per key. It
  // is written for every format version; RocksDB 6.6 and later use it.
  kBloom,
  // A third smaller for the same rate of false positives, and slower to build.
  // RocksDB 6.15 and later use it.
  kRibbon,
};

// How the index is laid out. The numbers are those in files.
enum class IndexType : uint8_t {
  kBinarySearch,
  // kBinarySearch, and in two more blocks which data blocks hold which prefix.
  // Requires: a prefix_extractor, and index_block_restart_interval 1. RocksDB
  // searches less with it; Ashlar reads such a table like kBinarySearch. A
  // table gets none of the two blocks if any key has no prefix, or one that
  // would reach into its timestamp.
  kHashSearch,
  kTwoLevelIndexSearch,       // cut into partitions, with an index over them
  kBinarySearchWithFirstKey,  // also has the first key of each data block
};

// Whether the keys of the index are shortened. RocksDB's modes.
enum class IndexShortening : uint8_t {
  kNoShortening,
  kShortenSeparators,              // between two data blocks
  kShortenSeparatorsAndSuccessor,  // and after the last one
};

// How a key is found in a data block. The numbers are RocksDB's.
enum class DataBlockIndexType : uint8_t {
  kDataBlockBinarySearch,
  kDataBlockBinaryAndHash,  // also by a hash table
};

// Which values a table stores apart from their entries. RocksDB's writer of
// external files has this too.
struct EmbeddedBlobOptions {
  // Whether large values are stored as embedded blobs: among the data blocks,
  // each by itself, while its entry has only a reference. Default: false. Data
  // blocks then hold more keys, so that walks over keys and searches that find
  // none read less; but each value that is read costs a read of the file of its
  // own. Values are not compressed, and do not go into the block cache. Put
  // values, and the values of wide columns, are stored so; merge operands are
  // not. Only RocksDB 11.6 and later read such a table. Requires:
  // format_version 7, and no block_align. Data blocks are compressed and
  // written by the calling thread alone, as by RocksDB.
  bool enable = false;
  // From which size on a value is stored so, in bytes. Default: 2048. With 0
  // all are, empty values too.
  uint64_t min_blob_size = 2048;
};

// The form of a table: what its bytes depend on.
struct TableOptions {
  // The order of the user keys. Default: BytewiseComparator(). Readers need the
  // same one. Must not be null, and must outlive the builder.
  const Comparator* comparator = BytewiseComparator();

  // Comparators with timestamps only: whether the timestamps of the keys are
  // written. Default: true. Set it to false where they are needed in memory
  // only. Readers then show the oldest timestamp, all zeros, in their place.
  // Keys must be in strict order without their timestamps, and an external file
  // takes only keys whose timestamp is all zeros. False for a comparator
  // without timestamps is InvalidArgument.
  bool persist_user_defined_timestamps = true;

  // The version of the file format, 2 to 7. Default: 6; RocksDB's is 7. Choose
  // a lower one for older readers: 5 is read by RocksDB 6.6 and later, 6 by 8.6
  // and later, 7 by 10.4 and later. target_rocksdb checks that. Versions from 3
  // on have smaller indexes. Versions 6 and 7 also detect a block that was
  // copied from another offset or another file.
  uint32_t format_version = 6;

  // About how large a data block becomes before compression, in bytes: 1 to
  // 268435456. Default: 4096. Larger blocks compress better and make the index
  // smaller, but each point read reads and decompresses a whole block.
  uint64_t block_size = 4096;

  // How much of block_size may stay free, in percent: 0 to 100. Default: 10. A
  // block ends in two cases. Case 1: it has block_size bytes or more. Case 2:
  // the next entry would make it larger than block_size, and at most this part
  // of block_size is free. 0 and 100 turn case 2 off. With block_align, case 2
  // holds whatever is free, unless this is 100. RocksDB replaces other values
  // by 0; here they are InvalidArgument.
  int block_size_deviation = 10;

  // A rule of the application's own for where data blocks end:
  // table/flush_block_policy.h. Null, the default: blocks end by block_size and
  // block_size_deviation. A policy replaces both, and costs a virtual call per
  // entry.
  std::shared_ptr<const FlushBlockPolicyFactory> flush_block_policy_factory;

  // How many entries there are from one restart point of a data block to the
  // next: 1 or more. At a restart point the key is stored whole. Default: 16.
  // More saves bytes, fewer makes searches in the block faster. RocksDB
  // replaces smaller values by 1; here they are InvalidArgument.
  int block_restart_interval = 16;

  // How the index is laid out. Default: kBinarySearch. kTwoLevelIndexSearch
  // saves memory where an index is large and only parts of it are used.
  // kBinarySearchWithFirstKey makes the index larger, and saves Get and
  // MultiGet from reading a block that has only larger keys. Iterators it saves
  // that only with ReadOptions::allow_unprepared_value: else they read the
  // block, and compare its first key with the index.
  IndexType index_type = IndexType::kBinarySearch;

  // The same as block_restart_interval, for index blocks. Default: 1, with
  // which RocksDB searches the index fastest. More saves bytes. kHashSearch
  // requires 1; RocksDB then replaces other values by 1, here they are
  // InvalidArgument.
  int index_block_restart_interval = 1;

  // kTwoLevelIndexSearch only: about how large a partition of the index, or of
  // the filter, becomes before compression, in bytes: 1 to 268435456. Default:
  // 4096. Larger partitions make the top level smaller, but more is read and
  // held for each.
  uint64_t metadata_block_size = 4096;

  // Which index blocks are marked as evenly spread, so that RocksDB can find a
  // key there by interpolation search. A block is marked if a measure of its
  // keys is below this value. The measure, which has no unit, is the standard
  // deviation of the steps between restart keys, divided by their mean. It is
  // smaller the more evenly keys are spread. 0 marks no block. Below 0, the
  // default: nothing is measured. Only RocksDB 11.1 and later read marked
  // blocks. Ashlar's own searches do not use the mark.
  double uniform_cv_threshold = -1;

  // Whether data blocks leave out the prefix that a key shares with the key
  // before. Default: true. False makes blocks larger, and lets
  // ReadOptions::pin_data pin every key.
  bool use_delta_encoding = true;

  // Whether data blocks have a hash table that tells Get where to look.
  // Default: kDataBlockBinarySearch, without. Takes about 1.3 bytes per entry.
  // RocksDB 5.15 and later read it. Blocks above 64 KiB have none, nor have
  // blocks of keys with timestamps. Once a block of a table has more than 254
  // restart points, neither it nor any later block has one.
  DataBlockIndexType data_block_index_type =
      DataBlockIndexType::kDataBlockBinarySearch;

  // Entries per bucket of that hash table: 0.001 to 1000. Default: 0.75. Lower
  // makes the table larger, and fewer entries share a bucket.
  double data_block_hash_table_util_ratio = 0.75;

  // Whether a data block stores all its keys first and all its values after
  // them. Default: false. Searches then touch less memory. Only RocksDB 11.0
  // and later read it. Such blocks get no index of their own in the block cache
  // (ReaderOptions::cache_entry_words).
  bool separate_key_value_in_data_block = false;

  // Whether and which values are stored apart from their entries, within the
  // same file. Default: none.
  EmbeddedBlobOptions embedded_blob_options;

  // Whether data blocks begin at multiples of min(block_size, 4096) bytes, so
  // that a block touches as few pages as possible. Default: false. Costs the
  // zeros between blocks. Requires: compression is kNoCompression, and
  // block_size is a power of two.
  bool block_align = false;

  // If not 0: a data block that would cross a multiple of this many bytes is
  // moved to that multiple, so that it stays within one unit of the file
  // system. A power of two larger than block_size, up to 1 GiB. Default: 0,
  // off. Costs the zeros between blocks, which the next option bounds.
  uint64_t super_block_alignment_size = 0;

  // A block is moved only if that takes fewer zeros than
  // super_block_alignment_size divided by this. 0: no block is moved. Default:
  // 128. (RocksDB refuses 1 to 3.)
  uint64_t super_block_alignment_space_overhead_ratio = 128;

  // Whether keys of the index are cut to what tells two data blocks apart.
  // Default: kShortenSeparators. Shorter keys make the index smaller.
  // kNoShortening makes a seek between two blocks read one block less.
  IndexShortening index_shortening = IndexShortening::kShortenSeparators;

  // The codec of data and index blocks (util/compression.h). Default: zstd, or
  // lz4 or none if the library was built without; RocksDB's is lz4. A codec
  // that the library was built without is NotSupported. Filter, range deletions
  // and properties are never compressed, and a block that would shrink too
  // little is stored as it is.
  CompressionType compression = DefaultCompressionType();
  // How the codec works: level, dictionary and so on (util/compression.h).
  CompressionOptions compression_opts;
  // A codec of the application's own (util/custom_codec.h), which then
  // compresses data and index blocks. Null, the default: the built-in ones.
  // RocksDB's option is "compression_manager". Requires: format_version is 7,
  // and `compression` is a type that the codec supports, from
  // CustomCompressionType(0x80) to CustomCompressionType(0xFE).
  std::shared_ptr<const CustomCodec> codec;

  // Whether index blocks are compressed too. Default: true. False makes the
  // file larger, and opening it or reading a partition faster.
  bool enable_index_compression = true;

  // Whether each block that is stored compressed is decompressed again and
  // compared with the original, before it goes to the file. Default: false. Set
  // it where memory or codec may be faulty. If a block differs, the build fails
  // with Corruption, which names the block. Builds take about 27 % more
  // instructions with zstd, 16 % with zlib and 7 % with lz4. Each thread that
  // compresses also keeps a buffer of up to twice its largest block.
  bool verify_compression = false;

  // If this is n, and not 0, the builder takes a sample of the first data block
  // and of each n-th block after it. A sample is compressed once more by a fast
  // codec, lz4 or else snappy, and by a slow one, zstd or else zlib, at their
  // default levels and without a dictionary. The properties
  // fast_compression_estimated_data_size and
  // slow_compression_estimated_data_size then say how large all data blocks
  // would be with each. The blocks that are written stay as they are. Default:
  // 0, off. Set it to learn whether another codec would pay, without building
  // the table again. Costs the two compressions of each sample, by the calling
  // thread; RocksDB draws its samples by chance.
  uint64_t sample_for_compression = 0;

  // The checksum of each block (util/checksum_type.h). Default: kXXH3, which
  // RocksDB 6.27 and later read. Choose kCRC32c for older ones.
  ChecksumType checksum = ChecksumType::kXXH3;

  // What kind of filter the table has. Default: kBloom. RocksDB's option is
  // "filter_policy", and its default is no filter. kNone makes the file
  // smaller, but a Get of a key that is not there then mostly reads a data
  // block.
  FilterType filter = FilterType::kBloom;

  // A filter policy of the application's own (table/filter_policy.h), which
  // then makes the filter, full or partitioned. Null, the default: `filter`
  // says which built-in kind. Requires: `filter` is not kNone. Otherwise
  // `filter` and bloom_bits_per_key mean nothing with a policy, and
  // optimize_filters_for_memory and detect_filter_construct_corruption must be
  // false.
  std::shared_ptr<const FilterPolicy> filter_policy;

  // Size of the filter, in bits per key: 0.5 to 100. Default: 10, which gives
  // about 1 % false positives. Values below 1 count as 1, as in RocksDB. For
  // kRibbon: the bits of a Bloom filter with the same rate; a Ribbon filter
  // takes about a third less.
  double bloom_bits_per_key = 10;

  // Whether each filter is made as large as a piece of memory that jemalloc
  // hands out (four sizes per power of two), so that a cache that holds it
  // wastes none. Default: false; RocksDB's is true, and goes by the allocator
  // of the program that writes, which makes files differ between machines. The
  // size of a table's first filter is rounded up. Those of later filters may be
  // rounded down, as long as the table keeps the rate of false positives that
  // was asked for.
  bool optimize_filters_for_memory = false;

  // Whether each filter is proven before it goes to the file: the hashes that
  // it was made of must be those that were collected, and it must match every
  // one of them. Default: false. Set it where memory may be faulty. If the
  // proof fails, TableBuilder::Finish returns Corruption. Costs 60 to 230
  // instructions per key. The hashes of a kRibbon filter, 8 bytes per key, stay
  // in memory until it is solved.
  bool detect_filter_construct_corruption = false;

  // Whether the filter holds whole keys. Default: true. Set it to false, with a
  // prefix_extractor, for a smaller filter that rules out by prefix only. With
  // neither, no filter is written.
  bool whole_key_filtering = true;

  // Whether the filter is cut into partitions of about metadata_block_size
  // bytes, which are read when they are needed. Default: false. Saves memory
  // where a filter is large and only parts of it are used. Requires: index_type
  // is kTwoLevelIndexSearch. (RocksDB otherwise ignores the option; here it is
  // InvalidArgument.)
  bool partition_filters = false;

  // Whether partitions of the filter are cut by their own size. Default: true.
  // If false they are cut together with those of the index, as RocksDB did
  // before 10.6, and all blocks are compressed and written by the calling
  // thread.
  bool decouple_partitioned_filters = true;

  // Which part of a key is its prefix (util/prefix_extractor.h). Null, the
  // default: keys have no prefix. If set, the filter also holds prefixes, for
  // iterators with ReadOptions::prefix_same_as_start. The file stores the
  // extractor's name.
  std::shared_ptr<const PrefixExtractor> prefix_extractor;

  // The oldest release of RocksDB that must be able to read the table. An
  // option that it cannot read is InvalidArgument. Absent, the default: not
  // checked.
  std::optional<RocksDBRelease> target_rocksdb;

  // Returns default options for readers of this release, such as "7.8".
  // target_rocksdb is set to the release, and format_version to the newest one
  // that the release reads and Ashlar writes, which may be above the default.
  // If the release does not read the default checksum or codec, they are
  // kCRC32c, and lz4 (or none). Returns InvalidArgument for other text, and for
  // releases before 3.10.
  ASHLAR_EXPORT static Result<TableOptions> TargetRocksDB(
      std::string_view release);

  // Returns ok if a table can be built with these options. Else returns
  // InvalidArgument, or NotSupported for a codec that the library was built
  // without; the message names the field, or both fields that do not go
  // together.
  ASHLAR_EXPORT Status Validate() const;
};

// How a table is built: threads, memory, and what it is called.
struct BuildOptions {
  // Which file it is (table/entry/table_identity.h). Default: a new identity
  // for each file. Set it for reproducible files.
  TableIdentity identity;

  // How many workers help the calling thread.
  //
  //   1, the default   none: the calling thread builds alone
  //   2 to 1024        this many, at most 31
  //   0                one for each processor but one, at most 31
  //
  // More is InvalidArgument.
  //
  // Workers compress and write blocks, and help to build the filter. The file
  // is the same byte for byte. Raise it where one thread cannot compress as
  // fast as entries come. With partition_filters and without
  // decouple_partitioned_filters, only workers of worker_pool help, and only
  // with the filter.
  //
  // RocksDB's CompressionOptions::parallel_threads differs in four ways. There,
  // 0 means 1. A table without compression has no workers. The calling thread
  // builds filters alone. Coupled partitions have no workers at all.
  //
  // Memory above what one thread takes: about 4.2 MiB with blocks of 4 KiB and
  // up to 7 workers. There are n pairs of buffers, for blocks before and after
  // compression, and each buffer takes 129 KiB and block_size. n is 16 for up
  // to 7 workers, and else min(32, 2 * workers + 2). Each worker also has a
  // codec's state and a stack. Blocks above 1 MiB, and entries above 1 KiB, may
  // count twice. Without compression one worker writes at a time, and n is 4.
  uint32_t parallel_threads = 1;

  // If present: exactly how many workers help; parallel_threads is then
  // ignored. 0 is none. More than 31 count as 31. Default: absent. Unlike
  // parallel_threads, it can ask for one worker.
  std::optional<uint32_t> workers;

  // Where workers come from (util/worker_pool.h), if parallel_threads or
  // `workers` asks for any. Null, the default: threads of the builder's own,
  // which start when there is work for them and end with the build. Set it
  // where many builders run at once. Must outlive the builder.
  WorkerPool* worker_pool = nullptr;

  // The properties rocksdb.column.family.id and rocksdb.column.family.name.
  // Default: the id for unknown, and no name.
  uint32_t column_family_id = kUnknownColumnFamilyId;
  std::string column_family_name;

  // For properties collectors alone: the level of the file, and how many levels
  // the database has. Default: -1, not known.
  int level_at_creation = -1;
  int num_levels = -1;

  // The property rocksdb.merge.operator. Empty, the default: "nullptr" is
  // written, as RocksDB does without a merge operator.
  std::string merge_operator_name;

  // Whether the file is made for ingestion. It then gets the properties
  // rocksdb.external_sst_file.version, which is 2, and
  // rocksdb.external_sst_file.global_seqno, which is 0 and which ingestion may
  // overwrite (table/table_properties.h). No user key, timestamp included, may
  // be added twice. Default: false. ExternalFileWriter sets it.
  bool external_file = false;

  // About how large the caller lets the file become, in bytes. 0, the default:
  // unknown. Set it where files are cut by TableBuilder::EstimatedFileSize. It
  // bounds how many bytes of blocks wait for a dictionary
  // (CompressionOptions::max_dict_bytes). With workers, EstimatedFileSize
  // cannot know the size of blocks that are not compressed yet. This field
  // bounds their number when the file comes close to this size, so the file
  // exceeds it by at most 128 KiB and a block. Without this field the excess is
  // up to 2 MiB, or 4 MiB with 15 workers. Costs some waiting near the end of
  // the file.
  uint64_t target_file_size = 0;

  // Properties of the application's own, which are written as they are: name to
  // value, any bytes. Names that begin with "rocksdb.", and more than 64 MiB of
  // names and values together, are InvalidArgument. Default: none.
  std::map<std::string, std::string> user_properties;

  // Collectors of the application's own properties:
  // table/properties_collector.h. None may be null. Each costs a virtual call
  // per entry.
  std::vector<std::shared_ptr<TablePropertiesCollectorFactory>>
      table_properties_collector_factories;

  // Makes the checksum of the whole file (util/file_checksum.h), which
  // TableBuilder::summary returns. Null, the default: there is none. Costs what
  // the checksum costs: CRC32C about 0.05 ns per byte.
  std::shared_ptr<FileChecksumGenFactory> file_checksum_gen_factory;

  // The cache to which memory of the build is charged. Null, the default:
  // nothing is charged. No blocks go there, unless prepopulate_block_cache is
  // set. Set it where one capacity is to bound readers and builders together.
  // If the cache has a strict limit and no room, the build fails with
  // MemoryLimit. Only blocks that wait for a dictionary are no reason to fail:
  // the builder then makes the dictionary early. The builder shares ownership
  // of it.
  std::shared_ptr<Cache> block_cache;
  // Which memory is charged (cache/cache_usage_options.h). Default: blocks that
  // wait for a dictionary, and write buffers. Costs a few calls of the cache
  // for each MiB.
  CacheUsageOptions cache_usage_options;

  // Whether data blocks go into block_cache as they are built, so that the
  // first reads of a new table find them there. Default: false. For flushes:
  // what was just written is mostly read soon. Index and filter blocks come
  // there by OpenBuiltTable (table/built_table.h). If the build fails or is
  // abandoned, the blocks are erased again. Costs a copy of each block, and up
  // to 4 MiB with workers. A cache without room leaves blocks out. Requires:
  // block_cache. In RocksDB the value is "PrepopulateBlockCache::kFlushOnly",
  // for all flushes.
  bool prepopulate_block_cache = false;
  // Only with prepopulate_block_cache: which of these blocks the cache evicts
  // first. Default: kLow, as for blocks that reads bring. Set kBottom for
  // compactions, whose blocks are less likely to be read than those that reads
  // have brought; RocksDB does so.
  CachePriority prepopulate_cache_priority = CachePriority::kLow;

  // Whether the builder keeps what follows the data blocks in memory, so that
  // OpenBuiltTable need not read it. Default: false. Takes about the size of
  // index and filter in the file, until the builder is destroyed.
  bool keep_tail = false;

  // Counts what the build does, beside what readers do (table/statistics.h).
  // Null, the default: nothing is counted. The builder shares ownership of it.
  std::shared_ptr<Statistics> statistics;

  // The property rocksdb.seqno.time.map: sequence number to the time when it
  // was written, in seconds since 1970. Empty, the default: not written. Times
  // that descend while sequence numbers ascend are InvalidArgument.
  std::map<SequenceNumber, uint64_t> seqno_to_time;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_OPTIONS_H_
