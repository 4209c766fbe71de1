// TableReader: reads one table file.
//
// For applications that look up or scan a table, and for programs that merge or
// check tables. It corresponds to RocksDB's "SstFileReader", with point lookups
// that report what they found in this one table. It knows one file: it does not
// merge tables, apply merge operators, or follow references to blob files.
//
// Open reads and checks footer, metaindex, properties, range deletions and, by
// ReaderOptions::load_index_and_filter, filter and index. It returns
// NotSupported for a table that it could not read correctly. All of these stay
// in memory (index and filter by option in the block cache). Data blocks are
// read when they are needed, and kept in ReaderOptions::block_cache if any.
//
// Any number of threads may call a reader at once. It must outlive its
// iterators. Values that it returned may outlive it, but not the block cache.
//
// Errors are Corruption for damage, IOError if the file cannot be read, and
// MemoryLimit. Messages name the file; an IOError only if the file does.
#ifndef ASHLAR_TABLE_TABLE_READER_H_
#define ASHLAR_TABLE_TABLE_READER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ashlar/table/get_result.h"
#include "ashlar/table/internal_key.h"
#include "ashlar/table/iterator.h"
#include "ashlar/table/key_anchor.h"
#include "ashlar/table/merge_operand.h"
#include "ashlar/table/options.h"
#include "ashlar/table/range_deletion.h"
#include "ashlar/table/stored_version.h"
#include "ashlar/table/table_properties.h"
#include "ashlar/util/export.h"
#include "ashlar/util/file.h"
#include "ashlar/util/result.h"

namespace ashlar {

class WorkerPool;

class ASHLAR_EXPORT TableReader {
 public:
  // Opens the table file at `path`. Returns these errors, with a subcode where
  // one is in parentheses: Corruption if the file is damaged or is no table
  // (kAboveSizeLimit: a block is above max_uncompressed_block_bytes); IOError
  // (kPathNotFound, kPermissionDenied, kTooManyOpenFiles); InvalidArgument if
  // an option does not fit the file; MemoryLimit; and NotSupported if the table
  // is of a kind that is not read (kPlainTable, kCuckooTable, kPebbleTable,
  // kNewerFormat), if a codec is not built in, or the comparator neither given
  // nor built in (kNotBuiltIn, kCustomCompression), or if its range deletions
  // overlap so much that they would take more than 1 GiB of memory.
  static Result<std::unique_ptr<TableReader>> Open(
      const std::string& path, const ReaderOptions& options = {});
  // Does the same for `file`, which must not be null. Takes it over.
  static Result<std::unique_ptr<TableReader>> Open(
      std::unique_ptr<RandomAccessFile> file,
      const ReaderOptions& options = {});
  // Does the same for *file, and takes it over only if it succeeds: after any
  // error but MemoryLimit the caller still has it, and may use it otherwise.
  static Result<std::unique_ptr<TableReader>> Open(
      std::unique_ptr<RandomAccessFile>* file, const ReaderOptions& options);

  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;
  ~TableReader();

  // Looks for the newest entry of user_key with a sequence number <= snapshot.
  // Where keys have timestamps, user_key is given without one, and only entries
  // whose timestamp is not newer than options.timestamp count. The comments of
  // ReadOptions say which of them apply to iterators alone. user_key must not
  // point into a value that *result holds.
  //
  // Returns ok and overwrites *result; a key that is not there is ok, with
  // kNotFound. Passes merge operands to on_operand, until it meets a value, a
  // deletion or the last entry of the key (table/merge_operand.h). Of an entry
  // with a preferred sequence number it returns the value alone.
  //
  // Returns MergeInProgress if it meets a merge operand and on_operand is
  // empty; InvalidArgument if options.timestamp has the wrong size;
  // NotSupported if the comparator is not known (knows_order); and the errors
  // that the top of this file lists. After an error *result is empty, as a new
  // one, and operands that were passed mean nothing.
  Status Get(const ReadOptions& options, const Slice& user_key,
             SequenceNumber snapshot, GetResult* result,
             const MergeOperandCallback& on_operand = {}) const;
  // The same without a snapshot and with default options.
  Status Get(const Slice& user_key, GetResult* result) const {
    return Get(kDefaultReadOptions, user_key, kMaxSequenceNumber, result);
  }

  // Does what Get does, for each key: results[i] and statuses[i] are those of
  // user_keys[i]. There may be any number of keys, in any order, also repeated.
  // An error of one key does not change the answers of the others; options that
  // do not fit the table are an error of every key. Cheaper than Get from two
  // keys on: filter, index, cache and file are asked for up to 32 keys at a
  // time. Values from one block share one reference to it.
  //
  // Requires: `results` and `statuses` have the size of `user_keys`, and no key
  // points into a value that `results` holds, since those are released first.
  void MultiGet(const ReadOptions& options, std::span<const Slice> user_keys,
                SequenceNumber snapshot, std::span<GetResult> results,
                std::span<Status> statuses,
                const BatchOperandCallback& on_operand = {}) const;
  void MultiGet(std::span<const Slice> user_keys, std::span<GetResult> results,
                std::span<Status> statuses) const {
    MultiGet(kDefaultReadOptions, user_keys, kMaxSequenceNumber, results,
             statuses);
  }

