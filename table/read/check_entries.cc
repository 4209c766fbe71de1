#include "table/read/check_entries.h"

#include <algorithm>

#include "table/format/block_trailer.h"
#include "table/read/table_iterator.h"
#include "util/sync/worker_crew.h"

namespace ashlar::internal {

namespace {

// Returns options with which an iterator shows every stored entry.
ReadOptions PlainOptions(const ReadOptions& options) {
  ReadOptions plain;
  plain.verify_checksums = options.verify_checksums;
  plain.fill_cache = options.fill_cache;
  plain.readahead_size = options.readahead_size;
  plain.ignore_range_deletions = true;
  return plain;
}

}  // namespace

struct EntryCheck::Thread {
  Thread(const OpenedTable* table, const ReadOptions& options)
      : walk(table, options), scout(table->index.get()) {
    scout_on_block = scout.SeekToFirst();
    walk.at.SeekToFirst();
  }

  TableIterator walk;  // on the first block of run number `run`
  IndexCursor scout;   // on the first block after it
  bool scout_on_block;
  size_t run = 0;
  size_t blocks = 0;  // blocks of the run; 0 after the last run
  uint64_t offset = 0;
  uint64_t bytes = 0;
  struct Count {
    size_t run;
    uint64_t entries;
  };
  std::vector<Count> counts;
};

EntryCheck::EntryCheck(const OpenedTable* table, const ReadOptions& options,
                       const OnProgress& on_progress)
    : table_(table),
      options_(PlainOptions(options)),
      on_progress_(on_progress) {}

EntryCheck::~EntryCheck() = default;

Status EntryCheck::Run(WorkerPool* pool, uint64_t* entries) {
  const uint32_t workers = pool == nullptr ? 0 : pool->threads();
  for (uint32_t i = 0; i <= workers; ++i) {
    threads_.push_back(std::make_unique<Thread>(table_, options_));
    FindRunEnd(threads_.back().get());
    // If there is one run, one thread is enough.
    if (!threads_.back()->scout_on_block) break;
  }
  const auto threads = static_cast<uint32_t>(threads_.size());
  const WorkerCrew crew(pool == nullptr ? nullptr : pool->state(), threads - 1);
  const bool all = crew.ForEach(
      threads, [this](uint32_t i) { return TakeRuns(threads_[i].get()); });
  const size_t bad_run = bad_run_.Load();
  *entries = 0;
  for (const auto& thread : threads_) {
    for (const Thread::Count& count : thread->counts) {
      if (count.run <= bad_run) *entries += count.entries;
    }
  }
  if (!all) {
    return Status::Aborted(table_->file->name() + ": stopped on request");
  }
  const MutexLock lock(&mutex_);
  return fault_;
}

bool EntryCheck::TakeRuns(Thread* thread) {
  for (;;) {
    const size_t number = next_run_.FetchAdd(1);
    if (number > bad_run_.Load()) return true;
    while (thread->run < number && thread->blocks != 0) LeaveRun(thread);
    if (thread->blocks == 0) {
      const Status& end = thread->scout.status();
      if (!end.ok()) Fail(thread->run, table_->Named(end));
      return true;
    }
    if (on_progress_ && ThreadNumber() == caller_ &&
        !on_progress_(thread->offset, table_->file->Size())) {
      given_up_.Store(true);
    }
    if (given_up_.Load()) return false;
    if (!CheckRun(thread)) return true;
  }
}

// Checks a run, and moves to the next one unless there is a fault.
bool EntryCheck::CheckRun(Thread* thread) {
  TableIterator& walk = thread->walk;
  if (thread->bytes <= options_.readahead_size && !table_->data.cache().any()) {
    // If this fails, reading each block will report why.
    walk.window.Fill(thread->offset, thread->bytes).IgnoreError();
  }
  thread->counts.push_back({thread->run, 0});
  for (size_t i = 0; i < thread->blocks; ++i) {
    if (!walk.PassBlock(&thread->counts.back().entries)) {
      Fail(thread->run, walk.status);
      return false;
    }
    walk.at.Next();
  }
  ++thread->run;
  FindRunEnd(thread);
  return true;
}

void EntryCheck::LeaveRun(Thread* thread) const {
  for (size_t i = 0; i < thread->blocks; ++i) thread->walk.at.Next();
  ++thread->run;
  FindRunEnd(thread);
}

// Finds the end of the run. Requires: the scout is at its first block.
void EntryCheck::FindRunEnd(Thread* thread) const {
  thread->blocks = 0;
  if (!thread->scout_on_block) return;
  IndexCursor& scout = thread->scout;
  const auto bytes_to_end = [&] {
    return scout.handle().End() + kBlockTrailerSize - thread->offset;
  };
  thread->offset = scout.handle().offset;
  do {
    thread->bytes = bytes_to_end();
    ++thread->blocks;
    thread->scout_on_block = scout.Next();
  } while (thread->scout_on_block && scout.handle().offset > thread->offset &&
           bytes_to_end() <= options_.readahead_size);
}

void EntryCheck::Fail(size_t run, const Status& status) {
  const MutexLock lock(&mutex_);
  if (run >= bad_run_.Load()) return;
  bad_run_.Store(run);
  fault_ = status;
}

}  // namespace ashlar::internal
