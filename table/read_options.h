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

#include <cstdint>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/slice.h"

namespace ashlar {

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
  // either direction, of CheckEntries and of VerifyChecksum. 0, the default: 16
  // KiB at first, doubling up to 128 KiB while the walk goes on. Any other
  // value is the size of each of these reads, and does not grow. Set it for
  // long scans of slow devices. An iterator holds this much memory.
  uint64_t readahead_size = 0;

  // Whether an iterator that walks backward announces its next four reads to
  // the file (RandomAccessFile::Expect). Default: false. Halves the time of
  // such a walk if the file is not in memory, and costs a few per cent if it
  // is. Unlike in RocksDB, the option does not change Get, MultiGet and walks
  // forward. The operating system reads ahead of walks forward by itself.
  bool async_io = false;

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
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_READ_OPTIONS_H_
