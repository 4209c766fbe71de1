// BlockLoader: loads data blocks from the file, alone or many together, and
// says which thread loads a block that several threads miss.
//
// It knows no cache, and hands nothing out: a block is loaded to where the
// caller wants it. It has three parts:
//
//   claims  Claim and Await: one thread loads a block, the others wait for it
//           (loads_in_flight.h has the protocol)
//   Alone   reads of one block, through the window of a walk or without one
//   Batch   reads of several blocks, of one table or several: a plan joins
//           neighbours (read_plan.h), and all reads are done at once
//           (util/io/read_files.h)
//
// Part of DataBlocks, which any number of threads may use. ClaimLoads is called
// first, while the table is opened, if there is a cache. An Alone or a Batch
// belongs to one thread.
#ifndef ASHLAR_TABLE_LOAD_BLOCK_LOADER_H_
#define ASHLAR_TABLE_LOAD_BLOCK_LOADER_H_

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ashlar/util/status.h"
#include "table/counters/read_counters.h"
#include "table/load/block_request.h"
#include "table/load/block_source.h"
#include "table/load/loads_in_flight.h"
#include "table/load/read_plan.h"
#include "util/mem/thread_spare.h"
#include "util/sync/worker_crew.h"

namespace ashlar::internal {

struct FileReads;

// What one block is read through. Null workspace: the block is read without a
// window, and the thread keeps a workspace for such reads.
struct ReadThrough {
  FileWindow* window = nullptr;
  BlockWorkspace* workspace = nullptr;
};

class BlockLoader {
 public:
  using Turn = LoadsInFlight::Turn;

  BlockLoader(const BlockSource* source, ReadCounters counters)
      : source_(source), counters_(counters) {}

  // Returns whether the file declares that no block is compressed.
  bool AllRaw() const { return source_->AllRaw(); }

  // From then on blocks of a batch are read together like this.
  void Coalesce(const Coalescing& coalescing) { coalescing_ = coalescing; }
  // From then on loads can be claimed.
  void ClaimLoads(const LoadsInFlight& loads) { loads_ = loads; }
  // Claims the block, and returns whose turn it is to load it. If the turn is
  // this thread's, *claim is its claim, unless there was no place for one.
  // Requires: ClaimLoads was called, and *claim is empty.
  Turn Claim(const BlockPlace& place, LoadClaim* claim) const {
    return loads_->Begin(place.handle.offset, claim);
  }
  // Returns when no thread has a claim on the block. Requires: ClaimLoads was
  // called, and this thread has no claim.
  void Await(const BlockPlace& place) const {
    loads_->Await(place.handle.offset);
  }

  class Alone;
  class Batch;

 private:
  const BlockSource* const source_;
  const ReadCounters counters_;
  Coalescing coalescing_;
  std::optional<LoadsInFlight> loads_;  // none: loads are not claimed
};

// Reads blocks one by one.
class BlockLoader::Alone {
 public:
  Alone(const BlockLoader& loader, const ReadThrough& through)
      : source_(*loader.source_), through_(through) {}

  // Loads the block at `place` to *to. The contents may point into the window.
  // The number of the request plays no part.
  Status Load(size_t /*i*/, const BlockPlace& place, bool verify_checksum,
              LoadedBlock* to) const {
    return through_.workspace == nullptr
               ? source_.LoadOwned(place, verify_checksum, to)
               : source_.Load(place, verify_checksum, through_.window,
                              through_.workspace, to);
  }

 private:
  const BlockSource& source_;
  const ReadThrough through_;
};

// Where a block of a batch comes from, and where it goes.
struct BatchedLoad {
  const BlockLoader* loader = nullptr;  // of its table
  // Whether contents are loaded into LoadedBlock::owned. Else they may point
  // into the batch, and live as long as it.
  bool to_own = false;
};

// Reads blocks of a batch together.
class BlockLoader::Batch {
 public:
  // Plans the reads, and does them. loads[i] belongs to requests[i]. Sets the
  // status of requests whose place is wrong, and postpones those after
  // kBlockBatchBytes; neither are to be loaded. Requires: the requests of a
  // table follow each other in the order of the file; there are at most
  // kTablesBatchMax; and `loads` outlives this.
  Batch(std::span<BlockRequest* const> requests, const BatchedLoad* loads);
  // Does the same by a crew, and calls load(batch, i) for each request, on any
  // of its threads. A thread that takes a read does it, if its bytes are in the
  // page cache, and then loads its blocks. What has to wait for a device is
  // read afterwards, together, and then loaded in the same way. Throws
  // std::bad_alloc.
  template <typename LoadOne>
  static void LoadByCrew(const WorkerCrew& crew,
                         std::span<BlockRequest* const> requests,
                         const BatchedLoad* loads, const LoadOne& load);
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch();

  // Loads the block of request number i, which is at `place`, to *to. Reads it
  // alone if it could not be read with others.
  Status Load(size_t i, const BlockPlace& place, bool verify_checksum,
              LoadedBlock* to) const;

 private:
  enum class Later {};
  // Plans the reads, and does none yet.
  Batch(std::span<BlockRequest* const> requests, const BatchedLoad* loads,
        Later later);
  void Read();
  void ReadLimited(std::span<FileReads> files) const;
  void ReadLeft(std::span<const bool> is_done);
  bool ReadIfCached(size_t read);

  const BatchedLoad* const loads_;
  ReadPlan plan_;
  ThreadSpare<Buffer, Batch> buffer_;
  bool together_ = false;  // whether there was memory to read them together
};

template <typename LoadOne>
void BlockLoader::Batch::LoadByCrew(const WorkerCrew& crew,
                                    std::span<BlockRequest* const> requests,
                                    const BatchedLoad* loads,
                                    const LoadOne& load) {
  Batch batch(requests, loads, Later());
  // Blocks from that of a read to that of the next one belong to that read.
  // Among them may be some that are not read.
  const size_t num_reads = std::max(batch.plan_.reads().size(), size_t{1});
  std::array<bool, ReadPlan::kMostBlocks> is_done{};
  const auto load_blocks = [&](uint32_t read) {
    size_t i = read == 0 ? 0 : batch.plan_.first_block(read);
    const size_t end = read + 1 < num_reads ? batch.plan_.first_block(read + 1)
                                            : requests.size();
    for (; i < end; ++i) load(batch, i);
    is_done[read] = true;
    return true;
  };
  const auto num = static_cast<uint32_t>(num_reads);
  bool all = crew.ForEach(num, [&](uint32_t read) {
    return (batch.together_ && !batch.ReadIfCached(read)) || load_blocks(read);
  });
  if (batch.together_) {
    const auto done = std::span<const bool>(is_done).first(num_reads);
    if (std::find(done.begin(), done.end(), false) == done.end()) return;
    batch.ReadLeft(done);
    const std::array<bool, ReadPlan::kMostBlocks> was_done = is_done;
    all = crew.ForEach(num, [&](uint32_t read) {
      return was_done[read] || load_blocks(read);
    });
  }
  assert(all);
  static_cast<void>(all);
}

// Limits what a thread keeps for its next loads: it must not keep the memory of
// one huge block for ever.
void TrimSpare(Buffer* kept);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_BLOCK_LOADER_H_
