#include "table/read/check_entries.h"

#include <memory>
#include <optional>
#include <vector>

#include "table/read/table_iterator.h"

namespace ashlar::internal {

namespace {

// Returns options with which an iterator shows every stored entry.
ReadOptions PlainOptions(const ReadOptions& options) {
  ReadOptions plain;
  plain.verify_checksums = options.verify_checksums;
  plain.fill_cache = options.fill_cache;
  plain.readahead_size = options.readahead_size;
  plain.ignore_range_deletions = true;
  plain.read_tier = options.read_tier;
  plain.deadline = options.deadline;
  plain.io_timeout = options.io_timeout;
  plain.io_context = options.io_context;
  plain.rate_limiter_priority = options.rate_limiter_priority;
  return plain;
}

// What one thread walks with. `walk_` is on the first block of run number
// `run_`, and `scout_` on the first block after that run.
class EntryWorker {
 public:
  EntryWorker(const OpenedTable* table, const ReadOptions& options,
              RunWalk* runs)
      : table_(*table),
        runs_(*runs),
        walk_(table, options),
        scout_(&table->index) {
    if (table->blobs != nullptr) {
      blobs_.emplace(FileWindow(table->file.get(), options.readahead_size,
                                /*expecting=*/false, table->counters));
      blobs_->window.AskFirst(table->source.gate());
    }
    const LimitScope limits(walk_.options);
    scout_on_block_ = scout_.SeekToFirst();
    walk_on_block_ = walk_.at.SeekToFirst();
    FindRunEnd();
  }

  // Returns whether there are blocks after this run.
  bool sees_more() const { return scout_on_block_; }
  uint64_t EntriesUpTo(size_t last_run) const {
    uint64_t entries = 0;
    for (const Count& count : counts_) {
      if (count.run <= last_run) entries += count.entries;
    }
    return entries;
  }

  std::optional<uint64_t> Find(size_t run) {
    const LimitScope limits(walk_.options);
    while (run_ < run && blocks_ != 0) {
      for (size_t i = 0; walk_on_block_ && i < blocks_; ++i) {
        walk_on_block_ = walk_.at.Next();
      }
      GoToNextRun();
    }
    if (blocks_ != 0) return offset_;
    const Status& end = scout_.status();
    if (!end.ok()) runs_.Fail(run_, table_.Named(end));
    return std::nullopt;
  }

  // Moves to the next run unless there is a fault.
  void Check() {
    const LimitScope limits(walk_.options);
    if (bytes_ <= walk_.options.readahead_size && !table_.data.cache().any()) {
      // If this fails, reading each block will report why.
      walk_.window.Fill(offset_, bytes_).IgnoreError();
    }
    counts_.push_back({run_, 0});
    for (size_t i = 0; i < blocks_; ++i) {
      // The scout was here. But a part of the index in the block cache may be
      // gone by now, and its file may fail.
      if (!walk_on_block_) {
        runs_.Fail(run_, table_.Named(walk_.at.status()));
        return;
      }
      if (!walk_.PassBlock(&counts_.back().entries,
                           blobs_ ? &*blobs_ : nullptr)) {
        runs_.Fail(run_, walk_.status);
        return;
      }
      walk_on_block_ = walk_.at.Next();
    }
    GoToNextRun();
  }

 private:
  struct Count {
    size_t run;
    uint64_t entries;
  };

  void GoToNextRun() {
    ++run_;
    FindRunEnd();
  }

  // Requires: the scout is at the first block of the run.
  void FindRunEnd() {
    blocks_ = 0;
    if (!scout_on_block_) return;
    offset_ = scout_.handle().offset;
    do {
      bytes_ = scout_.handle().End() - offset_;
      ++blocks_;
      scout_on_block_ = scout_.Next();
    } while (scout_on_block_ && RunGoesOnTo(scout_.handle(), offset_,
                                            walk_.options.readahead_size));
  }

  const OpenedTable& table_;
  RunWalk& runs_;
  TableIterator walk_;
  IndexCursor scout_;
  std::optional<BlobWorkspace> blobs_;  // if the table has embedded blobs
  bool scout_on_block_;
  bool walk_on_block_;
  size_t run_ = 0;
  size_t blocks_ = 0;  // blocks of the run; 0 after the last run
  uint64_t offset_ = 0;
  uint64_t bytes_ = 0;
  std::vector<Count> counts_;
};

}  // namespace

Status CheckEveryEntry(const OpenedTable& table, const ReadOptions& options,
                       const RunWalk::OnProgress& on_progress, WorkerPool* pool,
                       uint64_t* entries) {
  RunWalk runs(on_progress, table.file->Size());
  std::vector<std::unique_ptr<EntryWorker>> workers;
  const uint32_t helpers = pool == nullptr ? 0 : pool->threads();
  for (uint32_t i = 0; i <= helpers; ++i) {
    workers.push_back(
        std::make_unique<EntryWorker>(&table, PlainOptions(options), &runs));
    // If there is one run, one thread is enough.
    if (!workers.back()->sees_more()) break;
  }
  const bool all = runs.Run<EntryWorker>(pool, workers);
  *entries = 0;
  for (const auto& worker : workers) {
    *entries += worker->EntriesUpTo(runs.bad_run());
  }
  return all ? runs.fault()
             : Status::Aborted(table.file->name() + ": stopped on request");
}

}  // namespace ashlar::internal
