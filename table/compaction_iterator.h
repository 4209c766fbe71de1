// CompactionIterator: the entries that a flush or a compaction writes.
//
// An engine gives it the entries of all inputs, their range deletions, and what
// it knows: snapshots, merge operator, filter, which keys have older data
// elsewhere. It walks forward once, and shows what is left, in order. It writes
// nothing: CompactTables (table/compaction.h) is the whole job, and a loop of
// the engine's own looks like this.
//
//   ashlar::CompactionIterator it(options, std::move(inputs), &deletions);
//   for (it.SeekToFirst(); it.Valid() && status.ok(); it.Next()) {
//     status = builder->Add(it.user_key(), it.tail(), it.value());
//   }
//   if (status.ok()) status = it.status();
//
// What is left are the newest version of each key and snapshot stripe, merged
// and filtered, less what is deleted. The rules are RocksDB's. The source of
// this class begins with them, as a table.
//
// Errors. After an error Valid() is false, and status() says what was wrong:
// that of an input, Corruption where a merge fails or a single deletion meets a
// deletion, InvalidArgument for a merge operand without an operator,
// NotSupported for a blob that nobody can fetch, Incomplete if on_progress ends
// it, MemoryLimit. What was shown before is no use then: an engine drops its
// outputs.
//
// One thread at a time. What the options point to must outlive the iterator.
#ifndef ASHLAR_TABLE_COMPACTION_ITERATOR_H_
#define ASHLAR_TABLE_COMPACTION_ITERATOR_H_

#include <cassert>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/iterator.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

class CompactionFilter;
class MergeOperator;
class RangeDeletionAggregator;

// What became of the entries of the inputs.
struct CompactionCounts {
  uint64_t input_entries = 0;
  uint64_t input_raw_key_bytes = 0;  // internal keys
  uint64_t input_raw_value_bytes = 0;
  uint64_t input_deletions = 0;  // point deletions of all kinds
  uint64_t output_entries = 0;
  // Dropped, by reason.
  uint64_t dropped_hidden = 0;            // a newer version is in its stripe
  uint64_t dropped_obsolete = 0;          // deletions that hide nothing
  uint64_t dropped_range_deleted = 0;     // a range deletion is over it
  uint64_t dropped_by_filter = 0;         // removed or skipped
  uint64_t dropped_single_deletions = 0;  // also in pairs
  uint64_t dropped_single_deleted = 0;    // the other half of the pairs
  // Single deletions that met what they should not: an entry that is no value,
  // or another single deletion or a deletion.
  uint64_t single_deletion_mismatches = 0;
  // Merge operands and values that went into results, and the results.
  uint64_t merged_operands = 0;
  uint64_t merge_results = 0;
  // Entries whose sequence number became 0.
  uint64_t zeroed_sequences = 0;

  // Adds the counts of another iterator.
  ASHLAR_EXPORT CompactionCounts& operator+=(const CompactionCounts& other);
};

// Which rules apply to the entries.
struct CompactionIteratorOptions {
  // That of all inputs.
  const Comparator* comparator = BytewiseComparator();

  // Sequence numbers of the live snapshots, in any order. The versions that
  // they see are kept.
  std::vector<SequenceNumber> snapshots;
  // The earliest snapshot that a transaction uses to find write conflicts; it
  // is one of `snapshots`. Single deletions above it are kept, with an empty
  // value for what they delete. Default: there is none.
  SequenceNumber earliest_write_conflict_snapshot = kMaxSequenceNumber;

  // Whether memtables are flushed. Deletions then stay, whatever the next two
  // fields say.
  bool is_flush = false;
  // Whether no file that takes no part has older data in the whole key range of
  // the inputs. Sequence numbers that all snapshots see then become 0, and
  // deletions go. Default: false.
  bool bottommost = false;
  // Returns whether a file deeper than the output may have this user key. Where
  // it returns false, deletions that all snapshots see go. Empty, the default:
  // every key may be there. RocksDB asks in level compactions only. Keys come
  // in ascending order. OlderFiles (table/output_cutter.h) knows the answer.
  std::function<bool(const Slice& user_key)> may_exist_deeper;
  // Whether files may later be ingested beneath all others. Deletions then
  // stay, and no sequence number becomes 0. Default: false.
  bool allow_ingest_behind = false;
  // Entries with a larger sequence number keep it, so that their age stays
  // known: that of the newest entry that is older than the time to be
  // preserved. Default: none is kept for that.
  SequenceNumber preserve_seqno_after = kMaxSequenceNumber;

