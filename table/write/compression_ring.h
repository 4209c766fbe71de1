// CompressionRing: many threads compress and write data blocks, in order.
//
// The emit thread (the thread that calls TableBuilder) makes each block at the
// end of `in_place()`, and ends it with EndBlock. A run of about 128 KiB of
// blocks becomes a ring slot. Whichever thread is free compresses a slot and
// computes its checksums. One thread at a time then writes slots, in order.
// Only then are the block handles known. The emit thread gets them back, in
// order, some blocks later. So index and properties need no locks, and the file
// does not depend on the number of threads. ring_state.h has the protocol.
//
// Memory: for each slot, the raw and the stored bytes of a run; one more run
// that is being filled; and a codec for each thread that came to work here.
// Buffers are made as large as a run may become at once, so that none of them
// has to grow by doubling.
//
// Verification. The thread that compresses a block finds out that it cannot be
// read back (TableOptions::verify_compression), but only the writer knows the
// offset. So that thread leaves the fault in the slot, and the writer fails the
// ring when it comes to the block. Every slot before it is in the file by then;
// the block and what follows are not. So the fault that is reported is that of
// the first bad block of the file, whichever threads compressed the blocks.
//
// All calls come from one thread at a time. The destructor abandons what is not
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

// A block that is in the file.
struct WrittenBlock {
  BlockHandle handle;
  CompressionType type = CompressionType::kNoCompression;
};

struct RingOptions {
  // About how many bytes of raw blocks a slot holds; at least one block.
  size_t slot_bytes = size_t{128} << 10;
  // The expected size of a block, in bytes. Larger blocks take more memory when
  // they come.
  size_t block_bytes = 5120;
  ChecksumType checksum = ChecksumType::kXXH3;
  uint32_t base_context_checksum = 0;
  BlockAlignment alignment;
  // Returns a codec for one more thread. Called by any thread, but never by two
  // at once.
  std::function<Result<BlockCompressor>()> new_compressor;
};

class CompressionRing {
 public:
  // Workers come from `shared_pool`. If that is null, they come from a pool of
  // the ring's own, which starts when the first slot is full. At most `workers`
  // of them work here at once. `offset` is the current size of `file`. Pool and
  // file must outlive the ring.
  CompressionRing(const RingOptions& options, uint32_t workers,
                  WorkerPool* shared_pool, WritableFile* file, uint64_t offset);
  CompressionRing(const CompressionRing&) = delete;
  CompressionRing& operator=(const CompressionRing&) = delete;
  ~CompressionRing();

  // Returns the buffer in which to make the next block, after what it holds.
  Buffer* in_place() { return &filling_; }
  // Ends a block: all bytes of the buffer after the last block. Appends the
  // blocks that have been written meanwhile to *written. Returns the first
  // error of any thread. If the file is to end near offset `end`, less is in
  // flight the closer it comes: all that is in flight, and one more run, would
  // fit even if nothing could be compressed; or else nothing is in flight.
  Status EndBlock(std::vector<WrittenBlock>* written,
                  uint64_t end = UINT64_MAX);
  // Waits until all blocks are written, and appends them to *written.
  // Afterwards the ring takes no more blocks. Returns the first error of any
  // thread.
  Status Finish(std::vector<WrittenBlock>* written);

  // Returns the size of the file so far.
  uint64_t offset() const { return progress_.Look().offset; }
  // Returns the pool that the ring has started for itself, or null.
  WorkerPool* own_pool() const { return own_pool_.get(); }
  // Gives that pool to the caller, which may have more work for it. Requires:
  // Finish was called.
  std::unique_ptr<WorkerPool> TakeOwnPool() { return std::move(own_pool_); }

  // The size of the file, and the raw bytes of the blocks that were ended and
  // are not in the file yet.
  struct Extent {
    uint64_t offset;
    uint64_t bytes_in_flight;
  };
  // Returns both, as they were at one moment.
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
    Buffer stored;  // blocks with trailers; without a codec, the raw blocks
    std::vector<Block> blocks;
    // The verifier's error about block number `unverified` of these, or ok. The
    // blocks after it are not compressed.
    Status fault;
    size_t unverified = 0;
  };

  size_t run_bytes() const {
    return options_.slot_bytes + options_.block_bytes;
  }
  template <typename Choose>
  RingStep Move(Choose choose);
  static void Attend(void* ring, uint32_t worker);
  // For the watchdog's message.
  static void AppendState(const void* ring, std::string* out);
  void WorkAs(uint32_t worker);
  void WaitForWork() const;
  Status PublishRun(std::vector<WrittenBlock>* written);
  // Works until at most `most` slots are in flight. Returns false if the ring
  // failed.
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
  // Where the emit thread sleeps; borrowed from pool_.
  WatchedSemaphore* gate_ = nullptr;

  // Used by the emit thread alone.
  Buffer filling_;
  std::vector<Block> filling_blocks_;
  size_t filling_end_ = 0;  // where the last whole block ends
  uint32_t next_slot_ = 0;
  uint64_t raw_ended_ = 0;
  size_t largest_run_ = 1;
  bool ended_ = false;

  // Shared: the word, and what its steps hand from thread to thread.
  AcqRelAtomic<uint64_t> word_{0};
  std::vector<Slot> slots_;
  uint64_t offset_;              // belongs to the writer role
  uint64_t blocks_written_ = 0;  // belongs to the writer role
  WriteProgress progress_;       // written by the writer, read by any thread
  // One per pool thread, and the last for the emit thread; made when needed.
  std::vector<std::optional<BlockCompressor>> compressors_;
  Mutex compressors_mutex_;
  std::vector<ThreadNote> notes_;  // in the same order
  // The first error. The thread whose step failed the ring writes it before it
  // leaves. It is read once all workers have left.
  Status error_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_COMPRESSION_RING_H_