  // Calls `visit` for each stored version of user_key with a sequence number
  // <= snapshot, newest first, until it returns false. For engines that decide
  // themselves which versions a read sees and what they mean: no merge operand
  // is joined, and a deletion does not end the read (table/stored_version.h).
  // Versions under a range deletion are left out, and the newest range deletion
  // over the key comes last, as a version of type kTypeRangeDeletion without a
  // value, unless options.ignore_range_deletions is set. Timestamps count as
  // for Get. Asks the filter first, costs what Get costs for the first version,
  // and is counted as a Get.
  //
  // Returns ok, also if there is no version or `visit` ends the read; and the
  // errors of Get except MergeInProgress. Versions that were visited before an
  // error are sound.
  Status VisitVersions(const ReadOptions& options, const Slice& user_key,
                       SequenceNumber snapshot,
                       const VersionCallback& visit) const;
  // Does the same for each key, and sets statuses[i] to the outcome for
  // user_keys[i]. Cheaper than VisitVersions from two keys on, as MultiGet is.
  // The keys may be visited in any order, and their versions by turns.
  // value_size_soft_limit does not apply. Requires: `statuses` has the size of
  // `user_keys`.
  void VisitVersionsBatch(const ReadOptions& options,
                          std::span<const Slice> user_keys,
                          SequenceNumber snapshot, std::span<Status> statuses,
                          const BatchVersionCallback& visit) const;

  // Asks the filter alone whether the table may have the key, and sets *answer
  // as GetResult::filter. kNone: there is no filter, or none of use for the
  // key. kAbsent is certain for entries; range deletions are not asked. Where
  // keys have timestamps, user_key is given without one. Counts no key.
  // Returns the errors of Get that are about options and filter.
  Status KeyMayMatch(const ReadOptions& options, const Slice& user_key,
                     GetResult::Filter* answer) const;
  // Does the same for each key. Cheaper than KeyMayMatch from two keys on.
  // Requires: `answers` and `statuses` have the size of `user_keys`.
  void KeysMayMatch(const ReadOptions& options,
                    std::span<const Slice> user_keys,
                    std::span<GetResult::Filter> answers,
                    std::span<Status> statuses) const;
  // Asks whether the table may have a key with the prefix of user_key that is
  // not before user_key, which may be the prefix itself. kNone: the filter has
  // no prefixes, or user_key has none.
  Status PrefixMayMatch(const ReadOptions& options, const Slice& user_key,
                        GetResult::Filter* answer) const;

  // Returns an iterator, which is at no entry yet. The options are copied; what
  // their pointers and slices point to need not outlive this call. Errors are
  // reported by its status(): table/iterator.h.
  Iterator NewIterator(const ReadOptions& options = {}) const;

  // Reads every stored entry, and checks that all can be read. Range deletions
  // are not among them: Open has checked those. Returns ok, or the first error
  // in the file's order. Sets *entries, which must not be null, to the number
  // of entries, or of those before the error. Of the options, verify_checksums,
  // readahead_size, fill_cache and those that limit reads of the file apply.
  //
  // Workers of `pool` help, unless it is null; the answer does not depend on
  // them. Each thread takes about readahead_size bytes of the file at a time,
  // and holds these and a decompressed block. With a readahead_size of 0 it
  // takes one block at a time. on_progress, if not empty, is called now and
  // then on the calling thread, with the bytes of the file that are done and
  // its size. If it returns false, the check ends with Aborted.
  Status CheckEntries(
      const ReadOptions& options, WorkerPool* pool,
      const std::function<bool(uint64_t done, uint64_t total)>& on_progress,
      uint64_t* entries) const;

  // Returns whether keys can be compared. False only if the table was opened
  // thanks to ReaderOptions::allow_unknown_comparator.
  bool knows_order() const;

  // Returns the range deletions in the order in which they are stored: they may
  // overlap, repeat, and come in any order. They live as long as the reader.
  std::span<const RangeDeletion> RangeDeletions() const;
  // Calls `visit` for each fragment, in key order. n range deletions may have
  // up to 2n fragments, each with up to n sequence numbers. Visits none if
  // knows_order() is false. May throw std::bad_alloc.
  void VisitRangeDeletionFragments(
      const RangeDeletionFragmentCallback& visit) const;
  // Returns the largest sequence number <= snapshot of a range deletion over
  // the key. Entries of the key with smaller sequence numbers are deleted.
  // Returns 0 if there is no such range deletion, or if knows_order() is false.
  // Where keys have timestamps, user_key is given without one, and only range
  // deletions that are not newer than `timestamp` count; all do if it is empty.
  // Requires: `timestamp` is empty or of the comparator's size.
  SequenceNumber NewestRangeDeletionOver(const Slice& user_key,
                                         SequenceNumber snapshot,
                                         const Slice& timestamp = {}) const;

