// Options of opening a table: ReaderOptions, a plain struct, to be set by name.
//
// TableReader::Open takes it. Options of one read or one iterator are in
// table/read_options.h.
//
// Options that RocksDB has too have its names and meanings, or a comment says
// where they differ. Each comment says: what the option does, its unit, its
// default, when to change it, and what that costs.
//
// Plain values. Impossible ones are an error of the call that takes them.
#ifndef ASHLAR_TABLE_READER_OPTIONS_H_
#define ASHLAR_TABLE_READER_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ashlar/cache/block_cache_tracer.h"
#include "ashlar/cache/cache.h"
#include "ashlar/cache/cache_usage_options.h"
#include "ashlar/table/internal_key.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/prefix_extractor.h"
#include "ashlar/util/rate_limiter.h"
#include "ashlar/util/system_clock.h"

namespace ashlar {

class CustomCodec;
class FilterPolicy;
class Statistics;

// Which tables hold some of their blocks in memory as long as their reader
// lives. The names are RocksDB's.
enum class PinningTier : uint8_t {
  // kFlushedAndSimilar if pin_l0_filter_and_index_blocks_in_cache is set, else
  // kNone.
  kFallback,
  kNone,
  kFlushedAndSimilar,  // those with ReaderOptions::flushed_or_similar
  kAll,
};

// When a reader loads the index and the filter of its table.
enum class LoadTime : uint8_t {
  kAtOpen,           // both when the table is opened
  kIndexAtFirstUse,  // the filter when the table is opened, and the index later
  kAtFirstUse,       // both later
};

struct ReaderOptions {
  // The order of the table's user keys. Null, the default: the built-in
  // comparator that the file names, or BytewiseComparator() if it names none.
  // Set it for a table with a comparator of your own. If the file names another
  // one, opening returns InvalidArgument. Must outlive the reader.
  const Comparator* comparator = nullptr;

  // Whether to open a table whose comparator is neither given nor built in.
  // Default: false; such a table is NotSupported. Set it to inspect or copy
  // one. Iterators then walk entries as they are stored, from either end, and
  // check what can be checked without an order. Timestamps count as a part of
  // the key. Whatever needs the order returns NotSupported: Get, Seek and
  // SeekForPrev, bounds, and iterators that would have to apply range deletions
  // (unless ReadOptions::ignore_range_deletions).
  bool allow_unknown_comparator = false;

  // Whether TableReader::Open maps a file that it opens by path into memory,
  // instead of reading it. Default: false. Uncompressed blocks are then used
  // where the page cache has them, without a copy. A file that shrinks, and a
  // disk that fails, then end the process: see OpenMappedFile (util/file.h).
  bool allow_mmap_reads = false;

  // Whether TableReader::Open opens a file by path for direct I/O (O_DIRECT):
  // reads then pass the operating system's page cache by. Default: false. Set
  // it if block_cache has what shall stay in memory, and the page cache would
  // only hold it twice. Each read is widened to whole pages of 4 KiB and
  // copied, and the system reads nothing ahead: set ReadOptions::readahead_size
  // or a worker_pool for scans. If the file system has no direct I/O, opening
  // returns NotSupported. InvalidArgument together with allow_mmap_reads.
  bool use_direct_reads = false;

  // How far an iterator reads ahead by itself, while
  // ReadOptions::readahead_size is 0. It reads single blocks at first. Once it
  // has read num_file_reads_for_auto_readahead neighbouring blocks, it reads
  // initial_auto_readahead_size bytes at once, and twice as many each time, up
  // to max_auto_readahead_size. After a jump it starts again. Defaults: 2
  // reads, 8 KiB, 256 KiB. A max_auto_readahead_size of 0: it never reads
  // ahead. An initial size above the largest counts as the largest. RocksDB's
  // names and defaults; there, blocks are read in addition to these sizes, and
  // walks backward are not read ahead.
  uint64_t max_auto_readahead_size = uint64_t{256} << 10;
  uint64_t initial_auto_readahead_size = uint64_t{8} << 10;
  uint64_t num_file_reads_for_auto_readahead = 2;

  // When index and filter are loaded: read, compared with their checksums,
  // checked and parsed. Default: kIndexAtFirstUse. Later means: by the first
  // read that needs it. The first read that passes the filter then takes
  // longer, and damage of the index is an error of that read instead of Open.
  // Of the threads that need a part at once, one loads it, and the others wait.
  // After an error the next read tries again. Set kAtOpen for an even latency
  // and for errors at open. Set kAtFirstUse to open thousands of tables of
  // which few are read. Partitions of index and filter are read later in any
  // case, unless partition_pinning says otherwise; so is the top level of a
  // partitioned filter unless this is kAtOpen. What is pinned is loaded at open
  // whatever this says. RocksDB always loads both at open.
  LoadTime load_index_and_filter = LoadTime::kIndexAtFirstUse;

