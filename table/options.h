// Options of tables, as plain aggregates: set what you need by name, the rest
// has RocksDB's names and meanings. They are copied and validated once, by the
// call that takes them; an impossible mix is InvalidArgument naming both
// fields and is never repaired in silence.
//
//   TableOptions   what is written into the file
//   BuildOptions   who the file is, and what else its properties say
//
// What a reader may choose is in table/read_options.h, which this includes.
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
#include "ashlar/util/checksum_type.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/compression.h"
#include "ashlar/util/export.h"
#include "ashlar/util/prefix_extractor.h"
#include "ashlar/util/result.h"
#include "ashlar/util/status.h"

namespace ashlar {

class FlushBlockPolicyFactory;
class TablePropertiesCollectorFactory;
class WorkerPool;

inline constexpr uint32_t kMinFormatVersion = 2;  // that is written
inline constexpr uint32_t kMaxFormatVersion = 7;
inline constexpr uint32_t kUnknownColumnFamilyId = 0x7fffffff;

enum class FilterType : uint8_t {
  kNone,
  kBloom,  // one cache line a key; RocksDB's current Bloom filter
  // A third smaller for the same rate of false positives, slower to build;
  // RocksDB 6.15 and later.
  kRibbon,
};

// By their numbers in files.
enum class IndexType : uint8_t {
  kBinarySearch,
  // kBinarySearch, and what prefixes each data block holds. For RocksDB, which
  // shortens its searches by that; Ashlar's are the same. Needs a prefix
  // extractor and index_block_restart_interval 1. Left out of a table that has
  // a key without prefix, or one whose prefix would reach into its timestamp.
  kHashSearch,
  kTwoLevelIndexSearch,  // cut into partitions, with an index over them
  kBinarySearchWithFirstKey,
};

enum class IndexShortening : uint8_t {
  kNoShortening,
  kShortenSeparators,
  kShortenSeparatorsAndSuccessor,  // also behind the last block
};

enum class DataBlockIndexType : uint8_t {
  kDataBlockBinarySearch,
  kDataBlockBinaryAndHash,  // a hash table besides
};

struct TableOptions {
  // Order of the user keys. Must outlive builder and reader.
  const Comparator* comparator = BytewiseComparator();

  // False: the timestamps that the comparator's keys end in are not written;
  // readers show the oldest one, all zeros, in their place. Keys must be in
  // order without them, and external files take only that one.
  bool persist_user_defined_timestamps = true;

  // 2 to 7. Older readers need older versions: RocksDB 8.6 or later reads 6,
  // 10.4 or later reads 7, 6.6 or later reads 5.
  uint32_t format_version = 6;

  // Bytes of a data block before compression, roughly. Larger blocks compress
  // better and make the index smaller; each point read decodes a whole one.
  uint64_t block_size = 4096;

  // Percent. A block that is this close to block_size is closed rather than
  // overfilled by the next entry. Outside 0 to 100: InvalidArgument.
  int block_size_deviation = 10;

  // table/flush_block_policy.h. Null: blocks end by block_size. Else as the
  // policy says, and at 256 MiB; a virtual call an entry.
  std::shared_ptr<const FlushBlockPolicyFactory> flush_block_policy_factory;

  // Entries between whole keys in a data block, at least 1. More saves bytes,
  // fewer makes seeks in the block faster.
  int block_restart_interval = 16;

  // How data blocks are found. Partitions save memory where an index is large
  // and only parts of it are used. First keys make the index larger, and save
  // Get and MultiGet reading a block that has only larger keys; iterators read
  // the block all the same, and compare its first key with the index.
  IndexType index_type = IndexType::kBinarySearch;

  // Entries between whole keys in an index block. 1 makes index searches
  // fastest.
  int index_block_restart_interval = 1;

  // Bytes of an index or filter partition before compression, roughly. Only for
  // kTwoLevelIndexSearch.
  uint64_t metadata_block_size = 4096;

  // 0 or more: index blocks whose keys lie this evenly are marked, so that
  // RocksDB may guess where in the block a key lies. The measure is the
  // standard deviation of the steps between restart keys, over their mean.
  double uniform_cv_threshold = -1;

  // Whether keys drop the prefix shared with the key before.
  bool use_delta_encoding = true;

  // Whether data blocks tell Get where to look by a hash table: about 1.3 bytes
  // an entry. Blocks above 64 KiB have none, nor have those of keys with
  // timestamps, nor a table's from its first block of more than 254 restart
  // points on.
  DataBlockIndexType data_block_index_type =
      DataBlockIndexType::kDataBlockBinarySearch;

  // Entries to buckets of that table, 0.001 to 1000.
  double data_block_hash_table_util_ratio = 0.75;

  // Whether data blocks keep all values behind all keys: searches touch less
  // memory. RocksDB 11.0 or later reads it.
  bool separate_key_value_in_data_block = false;

  // Whether data blocks begin at multiples of min(block_size, 4096). Only
  // without compression, and block_size must be a power of two.
  bool block_align = false;

  // A data block that would lie across a multiple of this is moved behind it.
  // A power of two above block_size, up to 1 GiB; 0: off.
  uint64_t super_block_alignment_size = 0;

  // It is moved by less than super_block_alignment_size / this. 0: never.
  uint64_t super_block_alignment_space_overhead_ratio = 128;

