// Data flow of a compaction, for each thing that the CompactionIterator shows:
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

#include <algorithm>
#include <optional>
#include <utility>

#include "ashlar/table/compaction.h"
#include "table/format/key_order.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace {

using internal::KeyOrder;

class TableCompaction {
 public:
  TableCompaction(const CompactionOptions& options, CompactionOutputs* outputs,
                  CompactionResult* result)
      : options_(options),
        order_(options.iterator.comparator),
        outputs_(outputs),
        result_(result),
        deletions_({options.iterator.comparator, options.iterator.snapshots,
                    options.iterator.full_history_ts_low}),
        ranges_(options.iterator.comparator, options.start, options.end) {
    if (!options.cuts_outputs) return;
    OutputCutterOptions cutter = options.cutter;
    cutter.comparator = options.iterator.comparator;
    cutter.bottommost = options.iterator.bottommost;
    cutter_.emplace(std::move(cutter));
  }

  Status Run(const std::vector<CompactionRun>& runs,
             std::vector<CompactionMemory> memory) {
    Status status = TakeInputs(runs, std::move(memory));
    if (status.ok()) status = Walk();
    if (!status.ok() && builder_ != nullptr) DropOutput();
    return status;
  }

 private:
  bool SharesUserKey(const std::string& largest,
                     const std::string& smallest) const {
    return SequenceOf(largest) != kMaxSequenceNumber &&
           order_.CompareUserKeys(UserKeyOf(largest), UserKeyOf(smallest)) == 0;
  }
  Status TakeRun(const CompactionRun& run);
  Status TakeInputs(const std::vector<CompactionRun>& runs,
                    std::vector<CompactionMemory> memory);
  bool IsBeyondEnd(const Slice& user_key) const {
    return !options_.end.empty() &&
           order_.WithoutTimestamps().CompareUserKeys(
               WithoutTimestamp(user_key, order_.timestamp_size()),
               options_.end) >= 0;
  }
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
  CompactionOutputs* const outputs_;
  CompactionResult* const result_;
  RangeDeletionAggregator deletions_;
  OutputRanges ranges_;
  std::optional<OutputCutter> cutter_;
  std::vector<Iterator> inputs_;

  // Of the current output.
  std::unique_ptr<TableBuilder> builder_;
  size_t number_ = 0;
  size_t next_number_ = 0;
};

// Range deletions of a table count within its atomic unit: the neighbours that
// share user keys at their borders.
Status TableCompaction::TakeRun(const CompactionRun& run) {
  size_t unit_begin = 0;
  for (size_t i = 0; i < run.size(); ++i) {
    const CompactionInput& input = run[i];
    ReadOptions read_options;
    read_options.ignore_range_deletions = true;
    read_options.fill_cache = false;
    inputs_.push_back(input.table->NewIterator(read_options));
    if (input.smallest.empty()) {
      Status added = deletions_.Add(input.table->RangeDeletions());
      if (!added.ok()) return added;
      continue;
    }
    if (i > 0 && !SharesUserKey(run[i - 1].largest, input.smallest)) {
      unit_begin = i;
    }
    size_t unit_end = i;
    while (unit_end + 1 < run.size() &&
           SharesUserKey(run[unit_end].largest, run[unit_end + 1].smallest)) {
      ++unit_end;
    }
    const RangeDeletionAggregator::Bounds bounds = {
        run[unit_begin].smallest, run[unit_end].largest, input.smallest};
    Status added = deletions_.Add(input.table->RangeDeletions(), &bounds);
    if (!added.ok()) return added;
  }
  return {};
}

Status TableCompaction::TakeInputs(const std::vector<CompactionRun>& runs,
                                   std::vector<CompactionMemory> memory) {
  for (const CompactionRun& run : runs) {
    Status taken = TakeRun(run);
    if (!taken.ok()) return taken;
  }
  for (CompactionMemory& each : memory) {
    Status added = deletions_.Add(each.range_deletions);
    if (!added.ok()) return added;
    if (each.entries == nullptr) continue;
    inputs_.push_back(
        NewSourceIterator(order_.comparator(), std::move(each.entries)));
  }
  return {};
}

uint64_t TableCompaction::OutputSize() const {
  if (builder_ == nullptr) return 0;
  return options_.target_file_size_is_upper_bound
             ? builder_->FileSize() + builder_->EstimatedTailSize()
             : builder_->FileSize();
}