  // How many bytes at the end of the file Open reads at first. 0, the default:
  // 4 KiB, which mostly have all but index and filter. Set it if the size of
  // the tail is known, as from a manifest: the size of the file less
  // TableProperties::tail_start_offset. Then kAtOpen reads everything at once,
  // which saves waits for a slow device. Any value gives the same table.
  uint64_t tail_size = 0;

  // Whether index and filter blocks are kept in block_cache, charged with all
  // the memory that they take, instead of in the reader. Default: false. Set it
  // to bound the memory of many open tables. A read that needs a block which
  // the cache does not have reads and checks it, and fails if it is damaged. Of
  // the threads of one reader that miss a block at the same time, one reads it.
  // Opening reads these blocks only if load_index_and_filter is kAtOpen and the
  // cache does not have them. A read whose ReadOptions::fill_cache is false
  // keeps what it has read for itself. So it is with the dictionary of the
  // compression, unless its codec is an application's. The top level of a
  // partitioned index or filter is held in the cache while the reader lives, as
  // by RocksDB's default. The filter of a LevelDB table stays in the reader.
  // Without a block_cache this is InvalidArgument.
  bool cache_index_and_filter_blocks = false;
  // Only with cache_index_and_filter_blocks: whether these blocks are the last
  // that the cache evicts. Default: true.
  bool cache_index_and_filter_blocks_with_high_priority = true;
  // Only with cache_index_and_filter_blocks: whether an index or filter that is
  // not partitioned, and a dictionary, is held in the cache while the reader
  // lives. Default: kFallback. If it is, opening reads it, reads never read it
  // again, and the cache cannot evict it.
  PinningTier unpartitioned_pinning = PinningTier::kFallback;

  // Whether all partitions of an index or filter are read when the table is
  // opened, and kept. Default: kFallback. Set it for an even latency from the
  // first read on. If not, a partition is read when a read first needs it. In
  // the reader it then stays; in the block cache it is held only while it is
  // used. A damaged partition fails the reads that need it, not the opening.
  PinningTier partition_pinning = PinningTier::kFallback;
  // What kFallback means. Default: false.
  bool pin_l0_filter_and_index_blocks_in_cache = false;
  // Whether the table was just flushed, or is as small. Default: false. RocksDB
  // says so of a table of level 0 that is not larger than 1.5 memtables.
  bool flushed_or_similar = false;

  // Where data blocks are kept once they are read, uncompressed and parsed, for
  // all readers that have the same cache. Null, the default: nowhere; each read
  // reads its blocks from the file. (RocksDB then makes a cache of 32 MiB.) The
  // reader shares ownership of the cache. Values do not: for values that
  // outlive the reader, the caller must keep the cache.
  //
  // A block is known by the unique id of its file, which is a property. Files
  // with equal ids must not share a cache unless they are copies. A file
  // without that id is known by a random one while it is open. When several
  // threads of one reader miss a block at the same time, one reads it and the
  // others wait. More than one reads it only in a few rare cases.
  std::shared_ptr<Cache> block_cache;

  // Whether a read fails with MemoryLimit if it has to put a block into a
  // block_cache that has no room for it, because its capacity limit is strict.
  // Default: false; the read keeps the block for itself, so that the memory of
  // all reads may exceed the capacity. Set it if that must not be. RocksDB's
  // reads fail.
  bool fail_without_cache_room = false;

  // Which memory of the reader and its iterators is charged to block_cache
  // although it is not there (cache/cache_usage_options.h). Default: none. If a
  // strict cache has no room, opening, reads and iterators fail: MemoryLimit.
  CacheUsageOptions cache_usage_options;

  // Whether a data block in block_cache gets an index of its own, its entry
  // words: four bytes of each key, and where each entry begins. Default: true.
  // Point reads and seeks then go to their entry at once. It is made when the
  // block is found in the cache for the second time; its memory, up to an
  // eighth of the block, is charged from the start. Blocks of entries so small
  // that it would take more have none, and comparators other than the bytewise
  // ones have none. RocksDB has no such option.
  bool cache_entry_words = true;