  // Comparators with timestamps only: the history below this timestamp is not
  // needed. Empty, the default: all is.
  std::string full_history_ts_low;

  // Whether a single deletion above a deletion of the same key is Corruption.
  // Default: true. If false, it is dropped.
  bool enforce_single_del_contracts = true;

  // Null, the default: a merge operand is InvalidArgument.
  const MergeOperator* merge_operator = nullptr;
  // Null, the default: nothing is filtered.
  CompactionFilter* compaction_filter = nullptr;
  // Passed to the filter.
  int level = 0;
  // Fetches the value of a blob index, for merges and for the filter. Empty,
  // the default: a merge on top of one is NotSupported, and the filter sees the
  // reference. Blob indexes are otherwise passed through.
  std::function<Status(const Slice& user_key, const Slice& blob_index,
                       std::string* value)>
      fetch_blob;

  // Flushes only: returns the sequence number of the newest write at or before
  // `time`, in seconds since 1970, and 0 if all are younger. Timed puts of the
  // memtable, whose values end in a time, then become timed puts with a
  // preferred sequence number, or values. Empty, the default: they become
  // values.
  std::function<SequenceNumber(uint64_t time)> sequence_at_time;

  // Whether the iterator also stops where a range deletion of an input begins
  // (CompactionIterator::AtRangeDeletion), as an OutputCutter wants to know.
  // Default: false.
  bool show_range_deletion_begins = false;

  // Called at the first entry, and then whenever another kProgressBytes of
  // entries were taken from the inputs, whether they are shown or dropped.
  // Returns whether to go on; if not, the iterator is Incomplete. Empty, the
  // default: goes on.
  static constexpr uint64_t kProgressBytes = 4096;
  std::function<bool(const CompactionCounts& so_far)> on_progress;
};

class ASHLAR_EXPORT CompactionIterator {
 public:
  // Takes over the inputs: Iterators over tables, with
  // ReadOptions::ignore_range_deletions, and over memtables. Which comes first
  // does not matter. `range_deletions` has those of all inputs; null: there are
  // none.
  CompactionIterator(CompactionIteratorOptions options,
                     std::vector<Iterator> inputs,
                     RangeDeletionAggregator* range_deletions = nullptr);
  CompactionIterator(CompactionIterator&& other) noexcept;
  CompactionIterator& operator=(CompactionIterator&& other) noexcept;
  ~CompactionIterator();

  // Moves to the first entry. To be called once, or Seek.
  void SeekToFirst();
  // Begins at the first entry whose user key is not below this one, which has
  // no timestamp: for a part of a compaction.
  void Seek(const Slice& user_key);
  // Moves on. Requires: Valid().
  void Next();

  // False past the last entry, and after an error.
  bool Valid() const { return valid_; }
  Status status() const;

  // Whether this is not an entry, but the begin of a range deletion of an
  // input; only user_key() and tail() may then be called. False unless
  // show_range_deletion_begins is set. Requires: Valid().
  bool AtRangeDeletion() const { return at_range_deletion_; }

  // Parts of the entry, which live until the iterator moves. The user key has
  // its timestamp. Requires: Valid().
  Slice user_key() const {
    assert(valid_);
    return user_key_;
  }
  uint64_t tail() const { return tail_; }
  SequenceNumber sequence() const { return tail_ >> 8; }
  ValueType type() const { return static_cast<ValueType>(tail_ & 0xff); }
  Slice value() const { return value_; }

  // Returns what was done with the entries so far.
  const CompactionCounts& counts() const;

 private:
  struct State;
  void Show();

  Slice user_key_;
  Slice value_;
  uint64_t tail_ = 0;
  bool valid_ = false;
  bool at_range_deletion_ = false;
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_COMPACTION_ITERATOR_H_
