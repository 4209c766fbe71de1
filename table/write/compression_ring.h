// CompressionRing: data blocks compressed and written by many threads, in
// order.
//
// The emit thread (who calls the table builder) makes blocks at the end of
// `in_place()` and ends each with EndBlock. A run of some 128 KiB of them
// becomes a slot: compressed and given its checksums by whichever thread is
// free, then written by one thread at a time, in order. Where each block lies
// is known only then; it is handed back on the emit thread, in order, a little
// later: so index and properties need no locks, and the file does not depend on
// the number of threads. ring_state.h has the protocol.
//
// Memory: slots x (raw + stored bytes of a run), a run more that is being
// filled, and a codec for each thread that came to work here. Buffers are made
// as large as a run may become at once, so that none of them doubles.
//
// A block that cannot be read back (TableOptions::verify_compression) is found
// by the thread that compresses it, but the file's offset is known only to the
// writer. So that thread leaves the fault in the slot and the writer fails the
// ring when it comes to the block: every slot before it is in the file, the
// block and what follows are not, and whichever threads compressed them, the
// first bad block of the file is the one that is reported.
//
// All calls from one thread at a time. Destruction abandons what is not
// written, and waits until no worker touches the ring any more.
#ifndef ASHLAR_TABLE_WRITE_COMPRESSION_RING_H_
#define ASHLAR_TABLE_WRITE_COMPRESSION_RING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ashlar/util/checksum_type.h"
#include "ashlar/util/file.h"
#include "ashlar/util/sync/mutex.h"
#include "ashlar/util/worker_pool.h"
#include "table/format/block_alignment.h"
#include "table/write/block_compressor.h"
#include "table/write/ring_watch.h"
#include "table/write/write_progress.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

// A block of which all is known.
struct WrittenBlock {
  BlockHandle handle;
  CompressionType type = CompressionType::kNoCompression;
};

struct RingOptions {
  // Bytes of raw blocks a slot holds, about; one block at least.
  size_t slot_bytes = size_t{128} << 10;
  // Of a block, as far as is known before; larger ones take memory as they
  // come.
  size_t block_bytes = 5120;
  ChecksumType checksum = ChecksumType::kXXH3;
  uint32_t base_context_checksum = 0;
  BlockAlignment alignment;
  // A codec for one more thread. Called by any thread, one at a time.
  std::function<Result<BlockCompressor>()> new_compressor;
};

class CompressionRing {
 public:
  // Workers come from `shared_pool`; where that is null, from a pool of the
  // ring's own, which starts when the first slot is full. At most `workers`
  // work here at once. The next byte of `file` is at `offset`.
  CompressionRing(const RingOptions& options, uint32_t workers,
                  WorkerPool* shared_pool, WritableFile* file, uint64_t offset);
  CompressionRing(const CompressionRing&) = delete;
  CompressionRing& operator=(const CompressionRing&) = delete;
  ~CompressionRing();

  // Where the next block is to be made, behind what is there.
  Buffer* in_place() { return &filling_; }
  // All bytes behind the last block are one. Appends blocks that have been
  // written meanwhile to *written. The first error of any thread comes back.
  // Where the file is to end near `end`, less and less is in flight as it comes
  // closer: all of that and one more run fit even if nothing can be compressed,
  // or else nothing is in flight.
  Status EndBlock(std::vector<WrittenBlock>* written,
                  uint64_t end = UINT64_MAX);
  // Waits for the rest; the ring takes no more blocks.
  Status Finish(std::vector<WrittenBlock>* written);

  // Where the file ends; of what is written so far.
  uint64_t offset() const { return progress_.Look().offset; }
  // The pool that the ring has started for itself, or null.
  WorkerPool* own_pool() const { return own_pool_.get(); }
  // After Finish: it goes to the caller, who may have more to do for it.
  std::unique_ptr<WorkerPool> TakeOwnPool() { return std::move(own_pool_); }

  // What the file has, and the raw bytes of the blocks that were ended and are
  // not in it yet, of one moment.
  struct Extent {
    uint64_t offset;
    uint64_t bytes_in_flight;
  };
  Extent Measure() const {
    const WriteProgress::Counts written = progress_.Look();
    return {written.offset, raw_ended_ - written.raw_bytes};
  }

 private:
  struct Block {
    uint32_t raw_size;
    uint32_t stored_size;  // without the trailer
    CompressionType type;
    BlockHandle handle;
  };
  struct Slot {
    Buffer raw;
    Buffer stored;  // blocks with trailers; or the raw ones, without a codec
    std::vector<Block> blocks;
    // The verifier's error about the block number `unverified` of these; ok:
    // none. The blocks after it are not compressed.
    Status fault;
    size_t unverified = 0;
  };

  size_t run_bytes() const {
    return options_.slot_bytes + options_.block_bytes;
  }
  template <typename Choose>
  RingStep Move(Choose choose);
  static void Attend(void* ring, uint32_t worker);
  static void Tell(const void* ring, std::string* out);
  void WorkAs(uint32_t worker);
  void WaitForWork() const;
  Status PublishRun(std::vector<WrittenBlock>* written);
  // Until at most so many slots are in flight; false: the ring failed.
  bool WorkUntilInFlight(uint32_t most);
  uint32_t MostInFlight(uint64_t end) const;
  bool WaitForRoom(uint64_t end);
  void DoEmitTask(const RingStep& step);
  void Compress(const RingStep& step, uint32_t thread);
  void CompressSlot(Slot* slot, BlockCompressor* compressor) const;
  void Write(RingStep step);
  Status WriteSlot(Slot* slot);
  Status AppendGap(const char* to, uint64_t zeros, const char** from);
  void Deliver(Slot* slot, std::vector<WrittenBlock>* written) const;
  Status CompressorOf(uint32_t thread, BlockCompressor** compressor);
  void Fail(const Status& error, bool drop_writer_role);
  void EndWorkers();

  const RingOptions options_;
  const RingShape shape_;
  const RingProtocol protocol_;
  WritableFile* const file_;
  std::unique_ptr<WorkerPool> own_pool_;
  WorkerPool::State* pool_;
  // The emit thread's, borrowed from pool_.
  WatchedSemaphore* gate_ = nullptr;

  // The emit thread's own.
  Buffer filling_;
  std::vector<Block> filling_blocks_;
  size_t filling_end_ = 0;  // of the last whole block
  uint32_t next_slot_ = 0;
  uint64_t raw_ended_ = 0;
  size_t largest_run_ = 1;
  bool ended_ = false;

  // Shared: the word, and what it hands from thread to thread.
  AcqRelAtomic<uint64_t> word_{0};
  std::vector<Slot> slots_;
  uint64_t offset_;              // the writer's
  uint64_t blocks_written_ = 0;  // the writer's
  WriteProgress progress_;       // the writer's news
  // One a pool thread, the last for the emit thread; made when needed.
  std::vector<std::optional<BlockCompressor>> compressors_;
  Mutex compressors_mutex_;
  std::vector<ThreadNote> notes_;  // in the same order
  // The first error: written by the thread whose step failed the ring, before
  // it leaves; read once all have left.
  Status error_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_COMPRESSION_RING_H_
