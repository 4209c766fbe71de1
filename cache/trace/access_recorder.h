// AccessRecorder: what a BlockCacheTracer is for readers.
//
// Purpose: every access to the block cache passes here, and while no trace is
// written none may pay for it; with one block in 100 traced, less than 1 %.
//
// Steps of an access.
//   1. The reader's pointer to the recorder, null for readers without a tracer.
//   2. The bound of hashes that are traced, 0 while there is no trace.
//   3. The key's hash, by a seed of its own (a cache's tables go by another):
//      of one block in so many it is below the bound.
//   4. Of those: the time, and 24 bytes to a ConcurrentWriteBuffer.
// Who fills a block of that buffer, 168 accesses later, makes a chunk of the
// file of it; once there are 64 KiB of chunks, they are appended. Where
// all blocks are full, since the file is slow, accesses are dropped, and where
// one access has written many blocks, all are until it is done: readers never
// wait for each other's file, and none writes for ever.
//
// Start and end go on beside accesses. What was recorded before a trace began,
// by its time, is not in it; nor is what is in no block's sink when it ends.
// After an error nothing more is recorded. Thread-safe.
#ifndef ASHLAR_CACHE_TRACE_ACCESS_RECORDER_H_
#define ASHLAR_CACHE_TRACE_ACCESS_RECORDER_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ashlar/cache/concurrent_write_buffer.h"
#include "ashlar/cache/hash/key_hash.h"
#include "ashlar/util/sync/mutex.h"
#include "cache/trace/trace_format.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class AccessRecorder {
 public:
  AccessRecorder();

  void Record(const CacheKey& key, TracedBlockKind kind, TracedCaller caller,
              bool hit) {
    const uint64_t below = below_.Load();
    if (below == 0) [[likely]]
      return;
    constexpr HashSeed kSeed = {0x452821e638d01377, 0xbe5466cf34e90c6c};
    if (KeyHash(key, kSeed) >> 32 < below)
      RecordSampled(key, kind, caller, hit);
  }

  // See BlockCacheTracer.
  Status Start(const BlockCacheTraceOptions& options,
               std::unique_ptr<WritableFile> file);
  Status End();
  bool is_tracing() const { return below_.Load() != 0; }
  uint64_t traced() const;
  uint64_t dropped() const;

 private:
  static constexpr uint64_t kAllHashes = uint64_t{1} << 32;
  // Of the write buffer: the time in microseconds 48 | kind 8 | caller 4 | hit.
  struct Entry {
    CacheKey key;
    uint64_t rest = 0;
  };

  using Buffer = ConcurrentWriteBuffer<Entry>;

  std::unique_ptr<Buffer> MakeBuffer();
  void RecordSampled(const CacheKey& key, TracedBlockKind kind,
                     TracedCaller caller, bool hit);
  void Take(std::span<const Entry> entries);
  void Write(std::span<const Entry> entries)
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(mutex_));
  void Append() ASHLAR_THREAD_ATTRIBUTE(requires_capability(mutex_));
  void Stop(const Status& status)
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(mutex_));

  uint64_t DroppedEver() const {
    return (buffer_ == nullptr ? 0 : buffer_->dropped()) + shed_.Load();
  }

  RelaxedAtomic<uint64_t> below_{0};
  RelaxedAtomic<bool> sheds_{false};  // an access has written enough
  RelaxedAtomic<uint64_t> shed_{0};   // dropped for that
  alignas(64) mutable Mutex mutex_;   // of the sink, and of who starts and ends
  std::unique_ptr<WritableFile> file_
      ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  Status status_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  bool is_open_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) =
      false;  // neither full nor failed
  std::string pending_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  std::vector<TracedAccess> chunk_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  uint64_t most_bytes_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = 0;
  uint64_t bytes_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = 0;
  uint64_t began_at_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) =
      0;  // microseconds
  uint64_t traced_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = 0;
  // How many there have been.
  uint64_t traces_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = 0;
  uint64_t dropped_before_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = 0;
  // Null where there was no memory for it: then no trace can be begun. Last,
  // since its sink uses the others.
  const std::unique_ptr<Buffer> buffer_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_TRACE_ACCESS_RECORDER_H_
