// DecodeAhead: the blocks that a walk comes to next, decoded before it does.
//
// A walk moves an index cursor from block to block, in one direction. Workers
// of a pool read, check and decompress the blocks ahead of it, and put them
// into the block cache if the read fills it. Iterators use it; so can whatever
// else walks over a table.
//
// Data flow. A cursor of its own, the scout, goes ahead in the index, on the
// walk's thread. It puts neighbouring blocks into runs, each of which is read
// at once. A run goes into a slot of a ring, and is decoded as a whole, by a
// worker or by the walk's thread: ahead_state.h has the protocol. A decoded
// block waits in the run until the walk takes it. The walk gives the memory of
// its last block for it, so nothing is allocated once the ring has turned.
//
// When it begins and ends. The walk counts its blocks that were not in memory.
// From the second one in a row, runs are planned: small ones and few at first,
// then more. A run whose blocks were all in the cache ends it: then a look into
// the cache is cheaper (BlocksAhead). So does a run of which no block could be
// decoded. A seek or a turn drops what is ahead.
//
// Errors. What cannot be decoded ahead is left out: a damaged block, a failing
// read, a block that another thread is loading, want of memory. The walk loads
// such a block by itself when it comes to it, and so gets the error that it
// would have got without. An error of the index only ends the scout's way.
//
// Limits. kSlots runs of at most kMostBlocks blocks and kMostStored bytes of
// the file. Decoded blocks: RunBudget, with an estimate for the runs that are
// planned, from what the last runs were decompressed to.
//
// Belongs to the walk's thread. When the destructor returns, no worker is here,
// and no block is pinned.
#ifndef ASHLAR_TABLE_LOAD_DECODE_AHEAD_H_
#define ASHLAR_TABLE_LOAD_DECODE_AHEAD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "ashlar/table/read_options.h"
#include "ashlar/util/worker_pool.h"
#include "cache/charge/memory_charge.h"
#include "table/index/index_cursor.h"
#include "table/load/ahead_state.h"
#include "table/load/data_blocks.h"
#include "util/sync/pool_job.h"

namespace ashlar::internal {

class DecodeAhead {
 public:
  // How many bytes of decoded blocks may wait.
  static constexpr uint64_t kBudget = uint64_t{2} << 20;

  // What the walk reads. All of it must outlive this.
  struct Walk {
    const LateIndex* index;
    const DataBlocks* blocks;
    const RandomAccessFile* file;
    const ReadOptions* options;
  };

  // The pool must have threads. `charge` is charged with the budget, once the
  // first run is planned. If it refuses, nothing is decoded ahead.
  DecodeAhead(const Walk& walk, WorkerPool::State* pool, MemoryCharge charge)
      : walk_(walk),
        pool_(pool),
        charge_(std::move(charge)),
        bytes_(kBudget),
        scout_(walk.index),
        job_({&Attend, this}) {}
  DecodeAhead(const DecodeAhead&) = delete;
  DecodeAhead& operator=(const DecodeAhead&) = delete;
  ~DecodeAhead();

  // To be called when the walk comes to a block. Returns whether it was decoded
  // ahead; *block is then that block.
  bool Take(const BlockPlace& place, PinnedBlock* block);
  // To be called when the walk has loaded a block by itself. in_memory: it was
  // in the cache.
  void NoteLoaded(bool in_memory) { missed_ = in_memory ? 0 : missed_ + 1; }
  // To be called when the walk has stepped to the cursor's block, and will go
  // on in this direction. is_outside(cursor) says whether the walk will not
  // come to the cursor's block, nor to any after that. Returns whether blocks
  // are being decoded ahead.
  template <typename IsOutside>
  bool LookOn(const IndexCursor& at, bool forward,
              const IsOutside& is_outside) {
    if (forward != forward_) Turn(forward);
    if (num_runs_ == 0 && (missed_ < kMissesToBegin || !Begin(at))) {
      return false;
    }
    while (WantsRun() && NewRun()) {
      while (scout_goes_on_ && (pending_ || MoveScout(is_outside))) {
        if (!AddToRun()) break;
      }
      if (!SubmitRun()) break;
    }
    return num_runs_ != 0;
  }
  // Returns the block that comes next, or null if it is not decoded.
  const BlockView* next() const {
    if (taken_ == 0) return nullptr;
    const PinnedBlock& block = runs_[first_]->blocks[taken_];
    return block.view().restarts == nullptr ? nullptr : &block.view();
  }
  // To be called when a walk begins. Drops what is ahead.
  void Clear() {
    if (num_runs_ != 0) Drop();
    missed_ = 0;
  }

