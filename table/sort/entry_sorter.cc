// EntrySorter: two buffers, whose pieces are sorted and written by other
// threads while the caller fills one of them.
//
// Which thread has what, and how it passes on:
//
//   the open piece     the caller. ClosePiece starts a PoolCall that sorts it.
//   a closed piece     the thread that makes that call: it reads the records of
//                      the piece, and writes its places. The caller goes on in
//                      the same buffer, at other addresses (entry_buffer.h).
//   a full buffer      HandOver starts the PoolCall `writing_`, and does not
//                      touch the buffer before writing_.Wait(). The thread that
//                      makes that call waits for the calls of the pieces, or
//                      makes those that no worker has begun. So it becomes
//                      their owner. Then it writes the run.
//   the runs           the thread that makes the call `writing_`; the caller,
//                      after writing_.Wait().
//
// Memory order: all of it passes on by PoolCall::Start and PoolCall::Wait, so
// nothing else here is atomic but counts. No call waits for the caller, and a
// call for a piece waits for nothing, so some thread always goes on.
//
// Without other threads there is one buffer, and HandOver does all the work.

#include "ashlar/table/entry_sorter.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "ashlar/table/table_builder.h"
#include "ashlar/util/scratch_file.h"
#include "port/threads.h"
#include "table/sort/piece_merge.h"
#include "table/sort/sort_buffer.h"
#include "table/sort/sorted_runs.h"
#include "table/sort/stored_form.h"
#include "util/mem/memory_limit.h"
#include "util/sync/pool_call.h"

namespace ashlar {
namespace {

using internal::OrMemoryLimit;
using internal::PieceMerge;
using internal::PoolCall;
using internal::SortBuffer;
using internal::SortedRuns;

constexpr uint32_t kMostThreads = 256;
// More do not help: one thread cannot add entries faster than they sort them.
constexpr uint32_t kMostUnasked = 8;

// An eighth of the memory is left for the table builders of the runs and of the
// output. A smaller buffer than kLeast would not help.
size_t BufferBytes(uint64_t memory, uint64_t buffers) {
  constexpr uint64_t kLeast = uint64_t{16} << 10;
  return static_cast<size_t>(std::max((memory - memory / 8) / buffers, kLeast));
}

// Returns after how many bytes a buffer is written. If all entries will not
// fit, that is a part of them: enough that the last merge has few runs. The
// expected size is a guess, so it must be clearly too large.
uint64_t PartBytes(uint64_t buffer, uint64_t expected) {
  constexpr uint64_t kLeastPart = uint64_t{24} << 20;
  constexpr uint64_t kParts = 16;
  return expected > buffer + buffer / 4
             ? std::max(expected / kParts, kLeastPart)
             : ~uint64_t{0};
}

// Pieces of a few MiB are sorted in the caches of a processor. Only a very
// large buffer has larger ones, so that merging them costs few comparisons.
uint64_t PieceBytes(uint64_t buffer) {
  constexpr uint64_t kLeast = uint64_t{16} << 10;
  constexpr uint64_t kUsual = uint64_t{8} << 20;
  constexpr uint64_t kMost = uint64_t{64} << 20;
  constexpr uint64_t kLeastPieces = 2;
  constexpr uint64_t kUsualPieces = 1024;
  return std::clamp(buffer / kLeastPieces, kLeast,
                    std::clamp(buffer / kUsualPieces, kUsual, kMost));
}

// Runs are merged when the buffers are freed and the output's builder has
// grown.
size_t MergeBytes(uint64_t memory) { return static_cast<size_t>(memory / 4); }

// For a count that one thread at a time changes: an atomic addition for each
// entry would take longer than the rest of Add.
void Count(internal::RelaxedAtomic<uint64_t>* count, uint64_t n) {
  count->Store(count->Load() + n);
}

uint32_t ThreadsOf(const EntrySorterOptions& options) {
  if (options.worker_pool != nullptr) return options.worker_pool->threads() + 1;
  if (options.threads != 0) return std::min(options.threads, kMostThreads);
  return std::min(port::CpuCount(), kMostUnasked);
}

std::string FolderOf(const EntrySorterOptions& options) {
  return options.temp_folder.empty() ? DefaultScratchFolder()
                                     : options.temp_folder;
}

}  // namespace

struct EntrySorter::State {
  explicit State(const EntrySorterOptions& given)
      : options(given),
        threads(ThreadsOf(options)),
        form(options.comparator, options.internal_keys),
        filled(std::make_unique<SortBuffer>(&form, BytesOfBuffer())),
        runs(&form, {FolderOf(options), MergeBytes(options.memory),
                     options.is_cancelled}),
        piece_bytes(PieceBytes(BytesOfBuffer())),
        part_bytes(PartBytes(BytesOfBuffer(), options.expected_bytes)) {
    if (threads > 1)
      written = std::make_unique<SortBuffer>(&form, BytesOfBuffer());
  }