  // Whether index keys are cut to what tells two blocks apart.
  IndexShortening index_shortening = IndexShortening::kShortenSeparators;

  CompressionType compression = DefaultCompressionType();
  CompressionOptions compression_opts;

  // Whether the index block is compressed too.
  bool enable_index_compression = true;

  // Whether each block that is stored compressed is decompressed again and
  // compared with the original before it goes to the file. If one differs, the
  // build fails with Corruption, which names it. Each thread that compresses
  // then keeps a buffer of up to twice its largest block too. Builds take about
  // 27 % more instructions with zstd, 16 % with zlib and 7 % with lz4.
  bool verify_compression = false;

  ChecksumType checksum = ChecksumType::kXXH3;

  FilterType filter = FilterType::kBloom;

  // Filter bits a key, 0.5 to 100. 10 gives about 1 % false positives. Of
  // kRibbon: the bits of a Bloom filter that is as good.
  double bloom_bits_per_key = 10;

  // Whether filters are as large as a piece of memory that an allocator hands
  // out, as jemalloc does: a quarter of a power of two apart. A cache that
  // holds them then wastes none. The first filter of a table is the larger for
  // it, others the smaller where the rate of false positives stays as wished.
  bool optimize_filters_for_memory = false;

  // Whether a filter is proven before it goes to the file: the hashes that it
  // was made of must be those that were collected, and the filter must match
  // every one of them. If not, memory was damaged (or the code is wrong), and
  // Finish returns Corruption. The hashes of a kRibbon filter, 8 bytes per key,
  // then stay in memory until it is solved. 60 to 230 instructions per key.
  bool detect_filter_construct_corruption = false;

  // Whether the filter holds whole keys. Without them and without a prefix
  // extractor there is nothing in it, and no filter is written.
  bool whole_key_filtering = true;

  // Whether the filter is cut into partitions, which are read as they are
  // needed. Only for kTwoLevelIndexSearch.
  bool partition_filters = false;

  // Whether they are cut by their own size, rather than together with the
  // partitions of the index, as before RocksDB 10.6. Together, blocks are made
  // and written by the calling thread alone.
  bool decouple_partitioned_filters = true;

  // Null: none. Else the filter holds prefixes too, for walks over the keys of
  // one prefix. The file remembers the name.
  std::shared_ptr<const PrefixExtractor> prefix_extractor;

  // What this RocksDB does not read is InvalidArgument. Empty: any does.
  std::optional<RocksDBRelease> target_rocksdb;

  // What this RocksDB ("7.8"; 3.10 or later) reads: newest format and checksum.
  ASHLAR_EXPORT static Result<TableOptions> TargetRocksDB(
      std::string_view release);

  // InvalidArgument or NotSupported naming the field, or both fields.
  ASHLAR_EXPORT Status Validate() const;
};

struct BuildOptions {
  TableIdentity identity;

  // 1: the calling thread builds alone. n >= 2: it has n workers, at most 31,
  // which compress and write blocks and help to build the filter. 0: a worker
  // for each processor but one. The file is the same byte for byte. With
  // partition_filters and without decouple_partitioned_filters only workers of
  // worker_pool help, and with the filter alone.
  //
  // CompressionOptions::parallel_threads of RocksDB 11.8 has the same meaning
  // for n >= 1, with these differences: there 0 means 1; a table without
  // compression has no workers; filters are built by the calling thread;
  // coupled partitions have no workers at all.
  //
  // Takes, above what one thread does, at most 16 slots of raw and as many of
  // compressed blocks (2 a worker and 2 more, up to 32, from 8 workers on), of
  // 128 KiB, a block and 1 KiB each: 4.2 MiB with blocks of 4 KiB; and a
  // codec's state and a stack for each worker. Blocks above 1 MiB, and entries
  // above 1 KiB, may count twice.
  uint32_t parallel_threads = 1;

  // The exact number of workers, whatever parallel_threads says. More than 31
  // are 31.
  std::optional<uint32_t> workers;

  // Where workers come from. Null: threads of the builder's own, which start
  // when there is work for them. Must outlive the builder.
  WorkerPool* worker_pool = nullptr;

  // rocksdb.column.family.id and .name.
  uint32_t column_family_id = kUnknownColumnFamilyId;
  std::string column_family_name;

  // rocksdb.merge.operator. Empty: "nullptr", as RocksDB writes for none.
  std::string merge_operator_name;

  // About how large the caller lets the file become; 0: unknown. Bounds how
  // many blocks wait for a dictionary (compression_opts.max_dict_bytes), and
  // how far workers may be behind when the file comes close to it: a file that
  // is cut by EstimatedFileSize is then larger by 128 KiB and a block at most,
  // whatever its data turn into. Without it by 2 MiB, 4 with 15 workers.
  uint64_t target_file_size = 0;

  // Written among the properties as they are. Names that start with
  // "rocksdb." are InvalidArgument.
  std::map<std::string, std::string> user_properties;

  // table/properties_collector.h. A virtual call an entry each.
  std::vector<std::shared_ptr<TablePropertiesCollectorFactory>>
      table_properties_collector_factories;

  // rocksdb.seqno.time.map, in seconds, which must not descend.
  std::map<SequenceNumber, uint64_t> seqno_to_time;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_OPTIONS_H_