  // Reads every block that index and metaindex name, and compares it with its
  // checksum, whatever options.verify_checksums says. Returns ok or the first
  // error. Decompresses index blocks alone, to find the others. InspectTable
  // looks deeper, and finds all faults. Of the options, readahead_size and
  // those that limit reads of the file apply. With meta_blocks_only it reads
  // the metaindex and the blocks that this names alone: properties, range
  // deletions, dictionary, and filter or its top level; from format version 6
  // on also the index or its top level.
  Status VerifyChecksum(const ReadOptions& options = {},
                        bool meta_blocks_only = false) const;

  // Returns about where in the file the data of user_key (without timestamp)
  // begins or would begin, in bytes. For a key after the last one, that is
  // where the data blocks end. Returns 0 if knows_order() is false. Hides an
  // error: if index or partition cannot be read, returns 0 or where the data
  // blocks end. Iterator::Seek reports the error, as does the form below.
  uint64_t ApproximateOffsetOf(const Slice& user_key) const {
    return ApproximateOffsetOf(kDefaultReadOptions, user_key);
  }
  // Does the same within what these options say of reads of the file. What they
  // forbid is hidden as an error is.
  uint64_t ApproximateOffsetOf(const ReadOptions& options,
                               const Slice& user_key) const;
  // Sets *offset to the same, and returns the error that the others hide.
  Status ApproximateOffsetOf(const ReadOptions& options, const Slice& user_key,
                             uint64_t* offset) const;
  // Returns about how many bytes of the file the data of the keys from begin up
  // to end take, with their share of what follows the data blocks. Of all keys,
  // that is the size of the file. Returns 0 if begin is not before end, and
  // where ApproximateOffsetOf does. Neither key has a timestamp.
  uint64_t ApproximateSize(const Slice& begin, const Slice& end) const {
    return ApproximateSize(kDefaultReadOptions, begin, end);
  }
  uint64_t ApproximateSize(const ReadOptions& options, const Slice& begin,
                           const Slice& end) const;

  // Appends to *anchors at most `most` user keys, in ascending order, that
  // divide the data blocks into pieces of about equal size; the last anchor is
  // not below any key. For dividing the work on a table. Reads no data block,
  // but those parts of the index that are not in memory. Returns NotSupported
  // if knows_order() is false, MemoryLimit, and the errors of those reads. Of
  // the options, those that limit reads of the file apply.
  Status ApproximateKeyAnchors(const ReadOptions& options, uint64_t most,
                               std::vector<KeyAnchor>* anchors) const;

  // Loads the data blocks with keys from *begin up to, but without, *end into
  // the block cache, and those parts of the index that say where they are.
  // Null: from the first key, or up to the last. Neither has a timestamp. Loads
  // as many as the range has, whether there is room in the cache or not.
  // Without a block cache only the index is read. Returns NotSupported if
  // knows_order() is false, MemoryLimit, or the first error of a block. Of the
  // options, verify_checksums and those that limit reads of the file apply.
  Status Prefetch(const ReadOptions& options, const Slice* begin,
                  const Slice* end) const;

  // Removes the table's blocks from the block cache, so that they no longer
  // take room there: data blocks, and index and filter blocks of all levels.
  // For a file that is deleted; RocksDB calls it uncache. Finds them by the
  // index. Reads no data block, but those parts of the index, and the top level
  // of a filter, that are not in memory. Blocks of a part that cannot be read
  // stay, as do blocks that reads put there meanwhile. Blocks that values or
  // iterators hold stay alive. Does nothing without a block cache. Returns the
  // number of keys that were passed to Cache::Erase.
  uint64_t EraseFromBlockCache() const;

  // What the file says of itself. References live as long as the reader.
  const TableProperties& properties() const;
  uint32_t format_version() const;
  ChecksumType checksum_type() const;
  // If knows_order() is false, only Name() of this comparator has a meaning: it
  // is the name that the file stores.
  const Comparator* comparator() const;
  const RandomAccessFile& file() const;
  // Returns the bytes that the reader itself holds in memory, for index,
  // filter, range deletions and properties, but not those in the block cache.
  // Grows when they are loaded. RocksDB calls it "ApproximateMemoryUsage".
  uint64_t MemoryUsage() const;
  // Returns MemoryUsage() and an estimate of what index and filter will add, if
  // they are not loaded yet: the bytes that they have in the file.
  uint64_t ExpectedMemoryUsage() const;

 private:
  friend struct ReaderInternals;
  struct State;
  explicit TableReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_TABLE_READER_H_
