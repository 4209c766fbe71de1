// CompressionRing: many threads compress and write data blocks, in order.
//
// The emit thread (the thread that calls TableBuilder) makes each block at the
// end of `in_place()`, and adds it with Add. A run of about 128 KiB of
// blocks becomes a ring slot. Whichever thread is free compresses and seals the
// blocks of a slot. One thread at a time then passes slots to the BlockWriter,
// in order. Only then are the block handles known. The emit thread gets them
// back, in order, some blocks later. So index and properties need no locks, and
// the file does not depend on the number of threads. ring_state.h has the
// protocol.
//
// Memory: for each slot, the raw and the stored bytes of a run; one more run
// that is being filled; and a codec for each thread that came to work here.
// Buffers are made as large as a run may become at once, so that none of them
// has to grow by doubling.
//
// Without a codec. The emit thread knows where each block will be: it seals and
// places a block as soon as it is made, while it is in the nearest cache, and
// sums a run for the file's checksum. Other threads only pass runs to the file,
// which takes longer than all the rest.
//
// Verification. The thread that compresses a block finds out that it cannot be
// read back (TableOptions::verify_compression), but only the writer knows the
// offset. So that thread leaves the fault in the slot, and the writer fails the
// ring when it comes to the block. Every block before it is in the file by
// then; the block and what follows are not. So the fault that is reported is
// that of the first bad block of the file, whichever threads compressed the
// blocks.
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

#include "ashlar/util/sync/mutex.h"
#include "cache/charge/memory_charge.h"
#include "table/write/block_writer.h"
#include "table/write/build_workers.h"
#include "table/write/ring_watch.h"
#include "util/sync/atomic.h"
#include "util/sync/pool_job.h"

namespace ashlar::internal {

struct RingOptions {
  // About how many bytes of raw blocks a slot holds; at least one block.
  size_t slot_bytes = size_t{128} << 10;
  // The expected size of a block, in bytes. Larger blocks take more memory when
  // they come.
  size_t block_bytes = 5120;
  // Whether no block is compressed or moved: BlockSink::StoresRaw.
  bool stores_raw = false;
  // Returns a codec for one more thread. Called by any thread, but never by two
  // at once.
  std::function<Result<BlockCompressor>()> new_compressor;
  // Returns the offset near which the data blocks are to end, whenever a slot
  // is full. Called by the emit thread. Null: nobody knows.
  std::function<uint64_t()> end_of_data;
  // The buffers are charged like this one, before they are made; larger ones
  // when the ring sees that they have grown. Null: they are not charged.
  const MemoryCharge* charge = nullptr;
};

class CompressionRing {
 public:
  // At most workers->for_blocks() workers work here at once. They are started,
  // if need be, when the first slot is full. Until the ring is destroyed, or
  // has failed or finished, `writer` belongs to it. Workers and writer must
  // outlive the ring.
  CompressionRing(const RingOptions& options, BuildWorkers* workers,
                  BlockWriter* writer);
  CompressionRing(const CompressionRing&) = delete;
  CompressionRing& operator=(const CompressionRing&) = delete;
  ~CompressionRing();

  // Returns the buffer in which to make the next block, after what it holds.
  Buffer* in_place() { return &filling_; }
  // Adds a block: all bytes of the buffer after the last block, or bytes
  // elsewhere in memory, which it copies. Appends the blocks that have been
  // written meanwhile to *written. Returns the first error of any thread. If
  // end_of_data is known, less is in flight the closer it comes: all that is in
  // flight, and one more run, would fit even if nothing could be compressed; or
  // else nothing is in flight.
  Status Add(const Slice& block, std::vector<WrittenBlock>* written);
  // Waits until all blocks are written, and appends them to *written.
  // Afterwards the ring takes no more blocks. Returns the first error of any
  // thread.
  Status Finish(std::vector<WrittenBlock>* written);
  // Returns how long workers ran here, in nanoseconds of CPU time. To be called
  // after Finish.
  uint64_t worker_cpu_nanos() const { return worker_cpu_nanos_.Load(); }

 private:
  struct Slot {
    Buffer raw;     // blocks, each with room for the seal of a raw block
    Buffer stored;  // sealed blocks; without a codec, this was `raw`
    std::vector<WrittenBlock> blocks;
    // The verifier's error about block number `unverified` of these, or ok. The
    // blocks after it are not compressed.
    Status fault;
    size_t unverified = 0;
  };

  size_t run_bytes() const {
    return options_.slot_bytes + options_.block_bytes;
  }
  static void Attend(void* ring, uint32_t worker);
  // For the watchdog's message.
  static void AppendState(const void* ring, std::string* out);
  void WorkAs(uint32_t worker);
  void WaitForWork() const;
  void ChargeBuffers(uint32_t slots);
  Status PublishRun(std::vector<WrittenBlock>* written);
  // Works until at most `most` slots are in flight. Returns false if the ring
  // failed.
  bool WorkUntilInFlight(uint32_t most);
  uint32_t MostInFlight(uint64_t end) const;
  bool WaitForRoom();
  void DoEmitTask(const RingStep& step);
  void Compress(const RingStep& step, uint32_t thread);
  void CompressSlot(Slot* slot, BlockCompressor* compressor) const;
  void SealRaw(Slot* slot) const;
  void PlaceLast(WrittenBlock* block, uint64_t seal_size);
  void Write(RingStep step);
  Status WriteSlot(Slot* slot);
  void Deliver(Slot* slot, std::vector<WrittenBlock>* written) const;
  Status CompressorOf(uint32_t thread, BlockCompressor** compressor);
  void Fail(const Status& error, bool drop_writer_role);
  void EndWorkers();

  const RingOptions options_;
  const RingShape shape_;
  const RingProtocol protocol_;
  BlockWriter* const writer_;  // belongs to the writer role
  BuildWorkers* const workers_;

  // Used by the emit thread alone.
  MemoryCharge charge_;
  uint32_t charged_slots_ = 0;
  Buffer filling_;
  std::vector<WrittenBlock> filling_blocks_;
  size_t filling_end_ = 0;  // where the last whole block ends
  uint64_t next_offset_;    // of the next block, if they are stored raw
  uint32_t next_slot_ = 0;
  size_t largest_run_ = 1;
  bool ended_ = false;

  // Shared: the word, and what its steps hand from thread to thread. Begun when
  // the first slot is full.
  PoolJob<RingProtocol> job_;
  std::vector<Slot> slots_;
  // One per pool thread, and the last for the emit thread; made when needed.
  std::vector<std::optional<BlockCompressor>> compressors_;
  Mutex compressors_mutex_;
  std::vector<ThreadNote> notes_;  // in the same order
  // Counted by each worker before it leaves; read once all have left.
  RelaxedAtomic<uint64_t> worker_cpu_nanos_{0};
  // The first error. The thread whose step failed the ring writes it before it
  // leaves. It is read once all workers have left.
  Status error_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_COMPRESSION_RING_H_
