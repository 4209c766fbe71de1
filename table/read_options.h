// Options of reading, as plain aggregates with RocksDB's names and meanings:
//
//   ReaderOptions  how a file is opened
//   ReadOptions    one read
#ifndef ASHLAR_TABLE_READ_OPTIONS_H_
#define ASHLAR_TABLE_READ_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "ashlar/cache/block_cache_tracer.h"
#include "ashlar/cache/cache.h"
#include "ashlar/table/internal_key.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/prefix_extractor.h"
#include "ashlar/util/slice.h"

namespace ashlar {

class Statistics;

// Which of the parts that are read when they are needed are read at once.
enum class PinningTier : uint8_t { kNone, kAll };

struct ReaderOptions {
  // Null: the built-in comparator that the file names (bytewise where it names
  // none). Else the file must name this one, or none.
  const Comparator* comparator = nullptr;

  // Whether a table whose comparator is neither given nor built in is opened
  // all the same. Entries and range deletions are then walked as they are
  // stored, from either end, and checked as far as that goes without an order;
  // timestamps, where such keys have any, are taken for a part of them. What
  // needs the order is NotSupported: Get, seeks to a key, and iterators that
  // would have to honour range deletions (ReadOptions::ignore_range_deletions).
  bool allow_unknown_comparator = false;

  // Whether a file that is opened by its path is mapped into memory rather
  // than read; see OpenMappedFile for what that asks of the file. Uncompressed
  // blocks are then walked where the page cache holds them.
  bool allow_mmap_reads = false;

  // Whether blocks of index and filter lie in the block cache, charged with all
  // that they take once they are parsed, rather than in the reader. Opening
  // reads and checks them in either case; one that the cache has let go is read
  // again by each read that needs it (the threads that miss one at once all
  // read it), which fails where it is damaged by then.
  // The top level of an index or filter in partitions is held there while the
  // reader lives, and the rest by the two tiers below. They go there whatever
  // ReadOptions::fill_cache says. InvalidArgument without a block_cache. The
  // filter of LevelDB's tables stays in the reader.
  bool cache_index_and_filter_blocks = false;
  // Whether they are the last to be evicted.
  bool cache_index_and_filter_blocks_with_high_priority = true;
  // Of an index or filter that is not in partitions and in the block cache:
  // kAll holds it there while the reader lives.
  PinningTier unpartitioned_pinning = PinningTier::kNone;

  // Partitions of an index or filter, which are kept once they are read: kAll
  // reads them when the file is opened. One that is damaged fails the reads
  // that need it, not the opening. Those in the block cache are held there by
  // kAll, and else only while they are used.
  PinningTier partition_pinning = PinningTier::kNone;

  // Where data blocks are kept once they are read, by all readers that have the
  // same one, uncompressed and parsed. Of the threads of one reader that miss a
  // data block at once, one reads it, and the others wait for that (several
  // read where the cache has no room for it, and seldom where two blocks meet
  // in one place). The reader has a share of the cache; values that outlive the
  // reader need it to live as long. Blocks are known by the file's identity
  // (its unique id), so files that share a cache must not have equal ones
  // unless they are copies. Null: blocks are read each time.
  std::shared_ptr<Cache> block_cache;

  // Whether a block in the block cache has room for four bytes a key, and where
  // each entry begins, which are made when it is found there for the second
  // time: point reads and seeks then go to their entry at once. Up to an eighth
  // of the block's size, charged like the block from the start; not for blocks
  // of entries so small that it would be more, nor for comparators other than
  // the bytewise ones.
  bool cache_entry_words = true;

  // The file's largest sequence number as its manifest has it, 0 being none: of
  // external files, all entries have it. Absent: what the file itself says.
  std::optional<SequenceNumber> largest_seqno = std::nullopt;

  // Null: the built-in prefix extractor that the file names. Else used for
  // ReadOptions::prefix_same_as_start, and for the file's filter where the file
  // names this one; no file is refused for another.
  std::shared_ptr<const PrefixExtractor> prefix_extractor;

  // A block that claims to be larger when decompressed is refused. A MultiGet
  // holds 64 MiB of them and one more, and those of the values it has found.
  uint64_t max_uncompressed_block_bytes = uint64_t{1} << 30;

  // Where reads are counted (table/statistics.h), by as many readers as one
  // likes. Null: nowhere. A thread's own counts are in table/perf_context.h.
  std::shared_ptr<Statistics> statistics;

  // Where accesses to the block cache are written down
  // (cache/block_cache_tracer.h), by as many readers as one likes, while its
  // trace lasts. Null: nowhere.
  std::shared_ptr<BlockCacheTracer> block_cache_tracer;
};

struct ReadOptions {
  // Whether each block read from the file is compared with its checksum.
  bool verify_checksums = true;

  // Whether blocks that are read go into the reader's block cache; not those
  // that are read without verify_checksums; nor those that its second tier has.
  // False for scans that would fill it with what is not needed again.
  bool fill_cache = true;

  // Of tables whose comparator has timestamps: entries with a newer one are not
  // seen. Empty: all are. Otherwise as long as the comparator says, and it must
  // outlive the call that it is given to.
  Slice timestamp;

  // Iterators show only entries whose user keys are the lower bound or larger,
  // and smaller than the upper bound; ends and seeks beyond a bound are at the
  // bound. Without timestamps. Null: no bound. Read, and copied, when the
  // iterator is made. A bound costs nothing an entry, and no block beyond one
  // is read.
  const Slice* iterate_lower_bound = nullptr;
  const Slice* iterate_upper_bound = nullptr;

  // Iterators show only entries whose prefix is that of the key given to Seek
  // or SeekForPrev, or of the entry that SeekToFirst or SeekToLast finds. A
  // Seek then asks the filter where it holds prefixes: one that is not there
  // costs no block. After a key without a prefix (PrefixExtractor::InDomain)
  // all is shown. InvalidArgument where no prefix extractor is known.
  bool prefix_same_as_start = false;
  // prefix_same_as_start means nothing. Seeks without it always find the next
  // key, whatever its prefix.
  bool total_order_seek = false;

  // Iterators read this many bytes ahead of where they are when they walk, in
  // either direction. 0: start small and grow with the walk, up to 128 KiB.
  uint64_t readahead_size = 0;

  // Iterators that walk backward have the device read what comes next, four
  // times as far ahead, while they are still on what was read
  // (RandomAccessFile::Expect). Halves the time where the file is not in
  // memory, and takes a few per cent more where it is. Walks forward are read
  // ahead by the operating system, with or without.
  bool async_io = false;

  // Iterators keep every block that they come to until they are destroyed, so
  // that values stay where they are, and keys as Iterator::IsKeyPinned says.
  // Memory grows with what is walked over: blocks in the block cache are held
  // there, others are the iterator's own, window and mapping copied from.
  bool pin_data = false;

  // Whether reads answer as if the table had no range deletions: iterators
  // then show every stored entry. For who merges tables, or looks at one.
  bool ignore_range_deletions = false;

  // Iterators leave out entries and range deletions with larger sequence
  // numbers. Get takes a snapshot of its own instead.
  SequenceNumber snapshot = kMaxSequenceNumber;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_READ_OPTIONS_H_