  size_t BytesOfBuffer() const {
    return BufferBytes(options.memory, threads > 1 ? 2 : 1);
  }
  WorkerPool::State* Pool();
  Status Check(const SortEntry& entry) const;
  Status Add(const SortEntry& entry);
  Status HandOver();
  Status WriteRun(SortBuffer* buffer);
  Status ForEach(const SortedRuns::Take& take);
  Status ForEachInMemory(const SortedRuns::Take& take) const;

  const EntrySorterOptions options;
  const uint32_t threads;
  const internal::StoredForm form;
  std::optional<WorkerPool> own_pool;  // destroyed after all calls
  std::unique_ptr<SortBuffer> filled;
  std::unique_ptr<SortBuffer> written;  // null if there are no other threads
  SortedRuns runs;
  const uint64_t piece_bytes;
  uint64_t part_bytes;        // `filled` is written when it has as many
  uint64_t closed_bytes = 0;  // of the closed pieces of `filled`
  Status status;              // the first error, which all later calls return
  uint64_t next_number = 0;   // the least that the next entry may have
  bool is_done = false;
  internal::RelaxedAtomic<uint64_t> entries;
  internal::RelaxedAtomic<uint64_t> entry_bytes;
  internal::RelaxedAtomic<uint64_t> merged;
  PoolCall writing;  // destroyed first: it uses all of the above
};

// Returns null if there are no other threads. Starts them if they are the
// sorter's own.
WorkerPool::State* EntrySorter::State::Pool() {
  if (threads <= 1) return nullptr;
  if (options.worker_pool != nullptr) return options.worker_pool->state();
  if (!own_pool) own_pool.emplace(threads - 1);
  return own_pool->state();
}

Status EntrySorter::State::Check(const SortEntry& entry) const {
  const size_t key_size = entry.user_key.size();
  if (key_size < options.comparator->timestamp_size()) {
    return Status::InvalidArgument("the key is shorter than its timestamp");
  }
  // A run has one tail more than the table.
  if (key_size > TableBuilder::kMaxUserKeyBytes - kInternalKeyTailBytes) {
    return Status::InvalidArgument("key of " + std::to_string(key_size) +
                                   " bytes is too large to be sorted");
  }
  if (entry.value.size() >= TableBuilder::kMaxValueBytes) {
    return Status::InvalidArgument("value of " +
                                   std::to_string(entry.value.size()) +
                                   " bytes is too large to be sorted");
  }
  if (entry.number > kMaxSequenceNumber || entry.number < next_number) {
    return Status::InvalidArgument(
        "an entry with number " + std::to_string(entry.number) +
        ": it must be from " + std::to_string(next_number) + " to " +
        std::to_string(kMaxSequenceNumber));
  }
  return Status();
}

Status EntrySorter::State::Add(const SortEntry& entry) {
  if (!filled->entries().Add(entry)) {
    Status handed = HandOver();
    if (!handed.ok()) return handed;
    filled->entries().Add(entry);
  }
  next_number = entry.number + 1;
  Count(&entries, 1);
  Count(&entry_bytes, entry.user_key.size() + entry.value.size());
  const uint64_t open_bytes = filled->entries().open_bytes();
  if (open_bytes < piece_bytes) return Status();
  filled->ClosePiece(Pool());
  closed_bytes += open_bytes;
  return closed_bytes < part_bytes ? Status() : HandOver();
}

// Makes room in `filled`.
Status EntrySorter::State::HandOver() {
  filled->ClosePiece(Pool());
  closed_bytes = 0;
  if (written == nullptr) {
    Status run = WriteRun(filled.get());
    filled->entries().Clear();
    return run;
  }
  Status before = writing.Wait();
  if (!before.ok()) return before;
  written->entries().Clear();
  std::swap(filled, written);
  writing.Start(Pool(),
                [this, full = written.get()] { return WriteRun(full); });
  return Status();
}

Status EntrySorter::State::WriteRun(SortBuffer* buffer) {
  Status sorted = buffer->FinishSorts();
  return sorted.ok() ? runs.Add(buffer->entries()) : sorted;
}

Status EntrySorter::State::ForEach(const SortedRuns::Take& take) {
  filled->ClosePiece(Pool());
  Status done = writing.Wait();
  if (done.ok()) done = filled->FinishSorts();
  if (!done.ok()) return done;
  if (runs.empty()) {
    done = ForEachInMemory(take);
    filled->entries().Free();
    return done;
  }
  written.reset();
  if (!filled->entries().empty()) done = runs.Add(filled->entries());
  filled->entries().Free();
  if (done.ok()) done = runs.Prepare();
  return done.ok() ? runs.ForEach(take) : done;
}

Status EntrySorter::State::ForEachInMemory(const SortedRuns::Take& take) const {
  constexpr uint64_t kEntriesBetweenLooks = 1024;
  uint64_t passed = 0;
  for (PieceMerge merge(&filled->entries()); merge.Valid(); merge.Next()) {
    if (passed++ % kEntriesBetweenLooks == 0 && options.is_cancelled &&
        options.is_cancelled()) {
      return Status::Aborted("interrupted");
    }
    Status taken = take(merge.record().key, merge.record().value);
    if (!taken.ok()) return taken;
  }
  return Status();
}

EntrySorter::EntrySorter(std::unique_ptr<State> state)
    : state_(std::move(state)) {}

EntrySorter::~EntrySorter() = default;

Result<std::unique_ptr<EntrySorter>> EntrySorter::Create(
    const EntrySorterOptions& options) {
  return OrMemoryLimit([&]() -> Result<std::unique_ptr<EntrySorter>> {
    if (options.comparator == nullptr) {
      return Status::InvalidArgument("comparator is null");
    }
    return std::unique_ptr<EntrySorter>(
        new EntrySorter(std::make_unique<State>(options)));
  });
}

void EntrySorter::ExpectBytes(uint64_t bytes) {
  state_->part_bytes = PartBytes(state_->BytesOfBuffer(), bytes);
}

Status EntrySorter::Add(const SortEntry& entry) {
  State& s = *state_;
  if (!s.status.ok()) return s.status;
  return OrMemoryLimit([&] {
    if (s.is_done) return Status::InvalidArgument("Add after ForEach");
    Status good = s.Check(entry);
    if (!good.ok()) return good;
    s.status = OrMemoryLimit([&] { return s.Add(entry); });
    return s.status;
  });
}

Status EntrySorter::ForEach(
    const std::function<Status(const SortEntry& entry)>& take) {
  State& s = *state_;
  if (!s.status.ok()) return s.status;
  if (s.is_done) return Status::InvalidArgument("a second ForEach");
  s.is_done = true;
  s.status = OrMemoryLimit([&] {
    return s.ForEach([&](const Slice& key, const Slice& value) {
      Count(&s.merged, 1);
      return take(s.form.Read(key, value));
    });
  });
  return s.status;
}

SortProgress EntrySorter::progress() const {
  const State& s = *state_;
  return {s.entries.Load(), s.entry_bytes.Load(), s.runs.runs_written(),
          s.runs.bytes_written(), s.merged.Load()};
}

}  // namespace ashlar
