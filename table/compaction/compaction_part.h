// CompactionPart: a compaction, or one of the parts that it is divided into,
// from inputs to finished tables, on one thread.
//
// Data flow, for each thing that the CompactionIterator shows:
//
//   OutputCutter    ends the output in front of it, or not. Begins of range
//                   deletions are shown to the cutter unless the compaction is
//                   bottommost; they open outputs, but are not written
//   TableBuilder    takes the entry
//   at the end of an output
//     OutputRanges              finds between which keys its range deletions
//                               count
//     RangeDeletionAggregator   gives those, whole; only the bounds of the
//                               output are clipped
//     CompactionOutputs::End    gets the finished table. An output without
//                               entries and range deletions is dropped
//
// If there is no output at all, but there are range deletions, one is opened
// for them at the end.
//
// Inputs. A run of several tables is one input (RunSource), with one iterator
// at a time. So read-ahead and decoding ahead (load/decode_ahead.h) are bounded
// by the number of runs, and decoding also by kMostDecodedAhead.
//
// Progress. The iterator calls GoOn at every 4 KiB of input, whatever becomes
// of it. GoOn reports amounts, and looks for reasons to stop: a cancelled
// CompactionProgress, the flag `stop`, the application's on_progress. So a part
// ends within one block, and its open output is dropped. The end of an output
// is a place to stop as well: what follows, filters and range deletions, may
// take long.
//
// One thread at a time; `stop` may be set by any.
#ifndef ASHLAR_TABLE_COMPACTION_COMPACTION_PART_H_
#define ASHLAR_TABLE_COMPACTION_COMPACTION_PART_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/table/compaction_progress.h"
#include "table/format/key_order.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class CompactionPart {
 public:
  // `stop` may be null. All of these must outlive the part.
  CompactionPart(const CompactionOptions& options, CompactionOutputs* outputs,
                 const RelaxedAtomic<bool>* stop, CompactionResult* result);

  CompactionPart(const CompactionPart&) = delete;
  CompactionPart& operator=(const CompactionPart&) = delete;
  // Drops the open output, which there is only after an error or an exception.
  ~CompactionPart();

  // To be called once.
  Status Run(const std::vector<CompactionRun>& runs,
             std::vector<CompactionMemory> memory);

 private:
  // False for a table without bounds, which are empty.
  bool SharesUserKey(const std::string& largest,
                     const std::string& smallest) const {
    return !largest.empty() && !smallest.empty() &&
           !IsRangeDeletionEnd(largest) &&
           order_.CompareUserKeys(UserKeyOf(largest), UserKeyOf(smallest)) == 0;
  }
  ReadOptions ReadOptionsOf(const CompactionRun& run, size_t input) const;
  Status TakeRun(const CompactionRun& run);
  Status TakeInputs(const std::vector<CompactionRun>& runs,
                    std::vector<CompactionMemory> memory);
  bool IsBeyondEnd(const Slice& user_key) const {
    return !options_.end.empty() &&
           order_.WithoutTimestamps().CompareUserKeys(
               WithoutTimestamp(user_key, order_.timestamp_size()),
               options_.end) >= 0;
  }
  bool IsStopped() const;
  bool GoOn(const CompactionCounts& counts);
  void Report(const CompactionCounts& counts);
  bool CutsBySizeOnly() const;
  bool ShouldCutBefore(const CompactionIterator& it);
  uint64_t OutputSize() const;
  Status Walk();
  Status Open(const Slice& user_key, uint64_t tail);
  Status CloseOutput(const Slice& next);
  Status FinishOutput(const RangeDeletionAggregator::Result& deletions);
  void DropOutput() {
    builder_.reset();
    outputs_->Drop(number_);
  }

  const CompactionOptions& options_;
  const KeyOrder order_;
  const Slice end_;  // options_.end
  CompactionOutputs* const outputs_;
  const RelaxedAtomic<bool>* const stop_;
  CompactionResult* const result_;
  RangeDeletionAggregator deletions_;
  OutputRanges ranges_;
  std::optional<OutputCutter> cutter_;
  bool by_size_only_ = false;  // set by Walk
  std::vector<Iterator> inputs_;

  // Of the current output.
  std::unique_ptr<TableBuilder> builder_;
  size_t number_ = 0;
  size_t next_number_ = 0;

  uint64_t finished_bytes_ = 0;  // of the outputs that are complete
  CompactionAmounts reported_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_COMPACTION_COMPACTION_PART_H_
