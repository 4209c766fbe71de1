#include "table/compaction/subcompactions.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <optional>
#include <utility>

#include "ashlar/util/sync/mutex.h"
#include "ashlar/util/worker_pool.h"
#include "table/compaction/compaction_part.h"
#include "util/mem/memory_limit.h"
#include "util/sync/worker_crew.h"

namespace ashlar::internal {

namespace {

class SharedOutputs {
 public:
  explicit SharedOutputs(CompactionOutputs* outputs) : outputs_(outputs) {}

  Result<WritableFile*> Begin(TableOptions* table, BuildOptions* build,
                              size_t* number) {
    const MutexLock lock(&mutex_);
    *number = next_++;
    return outputs_->Begin(*number, table, build);
  }
  Status End(const CompactionOutput& output) {
    const MutexLock lock(&mutex_);
    return outputs_->End(output);
  }
  void Drop(size_t number) {
    const MutexLock lock(&mutex_);
    outputs_->Drop(number);
  }

  // Ends all parts. Of the errors, the first one counts.
  void Fail(const Status& status, std::exception_ptr thrown) {
    const MutexLock lock(&mutex_);
    if (!error_.ok() || thrown_ != nullptr) return;
    error_ = status;
    thrown_ = std::move(thrown);
    // Last, and under the mutex: a part that sees it ends as cancelled, and
    // must find the mutex taken or the cause stored.
    stop_.Store(true);
  }
  const RelaxedAtomic<bool>* stop() const { return &stop_; }
  // Throws if the first error was an exception. Requires: no part runs.
  Status TakeError() {
    const MutexLock lock(&mutex_);
    if (thrown_ != nullptr) std::rethrow_exception(std::move(thrown_));
    return std::move(error_);
  }

 private:
  Mutex mutex_;
  CompactionOutputs* const outputs_;
  size_t next_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = 0;
  Status error_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  std::exception_ptr thrown_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  RelaxedAtomic<bool> stop_{false};
};

// One part. It has one output at a time, so the numbers that the CompactionPart
// gives do not matter.
class Subcompaction final : public CompactionOutputs {
 public:
  Subcompaction(CompactionOptions options, SharedOutputs* shared)
      : options_(std::move(options)), shared_(*shared) {}

  // Returns whether all went well. Throws nothing.
  bool Run(const std::vector<CompactionRun>& runs) {
    Status status;
    std::exception_ptr thrown;
    try {
      status = CompactionPart(options_, this, shared_.stop(), &result_)
                   .Run(runs, {});
    } catch (...) {
      thrown = std::current_exception();
    }
    if (status.ok() && thrown == nullptr) return true;
    shared_.Fail(status, std::move(thrown));
    return false;
  }

  Result<WritableFile*> Begin(size_t /*number*/, TableOptions* table,
                              BuildOptions* build) override {
    // First, so that no allocation can fail between Begin and End.
    numbers_.reserve(numbers_.size() + 1);
    size_t number = 0;
    Result<WritableFile*> file = shared_.Begin(table, build, &number);
    if (file.ok()) numbers_.push_back(number);
    return file;
  }
  Status End(const CompactionOutput& output) override {
    CompactionOutput renumbered = output;
    renumbered.number = numbers_.back();
    Status status = shared_.End(renumbered);
    if (!status.ok()) numbers_.pop_back();
    return status;
  }
  void Drop(size_t /*number*/) override {
    shared_.Drop(numbers_.back());
    numbers_.pop_back();
  }

  void AddTo(CompactionResult* result) const {
    result->counts += result_.counts;
    result->outputs += result_.outputs;
    result->range_deletions_written += result_.range_deletions_written;
    result->range_deletions_dropped += result_.range_deletions_dropped;
    result->output_numbers.insert(result->output_numbers.end(),
                                  numbers_.begin(), numbers_.end());
  }

 private:
  const CompactionOptions options_;
  SharedOutputs& shared_;
  CompactionResult result_;
  std::vector<size_t> numbers_;  // those that ended, then that of the open one
};

}  // namespace

Status RunSubcompactions(const CompactionOptions& options,
                         const std::vector<CompactionRun>& runs,
                         const std::vector<std::string>& borders,
                         CompactionOutputs* outputs, CompactionResult* result) {
  SharedOutputs shared(outputs);
  std::deque<Subcompaction> parts;  // deque: parts do not move
  for (size_t i = 0; i <= borders.size(); ++i) {
    CompactionOptions part = options;
    if (i > 0) part.start = borders[i - 1];
    if (i < borders.size()) part.end = borders[i];
    if (options.prepare_part) options.prepare_part(i, &part);
    parts.emplace_back(std::move(part), &shared);
  }
  const auto count = static_cast<uint32_t>(parts.size());
  std::optional<WorkerPool> own;
  WorkerPool* pool = options.worker_pool;
  if (pool == nullptr) pool = &own.emplace(count - 1);
  const WorkerCrew crew(pool->state(), count - 1);
  const bool done =
      crew.ForEach(count, [&](uint32_t i) { return parts[i].Run(runs); });
  for (const Subcompaction& part : parts) part.AddTo(result);
  return done ? Status() : shared.TakeError();
}

}  // namespace ashlar::internal
