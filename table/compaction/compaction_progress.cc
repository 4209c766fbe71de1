// Counters and a flag, each atomic by itself: none publishes anything else.

#include "ashlar/table/compaction_progress.h"

#include "util/sync/atomic.h"

namespace ashlar {

struct CompactionProgress::State {
  internal::RelaxedAtomic<bool> canceled;
  internal::RelaxedAtomic<uint64_t> expected_bytes;
  internal::RelaxedAtomic<uint64_t> input_entries;
  internal::RelaxedAtomic<uint64_t> input_bytes;
  internal::RelaxedAtomic<uint64_t> output_entries;
  internal::RelaxedAtomic<uint64_t> output_bytes;
  internal::RelaxedAtomic<uint64_t> outputs;
};

CompactionProgress::CompactionProgress() : state_(std::make_unique<State>()) {}
CompactionProgress::~CompactionProgress() = default;

void CompactionProgress::Cancel() { state_->canceled.Store(true); }

bool CompactionProgress::IsCanceled() const { return state_->canceled.Load(); }

CompactionAmounts CompactionProgress::Amounts() const {
  CompactionAmounts amounts;
  amounts.expected_bytes = state_->expected_bytes.Load();
  amounts.input_entries = state_->input_entries.Load();
  amounts.input_bytes = state_->input_bytes.Load();
  amounts.output_entries = state_->output_entries.Load();
  amounts.output_bytes = state_->output_bytes.Load();
  amounts.outputs = state_->outputs.Load();
  return amounts;
}

void CompactionProgress::Add(const CompactionAmounts& more) {
  state_->expected_bytes.FetchAdd(more.expected_bytes);
  state_->input_entries.FetchAdd(more.input_entries);
  state_->input_bytes.FetchAdd(more.input_bytes);
  state_->output_entries.FetchAdd(more.output_entries);
  state_->output_bytes.FetchAdd(more.output_bytes);
  state_->outputs.FetchAdd(more.outputs);
}

}  // namespace ashlar
