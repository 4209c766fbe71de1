// Options of one read, or of one iterator: ReadOptions, a plain struct, to be
// set by name.
//
// Options of opening a table are in table/reader_options.h.
//
// Options that RocksDB has too have its names and meanings, or a comment says
// where they differ. Each comment says: what the option does, its unit, its
// default, when to change it, and what that costs.
//
// Plain values. Impossible ones are an error of the call that takes them.
#ifndef ASHLAR_TABLE_READ_OPTIONS_H_
#define ASHLAR_TABLE_READ_OPTIONS_H_

#include <chrono>
#include <cstdint>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/rate_limiter.h"
#include "ashlar/util/slice.h"

namespace ashlar {

class WorkerPool;

// Where a read may look for blocks. (RocksDB has two more, which are about
// memtables.)
enum class ReadTier : uint8_t {
  kReadAllTier,
  kBlockCacheTier,  // in memory alone
};

struct ReadOptions {
  // Whether each block that is read from the file is compared with its
  // checksum. Default: true. Damage in a block that is not compared may give
  // wrong data. Such blocks do not go into the block cache.
  bool verify_checksums = true;

  // Whether data blocks that are read go into the reader's block cache.
  // Default: true. Set it to false for a scan that would fill the cache with
  // blocks that are not needed again. With false, a block that is found in the
  // cache's second tier is not put into the first tier either.
  bool fill_cache = true;

  // Tables with timestamps only: entries with a newer timestamp are not seen.
  // Empty, the default: all are. Must have the comparator's timestamp_size();
  // any other size is InvalidArgument. The bytes must live until the call that
  // gets these options returns. (RocksDB takes a pointer, which must not be
  // null for a table with timestamps.)
  Slice timestamp;

  // Iterators show only entries with lower bound <= user key < upper bound.
  // Null, the default: no bound. Bounds have no timestamps. A walk ends at a
  // bound. A Seek before the lower bound, and a SeekForPrev after the upper
  // bound, start at that bound. No block beyond a bound is read, and an entry
  // inside costs nothing more. Both are copied when the iterator is made; in
  // RocksDB they must live as long as the iterator.
  const Slice* iterate_lower_bound = nullptr;
  const Slice* iterate_upper_bound = nullptr;

  // Iterators show only entries with one prefix: that of the key given to Seek
  // or SeekForPrev, or of the entry that SeekToFirst or SeekToLast finds.
  // Default: false. Seek then asks the filter, if it holds prefixes: a prefix
  // that is not in the table reads no block. After a seek to a key without a
  // prefix (PrefixExtractor::InDomain) the iterator shows everything.
  // InvalidArgument if no prefix extractor is known.
  bool prefix_same_as_start = false;
  // Whether prefix_same_as_start is ignored. Default: false. Unlike in RocksDB,
  // an iterator with neither option always finds the next key, whatever its
  // prefix.
  bool total_order_seek = false;

  // How many bytes one read of the file takes: of an iterator that walks, in
  // either direction, of CheckEntries and of VerifyChecksum. 0, the default:
  // few at first, and more while the walk goes on, as
  // ReaderOptions::max_auto_readahead_size and its neighbours say. Any other
  // value is the size of each of these reads, and does not grow. Set it for
  // long scans of slow devices. An iterator holds this much memory. Nothing
  // beyond the last block inside the iterate bounds is read ahead, as far as
  // the part of the index at hand shows where that is.
  uint64_t readahead_size = 0;

  // Whether an iterator that walks announces its next reads to the file
  // (RandomAccessFile::Expect), in either direction, so that the device works
  // while the iterator does. Default: false. Shortens walks over files that are
  // not in memory, and costs a few per cent if they are. With a worker_pool the
  // blocks that the pool is going to decode are announced, and its workers read
  // them. MultiGet always gives its reads to the file together, with or without
  // this option: to io_uring, or, where the kernel refuses that, to its
  // readahead. Get reads one block, and nothing ahead.
  bool async_io = false;

  // Workers that help one read with its missing blocks. Null, the default:
  // none. Not owned; must outlive the reads and iterators that have it. Set it
  // where one thread reads much that is not in the block cache, and processors
  // are idle. Answers and errors are the same as without. Of a MultiGet, also
  // over several tables, the blocks are checked and decompressed side by side.
  // Of an iterator, the blocks that it comes to next are read and decompressed
  // ahead of it: once it has come to two neighbouring blocks that were not in
  // memory, then more and more, up to 2 MiB of blocks and one block per worker.
  // A block beyond the iterate bounds is not read. A seek, or a turn, drops
  // what was ahead. Damage ahead is an error only when the iterator comes to
  // it. Nobody waits for a worker that has not begun: the caller does what no
  // worker does. An iterator that is destroyed waits until its workers have
  // left, each at the end of its block. What workers do is counted in
  // ReaderOptions::statistics, but not in the caller's PerfContext. Of
  // CheckEntries, the pool that it is given counts, and not this one. Reads
  // with read_tier, deadline, io_timeout, io_context or rate_limiter_priority
  // take no workers. RocksDB has no such option.
  WorkerPool* worker_pool = nullptr;

  // Whether iterators keep every block that they come to until they are
  // destroyed, so that values stay where they are, and keys for which
  // Iterator::IsKeyPinned is true. Default: false. Memory grows with what is
  // walked over: blocks in the block cache are held there, others are kept by
  // the iterator, which copies those that are stored uncompressed.
  bool pin_data = false;

