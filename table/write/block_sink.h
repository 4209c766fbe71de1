// BlockSink: takes data blocks, in order, and brings them into the file. It
// says, in the same order, which handle and type each got.
//
// This is all that the builder knows of workers and dictionaries. The sink has
// three forms:
//
//                       Store(block), by the builder
//                                 |
//            +--------------------+-------------------+
//            |                    |                   |
//        held back             in order             ring
//     DictionarySampler    AppendCompressed    CompressionRing::Add
//     keeps the block      compresses          collects a run of blocks
//            |                    |                   |
//     Release, once there   +-----+             a free thread compresses
//     are enough: makes     |                   and seals the run
//     the dictionary, and   |                         |
//     stores the blocks     |                   AppendRun, in order, by the
//     in one of the other   |                   thread with the writer role
//     two forms             |                         |
//                           +------> BlockWriter <----+
//                            padding, offset, file: block_writer.h
//                                      |
//                       Deliver, to the builder: handle, type
//
// The form is chosen when the sink is made, and once more by Release:
//
//   held back   if the options want a dictionary, and there is a codec
//   ring        if the builder may have workers for blocks
//   in order    otherwise; the emit thread compresses and places each block
//
// Apart from the dictionary, the form changes neither the bytes of the file nor
// the order in which handles come. With a ring they come some blocks later.
//
// All calls come from one thread at a time: the emit thread, which is the
// thread that calls TableBuilder.
#ifndef ASHLAR_TABLE_WRITE_BLOCK_SINK_H_
#define ASHLAR_TABLE_WRITE_BLOCK_SINK_H_

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "table/write/block_writer.h"
#include "table/write/build_charges.h"
#include "table/write/build_workers.h"
#include "table/write/compression_ring.h"
#include "table/write/dictionary_sampler.h"

namespace ashlar::internal {

class BlockSink {
 public:
  // What the sink calls in the builder. Each may be null.
  struct Callbacks {
    // Returns the offset where the data blocks should end, so that the file
    // gets its target size. Null: there is no target.
    std::function<uint64_t()> end_of_data;
    // Called with each block that was held back, just before it is stored.
    std::function<Status(const Slice& block)> before_release;
  };

  // All bytes of the file are added to `file_checksum`, unless it is null.
  // `codec` compresses without a dictionary. At most about `target_file_size`
  // bytes of blocks are held back, because data of the next file must not shape
  // this file's dictionary; 0: unknown. Memory is charged like `charges`.
  // What is passed by pointer, `options` and `charges` must outlive this.
  // Throws MemoryRefused if the first buffers cannot be charged.
  BlockSink(const TableOptions& options, BlockCompressor codec,
            uint32_t base_context_checksum, WritableFile* file,
            FileChecksumGenerator* file_checksum, BuildWorkers workers,
            uint64_t target_file_size, Callbacks callbacks,
            const BuildCharges& charges);
  BlockSink(const BlockSink&) = delete;
  BlockSink& operator=(const BlockSink&) = delete;

  // From then on times of compression are added to these statistics. Null: they
  // are not taken. To be called before the first block.
  void CountTo(const Statistics* statistics) {
    statistics_ = statistics;
    codec_.CountTo(statistics);
  }

  // Returns the buffer at whose end the next block may be made. It may be
  // another one after Store.
  Buffer* in_place() const { return in_place_; }
  // Takes a block: all bytes of in_place() after the last block, or bytes
  // elsewhere in memory. Returns the first error of any thread: of the file,
  // the codec or its verifier; or MemoryLimit.
  Status Store(const Slice& block);
  // Appends an embedded blob at once, before all blocks that have no place yet,
  // and sets *handle. Returns the error of the file. Requires: the options have
  // embedded blobs.
  Status AppendBlob(const Slice& blob, BlockHandle* handle) {
    return writer_.AppendBlob(blob, handle);
  }
  // Stores what is held back, and waits until all blocks have their place in
  // the file. To be called once, before anything is appended to writer().
  // Returns as Store does.
  Status Finish();
  // Calls take(block) for each block that got its place since the last call, in
  // the order of the file.
  template <typename Take>
  void Deliver(Take take) {
    for (const WrittenBlock& block : written_) take(block);
    written_.clear();
  }
  // Abandons blocks that are not in the file, and ends threads of the builder's
  // own. Afterwards no other thread touches the file. May be called at any
  // time, also more than once.
  void End();

  // Returns whether blocks are held back now, for a dictionary.
  bool holds_back() const { return held_.has_value(); }
  // Returns how much was written, in file order. Bytes that were stored but not
  // written are held back, or in the ring.
  WriteProgress::Counts Written() const { return writer_.Written(); }
  // Returns the offset of the byte after a block, its trailer and its padding.
  uint64_t EndOf(const BlockHandle& handle) const {
    return writer_.EndOf(handle);
  }

  // What follows the data blocks is appended to this writer, compressed with
  // this codec, and may be made with the help of this crew.
  BlockWriter* writer() { return &writer_; }
  BlockCompressor* codec() { return &codec_; }
  WorkerCrew FilterCrew() const { return workers_.FilterCrew(); }
  // Returns how long workers ran for the blocks, in nanoseconds of CPU time.
  // Complete after Finish.
  uint64_t worker_cpu_nanos() const { return worker_cpu_nanos_; }
  // Returns the dictionary; empty if there is none, or none yet.
  Slice dictionary() const { return dictionary_.bytes; }

 private:
  enum class Form : uint8_t { kHeldBack, kInOrder, kRing };

  void Begin();
  RingOptions OptionsOfRing() const;
  // Returns whether each block is stored as it is, right after the one before.
  bool StoresRaw() const { return !codec_.active() && writer_.KeepsPlaces(); }
  Result<BlockCompressor> NewCompressor() const;
  void ChargeBuffers();
  Status HoldBack(const Slice& block);
  Status Release(const Slice* last);
  Status StoreReleased(const Slice& block);
  Status StoreInOrder(const Slice& block);

  const TableOptions& options_;
  const Callbacks callbacks_;
  const BuildCharges& charges_;
  const Statistics* statistics_ = nullptr;
  MemoryCharge buffers_charge_;  // the writer's buffer, and raw_block_
  BlockWriter writer_;
  BuildWorkers workers_;
  BlockCompressor codec_;
  // Made of the first data blocks, and used for all data blocks and nothing
  // else.
  BlockDictionary dictionary_;
  std::optional<BlockCompressor> with_dictionary_;

  Form form_ = Form::kInOrder;
  std::optional<DictionarySampler> held_;  // if held back
  std::unique_ptr<CompressionRing> ring_;  // if there is a ring
  Buffer raw_block_;  // the block being made, if a codec will move it
  Buffer* in_place_;
  uint64_t worker_cpu_nanos_ = 0;
  std::vector<WrittenBlock> written_;  // not delivered yet
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_BLOCK_SINK_H_