Status TableCompaction::Open(const Slice& user_key, uint64_t tail) {
  number_ = next_number_++;
  TableOptions table = options_.table;
  table.comparator = order_.comparator();
  BuildOptions build = options_.build;
  Result<WritableFile*> file = outputs_->Begin(number_, &table, &build);
  if (!file.ok()) return file.status();
  Result<std::unique_ptr<TableBuilder>> builder =
      TableBuilder::Create(table, build, *file);
  if (!builder.ok()) {
    outputs_->Drop(number_);
    return builder.status();
  }
  builder_ = std::move(builder).value();
  ranges_.Open(user_key, tail);
  return {};
}

Status TableCompaction::Walk() {
  CompactionIteratorOptions iterator = options_.iterator;
  const bool shows_begins = cutter_.has_value() && !iterator.bottommost;
  iterator.show_range_deletion_begins = shows_begins;
  CompactionIterator it(std::move(iterator), std::move(inputs_), &deletions_);
  Status status;
  if (options_.start.empty()) {
    it.SeekToFirst();
  } else {
    it.Seek(options_.start);
  }
  for (; it.Valid() && status.ok(); it.Next()) {
    const Slice user_key = it.user_key();
    if (IsBeyondEnd(user_key)) break;
    const bool is_begin = it.AtRangeDeletion();
    if (cutter_ &&
        cutter_->ShouldCutBefore(user_key, it.tail(), is_begin,
                                 builder_ != nullptr, OutputSize())) {
      status = CloseOutput(MakeInternalKey(user_key, it.sequence(), it.type()));
      if (!status.ok()) break;
    }
    if (builder_ == nullptr) status = Open(user_key, it.tail());
    if (!status.ok() || is_begin) continue;
    status = builder_->Add(user_key, it.tail(), it.value());
  }
  if (status.ok()) status = it.status();
  result_->counts = it.counts();
  if (!status.ok()) return status;
  if (builder_ == nullptr) {
    if (next_number_ != 0 || deletions_.empty()) return {};
    status = Open(Slice(), 0);
    if (!status.ok()) return status;
  }
  return CloseOutput(Slice());
}

Status TableCompaction::CloseOutput(const Slice& next) {
  const RangeDeletionAggregator::OutputRange range =
      ranges_.Close(builder_->LastEntryKey(), next);
  RangeDeletionAggregator::DropRule rule;
  if (!options_.iterator.is_flush) {
    rule = {options_.iterator.bottommost, options_.range_may_exist_deeper};
  }
  RangeDeletionAggregator::Result deletions;
  Status status = deletions_.CutForOutput(
      range, rule,
      [this](const RangeDeletion& deletion) {
        return builder_->Add(
            deletion.begin,
            PackTail(deletion.sequence, ValueType::kTypeRangeDeletion),
            deletion.end);
      },
      &deletions);
  result_->range_deletions_written += deletions.written;
  result_->range_deletions_dropped += deletions.dropped;
  if (!status.ok()) return status;
  if (builder_->NumEntries() == 0) {
    DropOutput();
    return {};
  }
  return FinishOutput(deletions);
}

Status TableCompaction::FinishOutput(
    const RangeDeletionAggregator::Result& deletions) {
  Status status = builder_->Finish();
  if (!status.ok()) return status;
  ranges_.Keep();
  const TableSummary& summary = builder_->summary();
  CompactionOutput output;
  output.number = number_;
  output.builder = builder_.get();
  output.smallest = summary.first_entry;
  output.largest = summary.last_entry;
  if (!deletions.smallest.empty()) {
    if (output.smallest.empty() ||
        order_.Compare(deletions.smallest, output.smallest) < 0) {
      output.smallest = deletions.smallest;
    }
    if (output.largest.empty() ||
        order_.Compare(deletions.largest, output.largest) > 0) {
      output.largest = deletions.largest;
    }
  }
  ++result_->outputs;
  status = outputs_->End(output);
  builder_.reset();
  return status;
}

}  // namespace

Status CompactTables(const CompactionOptions& options,
                     const std::vector<CompactionRun>& runs,
                     std::vector<CompactionMemory> memory,
                     CompactionOutputs* outputs, CompactionResult* result) {
  *result = CompactionResult();
  return internal::OrMemoryLimit([&] {
    return TableCompaction(options, outputs, result)
        .Run(runs, std::move(memory));
  });
}

}  // namespace ashlar
