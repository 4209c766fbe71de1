// RangeDeletionAggregator: the range deletions of all inputs of a compaction or
// a flush.
//
// It answers two questions. Which entries are deleted: Deletes, asked for
// entries in ascending order. Which range deletions does each output file get,
// and how do they widen its key range: CutForOutput, asked for output after
// output. CompactionIterator asks the first, CompactTables (or the engine's own
// loop) the second.
//
// How it works. Add cuts the deletions of one input into fragments, and clips
// them to the input's bounds. What is left are pieces: a range and a sequence
// number. Pieces of several inputs may overlap. A sweep in key order keeps
// those that are over the current key, by sequence number. It is moved when the
// key passes a begin or an end, so an entry costs one comparison with each.
// CutForOutput takes the pieces that touch the output, cuts them at each
// other's begins and ends, and keeps the newest sequence number of each
// snapshot stripe. Neighbours with equal sequence numbers are not joined.
//
// A piece ends in front of an internal key, not of a user key, where an input
// file ends between two versions of one key: such a file says nothing of older
// versions, which may be in another file.
//
// With timestamps, only range deletions below full_history_ts_low delete
// entries, and only entries below it; all are kept in outputs.
//
// One thread at a time. Keys that are passed to Add must outlive it, bounds are
// copied. A call that throws std::bad_alloc leaves it fit for destruction only.
#ifndef ASHLAR_TABLE_RANGE_DELETION_AGGREGATOR_H_
#define ASHLAR_TABLE_RANGE_DELETION_AGGREGATOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/range_deletion.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

class ASHLAR_EXPORT RangeDeletionAggregator {
 public:
  // What decides which range deletions are still needed.
  struct Options {
    // Must outlive the aggregator.
    const Comparator* comparator = BytewiseComparator();
    // Sequence numbers of the live snapshots, in any order.
    std::vector<SequenceNumber> snapshots;
    // Comparators with timestamps only. Empty: nothing is below.
    std::string full_history_ts_low;
  };

  // Internal keys between which the range deletions of an input count. For a
  // file of level 0 these are its own smallest and largest key. For a file of a
  // deeper level they are those of its run of neighbours that share a user key
  // at their borders. (The end of a range deletion shares nothing.)
  struct Bounds {
    Slice smallest;
    Slice largest;
    // The smallest key of the file itself. Empty: `smallest`.
    Slice file_smallest;
  };

  // Where one output begins and ends, as internal keys. Empty: nothing bounds
  // it. OutputRanges (table/output_cutter.h) finds them.
  struct OutputRange {
    std::string lower;
    std::string upper;
  };

  // Which range deletions no file needs any more.
  struct DropRule {
    // No file that takes no part in the compaction has older data of the range
    // of its inputs: all that every snapshot sees is dropped.
    bool bottommost = false;
    // Returns whether a deeper file may have keys from `begin` to `end`, user
    // keys without timestamps; `end` is exclusive. Empty: all may. Asked in
    // ascending order of `begin`.
    std::function<bool(const Slice& begin, const Slice& end)> may_exist_deeper;
  };

  // What one output gets.
  struct Result {
    uint64_t written = 0;  // how many range deletions were passed on
    uint64_t dropped = 0;
    // Over the pieces, clipped to the output. Internal keys; empty if nothing
    // was written.
    std::string smallest;
    std::string largest;
    SequenceNumber smallest_seqno = kMaxSequenceNumber;
    SequenceNumber largest_seqno = 0;
  };

  // Makes an aggregator without range deletions.
  explicit RangeDeletionAggregator(Options options);
  RangeDeletionAggregator(RangeDeletionAggregator&& other) noexcept;
  RangeDeletionAggregator& operator=(RangeDeletionAggregator&& other) noexcept;
  ~RangeDeletionAggregator();

  // Adds the range deletions of an input, in any order; null bounds for a
  // memtable. To be called before any other function. Returns NotSupported if
  // they overlap so much that they would be more than 2^24 pieces, MemoryLimit
  // if memory runs out.
  Status Add(std::span<const RangeDeletion> deletions,
             const Bounds* bounds = nullptr);

  // Returns whether there are no pieces at all.
  bool empty() const;

  // Returns whether an entry of this key is deleted: whether a range deletion
  // over it is newer, and no snapshot is between the two. `user_key` has its
  // timestamp. Requires: entries come in ascending order.
  bool Deletes(const Slice& user_key, uint64_t tail);
  // The same for the key of the last call, if it had this sequence number.
  bool WouldDelete(SequenceNumber sequence) const;

  // Passes to `visit`, in the order of their begins, the range deletions that
  // the output in `range` gets; those of one fragment come newest first.
  // `visit` returns an error to end the call, which then returns it. Slices
  // live until it returns. Requires: outputs come in ascending order.
  Status CutForOutput(
      const OutputRange& range, const DropRule& rule,
      const std::function<Status(const RangeDeletion& deletion)>& visit,
      Result* result);

  // Calls `visit` with the internal key of the begin of each fragment of each
  // input, in ascending order. CompactionIterator shows them to the cutter of
  // outputs.
  void VisitBegins(
      const std::function<void(const Slice& internal_key)>& visit) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_RANGE_DELETION_AGGREGATOR_H_