 private:
  static constexpr size_t kMostBlocks = 32;
  static constexpr uint64_t kMostStored = uint64_t{64} << 10;
  static constexpr uint64_t kMostDecoded = uint64_t{160} << 10;
  // Blocks with more than this between them are not read at once.
  static constexpr uint64_t kNear = uint64_t{8} << 10;
  static constexpr uint32_t kMissesToBegin = 2;
  static constexpr size_t kFirstBlocks = 4;
  static constexpr uint32_t kFirstRuns = 2;
  // Ratios of decoded to stored bytes, in 1/kRatioUnit.
  static constexpr uint64_t kRatioUnit = 16;
  static constexpr uint64_t kFirstRatio = 3 * kRatioUnit;
  static constexpr uint64_t kMostRatio = 64 * kRatioUnit;
  static_assert(kMostBlocks <= kBlockBatchMax);

  struct Run {
    std::array<BlockRequest, kMostBlocks> requests;
    std::array<PinnedBlock, kMostBlocks> blocks;
    size_t size = 0;
    RunBudget budget;
    uint64_t estimate = 0;  // of its decoded bytes
    // Where it is in the file.
    uint64_t begin = 0;
    uint64_t end = 0;
  };

  Run& RunAt(uint32_t slot) { return *runs_[slot % kAheadSlots]; }
  void Turn(bool forward);
  bool Begin(const IndexCursor& at);
  bool WantsRun() const;
  bool NewRun();
  template <typename IsOutside>
  bool MoveScout(const IsOutside& is_outside) {
    const bool on_block = forward_ ? scout_.Next() : scout_.Prev();
    pending_ = scout_goes_on_ = on_block && !is_outside(scout_);
    return pending_;
  }
  bool AddToRun();
  bool SubmitRun();
  void Reach();
  void Recycle();
  void Drop();
  void ForgetFirst() {
    taken_ = got_ = found_ = 0;
    got_bytes_ = got_stored_ = 0;
  }
  void Decode(uint32_t slot);
  static void ClearRun(Run* run);

  static void Attend(void* ahead, uint32_t worker);
  static void AppendState(const void* ahead, std::string* out);
  void Work();

  const Walk walk_;
  WorkerPool::State* const pool_;
  MemoryCharge charge_;
  bool refused_ = false;  // there was no memory to begin
  AheadBytes bytes_;
  IndexCursor scout_;
  bool scout_goes_on_ = false;
  bool pending_ = false;  // the scout is at a block that is in no run yet
  bool forward_ = true;
  uint32_t missed_ = 0;  // blocks in a row that the walk had to load
  // The ring: runs are planned in the slots first_ to first_ + num_runs_ - 1.
  std::array<std::unique_ptr<Run>, kAheadSlots> runs_;
  uint32_t first_ = 0;
  uint32_t num_runs_ = 0;
  // How large it is now, while it grows.
  uint32_t wanted_runs_ = 0;
  size_t wanted_blocks_ = 0;
  uint64_t ratio_ = kFirstRatio;
  // What is planned, estimated. The run that is being made is not in it.
  uint64_t planned_bytes_ = 0;
  // Of the first run: how many blocks the walk has come to, how many of these
  // it got from here, and how many of those were in the cache; the bytes of
  // those that it got, in memory and in the file.
  size_t taken_ = 0;
  size_t got_ = 0;
  size_t found_ = 0;
  uint64_t got_bytes_ = 0;
  uint64_t got_stored_ = 0;
  PoolJob<AheadProtocol> job_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_DECODE_AHEAD_H_