  // Whether reads ignore the table's range deletions, so that iterators show
  // every stored entry. Default: false. Set it in programs that merge or
  // inspect tables.
  bool ignore_range_deletions = false;

  // Iterators leave out entries and range deletions with larger sequence
  // numbers. Default: all are seen. Get and MultiGet ignore this field: they
  // have a parameter for it. (RocksDB takes a pointer to a snapshot of the
  // database.)
  SequenceNumber snapshot = kMaxSequenceNumber;

  // With kBlockCacheTier the read never reads the file. Default: kReadAllTier.
  // If it needs a block that is neither in the block cache nor in the reader,
  // it is Incomplete: a Get, a key of a MultiGet, or an iterator, which is then
  // not Valid, until a seek finds its blocks. A filter that is not in memory is
  // not asked, unless it was never loaded: then the read is Incomplete. So is
  // one that needs an index that was never loaded. Such a read waits only for
  // a thread that loads that index or filter for the first time.
  ReadTier read_tier = ReadTier::kReadAllTier;

  // When the call has to be done, in microseconds since the epoch. 0: whenever
  // it is. Asked before each read of the file, and by a MultiGet before every
  // 32 keys (64 over several tables): once it has passed, the read, or each key
  // that is left, is TimedOut. What is in memory is found. So a call may take
  // longer by one read, unless the file honours what is left (ReadWithin). It
  // waits for another thread only if that loads an index or filter for the
  // first time. An iterator compares each of its calls with the same deadline.
  std::chrono::microseconds deadline{0};
  // How long each single read of the file may take. 0, the default: as long as
  // it takes. Passed to RandomAccessFile::ReadWithin. The files of this library
  // ignore it: an operating system has no time limit for reads of a file.
  std::chrono::microseconds io_timeout{0};

  // Passed to RandomAccessFile::ReadWithin of each read of the file that this
  // read makes, for file classes of the application: a priority, an activity,
  // or options of its own. Null, the default: nothing. The library does not
  // look at it. Must outlive the calls that get these options, and iterators
  // that are made with them. Files that return a descriptor
  // (RandomAccessFile::FileDescriptor) may be read without it. Opening a table
  // passes none.
  const void* io_context = nullptr;

  // With which priority the read's reads of the file ask
  // ReaderOptions::rate_limiter, if there is one. Default: kTotal, which means:
  // not at all. Waits for the limiter count against the deadline.
  IoPriority rate_limiter_priority = IoPriority::kTotal;

  // Whether the read asks no filter of the table, for keys or for prefixes.
  // Default: false. Nothing else changes: a filter only saves reads of blocks.
  // Set it where almost every key is there. TableReader::KeyMayMatch and its
  // like ask all the same. In RocksDB the option is
  // "optimize_filters_for_hits", for keys of the last level. A table that is
  // read with a filter and without gains nothing in memory:
  // ReaderOptions::skip_filters does not load it.
  bool skip_filters = false;

  // How many bytes of values a MultiGet returns. Default: any number. Once the
  // values found exceed it, every later key is Aborted, whether it is there or
  // not, and may be asked for again. So the first value is always returned,
  // however large it is. Keys count in the caller's order; merge operands do
  // not count. (RocksDB goes through the keys in their order, and also gives up
  // absent keys of the same batch that come before.)
  uint64_t value_size_soft_limit = ~uint64_t{0};

  // The options below are of iterators alone.

  // Whether Seek asks the prefix filter where the upper bound shows that every
  // entry up to it has the prefix of the seek key. Default: false. No result
  // changes: a seek that the filter rules out reads no block. Set it for walks
  // with an upper bound in tables with a prefix filter. Does nothing where no
  // prefix extractor is known. (RocksDB may leave out keys shorter than the
  // prefix.)
  bool auto_prefix_mode = false;

  // Whether an iterator may come to an entry without its value, until
  // Iterator::PrepareValue is called. Default: false. Saves reading a block
  // where the index has first keys (IndexType::kBinarySearchWithFirstKey): a
  // seek, or a step forward into a block, takes the key from the index.
  // Elsewhere it does nothing.
  bool allow_unprepared_value = false;

  // Tables with timestamps only: entries with an older timestamp are left out.
  // Empty, the default: none are. Must have the comparator's timestamp_size().
  // The bytes are copied when the iterator is made. (RocksDB without it shows
  // the newest version alone; an iterator here shows all versions.)
  Slice iter_start_ts;
  // Entries with smaller sequence numbers are left out. Default: 0: none are.
  // With `snapshot`, an iterator shows what was written between two snapshots.
  // Range deletions apply whatever their number. (RocksDB had this option until
  // release 7.)
  SequenceNumber iter_start_seqnum = 0;

  // How many entries one call of an iterator may pass over that are left out:
  // those that range deletions, snapshot, iter_start_seqnum or iter_start_ts
  // hide. 0, the default: any number. If it passes over more, the iterator is
  // Incomplete, and not Valid. A seek may go on from there. Entries of a table
  // that are newer than `timestamp` do not count: blocks are loaded without
  // them.
  uint64_t max_skippable_internal_keys = 0;
};

// The options of reads that are given none. A read that refers to them saves
// making some of its own, which takes a fifth of a Get that finds no key.
inline constexpr ReadOptions kDefaultReadOptions;

}  // namespace ashlar

#endif  // ASHLAR_TABLE_READ_OPTIONS_H_