  // The largest sequence number of an external file, as a manifest records it.
  // Absent, the default: the global sequence number that the file itself
  // stores. Set it for a file that a database has ingested: all its entries
  // then have this number. 0 stands for no such number: entries keep those that
  // are stored. For a file that was not made for ingestion it is ignored. If
  // the file stores a global sequence number that is neither 0 nor this one,
  // opening returns Corruption. A value above kMaxSequenceNumber is
  // InvalidArgument.
  std::optional<SequenceNumber> largest_seqno = std::nullopt;

  // Which part of a key is its prefix. Null, the default: the built-in
  // extractor that the file names. Set it for an extractor of your own.
  // ReadOptions::prefix_same_as_start uses it. The prefixes in the table's
  // filter are asked only if the file names an extractor of this name. A file
  // that names another is not refused.
  std::shared_ptr<const PrefixExtractor> prefix_extractor;

  // The largest size of a decompressed block, in bytes. Default: 1 GiB. A
  // compressed block that would be larger is Corruption. Lower it to bound the
  // memory of reads of untrusted files. A MultiGet takes up to 32 keys at a
  // time. In addition to the blocks of found values, it holds at most 64 MiB of
  // blocks for these, and one block, or one for each thread of a worker_pool.
  // RocksDB has no such option.
  uint64_t max_uncompressed_block_bytes = uint64_t{1} << 30;

  // Codecs of the application (util/custom_codec.h), by which files may be
  // compressed. Empty, the default: none. The one whose name the file records
  // is used. If it is not among them, the file can be opened, but reads of
  // compressed blocks return NotSupported (kCustomCompression), which names it;
  // so does opening if it reads such a block. Two codecs of one name, or a null
  // pointer, are InvalidArgument.
  std::vector<std::shared_ptr<const CustomCodec>> codecs;

  // Filter policies of the application (table/filter_policy.h). Empty, the
  // default: none. A filter of a policy that is neither built in nor among them
  // is not asked: reads find the same entries, and read more blocks.
  // Ticker::kFilterUnknownPolicy counts such tables. Two policies of one name,
  // or a null pointer, are InvalidArgument.
  std::vector<std::shared_ptr<const FilterPolicy>> filter_policies;

  // For files whose reads take long, such as those of an object store
  // (util/remote_file.h). MultiGet reads blocks together if no more than this
  // many bytes that it does not need are between them. 0, the default: only
  // blocks that are stored side by side. Set it to what the device reads in the
  // time of one request. Costs the bytes that are read for nothing, and memory
  // for them.
  uint64_t coalesce_gap_bytes = 0;
  // The most bytes that MultiGet reads by one request. A block that is larger
  // is read by one request all the same. 0, the default: no limit but the 64
  // MiB that a MultiGet holds. Set it for a device that is faster with several
  // requests at once.
  uint64_t coalesce_max_bytes = 0;
  // Whether the table's filter is neither loaded nor asked, as if the file had
  // none. Default: false. Set it for tables that have nearly all keys that are
  // looked for in them. RocksDB's "optimize_filters_for_hits" does so for the
  // tables of the bottommost level. VerifyChecksum then leaves out partitions
  // of the filter.
  bool skip_filters = false;
  // Whether opening reads everything behind the data blocks by one read, if
  // the first read (tail_size) did not have it. Default: false. Set it, with
  // load_index_and_filter kAtOpen, for files whose reads take long: opening
  // then takes two of them at most, and one if tail_size is enough. Costs the
  // memory of index and filter once more while the table is opened, of which a
  // thread keeps up to 1 MiB for its next opening.
  bool read_tail_at_once = false;
  // Whether the reader keeps the properties as the file stores them, in
  // TableProperties::stored. The other fields have their values in any case.
  // Default: true. Set it to false where many tables are open at once: of a
  // table that RocksDB wrote they take about 2 KiB.
  bool keep_stored_properties = true;

  // Where reads are counted (table/statistics.h), for any number of readers.
  // Null, the default: nowhere. A thread's own counts are in
  // table/perf_context.h.
  std::shared_ptr<Statistics> statistics;

  // Where accesses to the block cache are recorded while a trace is running
  // (cache/block_cache_tracer.h), for any number of readers. Null, the default:
  // nowhere.
  std::shared_ptr<BlockCacheTracer> block_cache_tracer;

  // Asked before reads of the file whose ReadOptions::rate_limiter_priority
  // names a priority, for any number of readers. Null, the default: nobody is.
  // Its mode must include reads; RocksDB's default does not. Opening does not
  // ask it.
  std::shared_ptr<RateLimiter> rate_limiter;

  // What ReadOptions::deadline is compared with. Null, the default:
  // SystemClock::Default(). Must outlive the reader.
  SystemClock* clock = nullptr;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_READER_OPTIONS_H_
