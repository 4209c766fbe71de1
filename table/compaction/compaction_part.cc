#include "table/compaction/compaction_part.h"

#include <algorithm>
#include <utility>

#include "ashlar/util/worker_pool.h"
#include "table/compaction/paused.h"
#include "table/compaction/run_source.h"
#include "table/read/reader_internals.h"
#include "util/mem/memory_limit.h"

namespace ashlar::internal {

CompactionPart::CompactionPart(const CompactionOptions& options,
                               CompactionOutputs* outputs,
                               const RelaxedAtomic<bool>* stop,
                               CompactionResult* result)
    : options_(options),
      order_(options.iterator.comparator),
      end_(options.end),
      outputs_(outputs),
      stop_(stop),
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

CompactionPart::~CompactionPart() {
  if (builder_ != nullptr) DropOutput();
}

Status CompactionPart::Run(const std::vector<CompactionRun>& runs,
                           std::vector<CompactionMemory> memory) {
  if (IsStopped()) return Paused();
  return OrMemoryLimit([&] {
    Status taken = TakeInputs(runs, std::move(memory));
    return taken.ok() ? Walk() : taken;
  });
}

bool CompactionPart::IsStopped() const {
  return (options_.progress != nullptr && options_.progress->IsCanceled()) ||
         (stop_ != nullptr && stop_->Load());
}

bool CompactionPart::GoOn(const CompactionCounts& counts) {
  Report(counts);
  if (IsStopped()) return false;
  return !options_.iterator.on_progress ||
         options_.iterator.on_progress(counts);
}

void CompactionPart::Report(const CompactionCounts& counts) {
  if (options_.progress == nullptr) return;
  CompactionAmounts now;
  now.input_entries = counts.input_entries;
  now.input_bytes = counts.input_raw_key_bytes + counts.input_raw_value_bytes;
  now.output_entries = counts.output_entries;
  now.output_bytes =
      finished_bytes_ + (builder_ == nullptr ? 0 : builder_->FileSize());
  now.outputs = result_->outputs;
  CompactionAmounts more;
  more.input_entries = now.input_entries - reported_.input_entries;
  more.input_bytes = now.input_bytes - reported_.input_bytes;
  more.output_entries = now.output_entries - reported_.output_entries;
  more.output_bytes = now.output_bytes - reported_.output_bytes;
  more.outputs = now.outputs - reported_.outputs;
  options_.progress->Add(more);
  reported_ = now;
}

// Into how many reads the bytes to read ahead are divided where the page cache
// holds them: what is copied then stays in the processor's cache until it is
// decoded. The window tells the system of four reads more (file_window.h).
constexpr uint64_t kReadsAhead = 8;

// `input`: how many inputs there are before.
ReadOptions CompactionPart::ReadOptionsOf(const CompactionRun& run,
                                          size_t input) const {
  const ReadOptions& from = options_.read;
  ReadOptions options;
  options.ignore_range_deletions = true;
  options.fill_cache = false;
  options.readahead_size = options_.compaction_readahead_size;
  options.verify_checksums = from.verify_checksums;
  options.async_io = from.async_io;
  options.rate_limiter_priority = from.rate_limiter_priority;
  if (!options_.end.empty()) options.iterate_upper_bound = &end_;
  const auto is_raw = [](const CompactionInput& table) {
    return ReaderInternals::TableOf(*table.table).source.AllRaw();
  };
  const bool in_page_cache =
      std::all_of(run.begin(), run.end(), [](const CompactionInput& table) {
        return ReaderInternals::TableOf(*table.table).file->FileDescriptor() >=
               0;
      });
  if (in_page_cache && options.readahead_size != 0) {
    options.readahead_size =
        std::max<uint64_t>(options.readahead_size / kReadsAhead, 1);
    options.async_io = true;
  }
  const bool decodes =
      from.worker_pool != nullptr && from.worker_pool->threads() != 0 &&
      input < CompactionOptions::kMostDecodedAhead &&
      from.rate_limiter_priority == IoPriority::kTotal &&
      (from.async_io || !std::all_of(run.begin(), run.end(), is_raw));
  if (decodes) {
    options.worker_pool = from.worker_pool;
    // Workers read for themselves: what the walk reads ahead would be read
    // twice.
    options.readahead_size = 0;
    options.async_io = from.async_io;
  }
  return options;
}

// Range deletions of a table count within its atomic unit: the neighbours that
// share user keys at their borders.
Status CompactionPart::TakeRun(const CompactionRun& run) {
  if (run.empty()) return {};
  const ReadOptions read_options = ReadOptionsOf(run, inputs_.size());
  if (run.size() == 1) {
    inputs_.push_back(run[0].table->NewIterator(read_options));
  } else {
    inputs_.push_back(NewSourceIterator(
        order_.comparator(),
        std::make_unique<RunSource>(&run, read_options, order_)));
  }
  size_t unit_begin = 0;
  for (size_t i = 0; i < run.size(); ++i) {
    const CompactionInput& input = run[i];
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

Status CompactionPart::TakeInputs(const std::vector<CompactionRun>& runs,
                                  std::vector<CompactionMemory> memory) {
  for (const CompactionRun& run : runs) {
    Status taken = TakeRun(run);
    if (!taken.ok()) return taken;
  }
  for (CompactionMemory& each : memory) {
    Status added = deletions_.Add(each.range_deletions);
    if (!added.ok()) return added;
    if (each.entries == nullptr) continue;
    ReadOptions read_options;
    if (!options_.end.empty()) read_options.iterate_upper_bound = &end_;
    inputs_.push_back(NewSourceIterator(order_.comparator(),
                                        std::move(each.entries), read_options));
  }
  return {};
}

// Returns whether the cutter would only ask for the size of an output, which is
// cheaper to ask here: it keeps each key, to see where a user key ends.
bool CompactionPart::CutsBySizeOnly() const {
  const OutputCutterOptions& cutter = options_.cutter;
  return cutter.grandparents.empty() && cutter.cut_around.empty() &&
         cutter.partitioner == nullptr && cutter.cut_at.empty() &&
         order_.timestamp_size() == 0 &&
         (options_.iterator.bottommost || deletions_.empty());
}

bool CompactionPart::ShouldCutBefore(const CompactionIterator& it) {
  if (!cutter_) return false;
  if (!by_size_only_) {
    return cutter_->ShouldCutBefore(it.user_key(), it.tail(),
                                    it.AtRangeDeletion(), builder_ != nullptr,
                                    OutputSize());
  }
  if (builder_ == nullptr || OutputSize() < options_.cutter.target_file_size) {
    return false;
  }
  return options_.cutter.cut_inside_user_keys ||
         order_.CompareUserKeys(UserKeyOf(builder_->LastEntryKey()),
                                it.user_key()) != 0;
}

uint64_t CompactionPart::OutputSize() const {
  if (builder_ == nullptr) return 0;
  return options_.target_file_size_is_upper_bound
             ? builder_->FileSize() + builder_->EstimatedTailSize()
             : builder_->FileSize();
}

Status CompactionPart::Open(const Slice& user_key, uint64_t tail) {
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

Status CompactionPart::Walk() {
  CompactionIteratorOptions iterator = options_.iterator;
  by_size_only_ = CutsBySizeOnly();
  const bool shows_begins = cutter_.has_value() && !iterator.bottommost;
  iterator.show_range_deletion_begins = shows_begins;
  if (options_.progress != nullptr || stop_ != nullptr) {
    iterator.on_progress = [this](const CompactionCounts& counts) {
      return GoOn(counts);
    };
  }
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
    if (ShouldCutBefore(it)) {
      status = CloseOutput(MakeInternalKey(user_key, it.sequence(), it.type()));
      if (!status.ok()) break;
    }
    if (builder_ == nullptr) status = Open(user_key, it.tail());
    if (!status.ok() || is_begin) continue;
    status = builder_->Add(user_key, it.tail(), it.value());
  }
  if (status.ok()) status = it.status();
  if (status.ok() && IsStopped()) status = Paused();
  if (status.ok() && builder_ == nullptr && next_number_ == 0 &&
      !deletions_.empty()) {
    status = Open(Slice(), 0);
  }
  if (status.ok() && builder_ != nullptr) status = CloseOutput(Slice());
  result_->counts = it.counts();
  Report(it.counts());
  return status;
}

Status CompactionPart::CloseOutput(const Slice& next) {
  if (IsStopped()) return Paused();
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

Status CompactionPart::FinishOutput(
    const RangeDeletionAggregator::Result& deletions) {
  Status status = builder_->Finish();
  if (!status.ok()) return status;
  ranges_.Keep();
  finished_bytes_ += builder_->FileSize();
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
  result_->output_numbers.push_back(number_);
  // From here on there is no open output, whatever End does.
  const std::unique_ptr<TableBuilder> ended = std::move(builder_);
  status = outputs_->End(output);
  if (status.ok()) {
    ++result_->outputs;
  } else {
    result_->output_numbers.pop_back();
  }
  return status;
}

}  // namespace ashlar::internal
