// FileGate: what a read of a table's file asks before it touches the file.
//
// ReadOptions may forbid a read to touch the file (read_tier), limit its time
// (deadline, io_timeout) or its rate (rate_limiter_priority), or have something
// to be passed to the file (io_context). A block may be
// needed far below the call that has the options: a part of an index or of a
// filter is loaded by the first thread that needs it. So the options are not
// passed down. The thread says which read it is doing, and the gate asks the
// thread.
//
// One option is no limit: whether what the read loads goes into the block cache
// (fill_cache). MetadataCache and DictionaryCache ask FillsCache().
//
// Data flow:
//
//   1. A call that may read the file makes a LimitScope of its options. If they
//      limit nothing, which is the default, the scope notes just that.
//   2. Whatever reads bytes of the file calls a FileGate first: Read does both;
//      a batch calls Pass for all its reads of one file. There are five places:
//      ReadWhole, LoadRaw and LoadAligned (block_source.cc), FileWindow::Fill,
//      and BlockLoader::Batch::Read.
//   3. Without limits the gate lets the read pass, after one load of a
//      thread-local pointer. Else it asks, in this order: may the file be
//      touched; has the deadline passed; the limiter, which may wait; and the
//      deadline again.
//
// Scopes nest, since a callback of a read may begin another read: the inner
// scope counts, also if it limits nothing. Hits in the block cache make no
// scope and ask no gate. A thread that works for the read of another thread
// (a pool) has no scope; what it reads is not limited.
//
// What a read may wait for, and what may wait for it, when several threads need
// a block (LoadsInFlight): DataBlocks::Bring and LoadOnce ask. A cache-only
// read waits for no other (IsCacheOnly). Nor does one with a limit of time,
// which does not hold for the other (MayAwaitOthers). For one that the limiter
// may hold back nobody waits (MayBeAwaited).
//
// A table has one gate, of which its readers of the file have copies. Any
// number of threads may use it. A LimitScope belongs to one thread.
#ifndef ASHLAR_TABLE_LOAD_FILE_GATE_H_
#define ASHLAR_TABLE_LOAD_FILE_GATE_H_

#include <chrono>
#include <cstdint>
#include <span>
#include <utility>

#include "ashlar/table/read_options.h"
#include "ashlar/util/file.h"
#include "ashlar/util/rate_limiter.h"
#include "ashlar/util/system_clock.h"

namespace ashlar::internal {

// Those of the read that this thread is doing, if they limit it or do not fill
// the block cache; else null.
extern constinit thread_local const ReadOptions* limiting_options
    __attribute__((tls_model("initial-exec")));

class LimitScope {
 public:
  // `options` outlive this.
  explicit LimitScope(const ReadOptions& options)
      : LimitScope(Limiting(options)) {}
  // For iterators, which keep what Limiting has returned.
  explicit LimitScope(const ReadOptions* limiting)
      : outer_(std::exchange(limiting_options, limiting)) {}
  LimitScope(const LimitScope&) = delete;
  LimitScope& operator=(const LimitScope&) = delete;
  ~LimitScope() { limiting_options = outer_; }

  // Returns whether the options limit reads of the file.
  static bool LimitsReads(const ReadOptions& options) {
    return options.read_tier != ReadTier::kReadAllTier ||
           options.deadline.count() != 0 || options.io_timeout.count() != 0 ||
           options.io_context != nullptr ||
           options.rate_limiter_priority != IoPriority::kTotal;
  }
  // Returns the options if a read has to ask for them, else null.
  static const ReadOptions* Limiting(const ReadOptions& options) {
    return LimitsReads(options) || !options.fill_cache ? &options : nullptr;
  }

 private:
  const ReadOptions* const outer_;
};

// Returns whether the read that this thread is doing may not touch the file.
inline bool IsCacheOnly() {
  return limiting_options != nullptr &&
         limiting_options->read_tier == ReadTier::kBlockCacheTier;
}

// Returns whether this thread's read may wait for that of another thread.
inline bool MayAwaitOthers() {
  return limiting_options == nullptr ||
         (limiting_options->deadline.count() == 0 &&
          limiting_options->io_timeout.count() == 0);
}

// Returns whether other threads may wait for this thread's read.
inline bool MayBeAwaited() {
  return limiting_options == nullptr ||
         limiting_options->rate_limiter_priority == IoPriority::kTotal;
}

// Returns whether index and filter blocks, and dictionaries, that this thread
// reads from the file go into the block cache.
inline bool FillsCache() {
  return limiting_options == nullptr || limiting_options->fill_cache;
}

// Returns Incomplete: what is at this offset of the file is not in memory.
Status NotInMemory(uint64_t offset);

class FileGate {
 public:
  FileGate() = default;
  // Null: the clock of the system; no limiter. Requires: both outlive this.
  FileGate(SystemClock* clock, RateLimiter* limiter)
      : clock_(clock), limiter_(limiter) {}

  // Asks for a read of `bytes` bytes, the first of them at `offset`. Returns
  // Incomplete or TimedOut. Sets *context to what the file is to be given. May
  // wait for the limiter.
  Status Pass(uint64_t offset, uint64_t bytes, ReadContext* context) const {
    *context = {};
    return limiting_options == nullptr ? Status()
                                       : PassLimits(offset, bytes, context);
  }
  // Returns whether the file has to be given this context.
  static bool IsToBeGiven(const ReadContext& context) {
    return context.timeout.count() != 0 || context.io_context != nullptr;
  }
  // Asks, and does the read.
  Status Read(const RandomAccessFile& file, uint64_t offset, size_t n,
              char* scratch, Slice* data) const {
    return limiting_options == nullptr
               ? file.Read(offset, n, scratch, data)
               : ReadLimited(file, offset, n, scratch, data);
  }
  // Tells the file what will be read, with what a read would pass to it.
  void Expect(const RandomAccessFile& file, uint64_t offset, uint64_t n) const {
    if (limiting_options == nullptr || limiting_options->io_context == nullptr)
      return file.Expect(offset, n);
    ReadContext context;
    context.io_context = limiting_options->io_context;
    file.ExpectWithin(context, offset, n);
  }
  // Returns TimedOut if the deadline of these options has passed.
  Status CheckDeadline(const ReadOptions& options) const;

 private:
  Status PassLimits(uint64_t offset, uint64_t bytes,
                    ReadContext* context) const;
  Status ReadLimited(const RandomAccessFile& file, uint64_t offset, size_t n,
                     char* scratch, Slice* data) const;
  Status TakeTime(const ReadOptions& options, uint64_t offset,
                  std::chrono::microseconds* timeout) const;
  std::chrono::microseconds Now() const;

  SystemClock* clock_ = nullptr;
  RateLimiter* limiter_ = nullptr;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_FILE_GATE_H_
