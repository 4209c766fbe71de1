// AccessRecorder: the part of a BlockCacheTracer that readers call.
//
// Purpose. Every access to the block cache goes through here. While no trace is
// written, no access may become slower. With one block in 100 traced, less than
// 1 % slower.
//
// Steps of an access.
//   1. The reader loads its pointer to the recorder, which is null if the
//      reader has no tracer.
//   2. It loads the bound of the hashes that are traced, which is 0 while there
//      is no trace.
//   3. It hashes the key, by a seed of its own (the tables of a cache use
//      another one). For one block in sampling_frequency, the hash is below
//      the bound.
//   4. For those, it takes the time, and records 32 bytes in a
//      ConcurrentWriteBuffer.
//
// The thread that fills a block of that buffer, 126 accesses later, makes a
// chunk of the file from it. When there are 64 KiB of chunks, it appends them
// to the file. If all blocks are full because the file is slow, accesses are
// dropped. If one access has written many blocks, all accesses are dropped
// until it is done. So readers never wait for each other's file writes, and no
// reader writes forever.
//
// A trace starts and ends while accesses go on. Accesses that were recorded
// before it began, by their time, are not in it. Nor are those that no sink has
// had when it ends. After an error nothing more is recorded. Thread-safe.
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

  // Returns whether accesses to this block are recorded now.
  bool Wants(const CacheKey& key) const {
    const uint64_t below = below_.Load();
    if (below == 0) [[likely]]
      return false;
    constexpr HashSeed kSeed = {0x452821e638d01377, 0xbe5466cf34e90c6c};
    return KeyHash(key, kSeed) >> 32 < below;
  }
  // Records an access to a block that Wants has chosen. `charge`: what the
  // cache charges for the block, or 0 if it does not have the block.
  void Record(const CacheKey& key, TracedBlockKind kind, TracedCaller caller,
              bool hit, size_t charge);

  // As in BlockCacheTracer.
  Status Start(const BlockCacheTraceOptions& options,
               std::unique_ptr<WritableFile> file);
  Status End();
  bool is_tracing() const { return below_.Load() != 0; }
  uint64_t traced() const;
  uint64_t dropped() const;

 private:
  static constexpr uint64_t kAllHashes = uint64_t{1} << 32;
  // An entry of the write buffer. `rest`, from the high bits: the time in
  // microseconds 48 | kind 8 | caller 4 | hit.
  struct Entry {
    CacheKey key;
    uint64_t rest = 0;
    uint64_t charge = 0;
  };

  using Buffer = ConcurrentWriteBuffer<Entry>;

  std::unique_ptr<Buffer> MakeBuffer();
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
  RelaxedAtomic<bool> sheds_{false};  // one access has written many blocks
  RelaxedAtomic<uint64_t> shed_{0};   // accesses dropped for that
  // Held by the sink, and by threads that start or end a trace.
  alignas(64) mutable Mutex mutex_;
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
  // How many traces there have been.
  uint64_t traces_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = 0;
  uint64_t dropped_before_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = 0;
  // Null if there was no memory for it: then no trace can be started. It is the
  // last member because its sink uses the others.
  const std::unique_ptr<Buffer> buffer_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_TRACE_ACCESS_RECORDER_H_
