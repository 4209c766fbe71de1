// The part of the Inspector that reads data blocks by several threads, or by
// one thread that need not show them.
//
// Data flow. The data blocks, whose handles are known from the index, are cut
// into runs of about readahead_size bytes of the file, 2 MiB at most. The
// threads are the caller, and workers of the pool that come in time. Each takes
// the next run, reads it through a window of its own, and checks its blocks as
// one thread would: checksum, decompression, every entry, and the keys at both
// ends against the separators. By the latter the order from block to block is
// checked without the neighbours. What a thread finds out about data block i it
// writes into element i of a vector that was made before. When all threads are
// done, the caller goes over the vector in order, counts, and reports the
// faults. So the result does not depend on which thread did what.
//
// Filters answer late, when what they look at has been fetched. If a filter
// denies any key of a run, the run is done again, entry by entry.
//
// Who owns what. A Walk, and each BlockInfo of a run, belong to the thread that
// has them. The Inspector does not change until all threads are done. The
// number of the next run is the only word that several threads write. Runs are
// taken in ascending order, so each thread meets its keys in order, as a hash
// search index requires. Blobs are put in the order of their data blocks at the
// end.
//
// Memory: a run and a decompressed block per thread.
//
// Giving up: only the caller asks on_progress, before each of its runs. The
// other threads see the answer before each of theirs.

#include <algorithm>
#include <memory>

#include "ashlar/util/sync/thread_number.h"
#include "table/format/block_trailer.h"
#include "table/inspect/inspector.h"
#include "util/sync/atomic.h"
#include "util/sync/worker_crew.h"

namespace ashlar::internal {

class Inspector::Crew {
 public:
  Crew(const Inspector& inspector, BlockInfo* infos)
      : inspector_(inspector), infos_(infos) {
    CutIntoRuns();
    const WorkerPool* const pool = inspector.options_.worker_pool;
    const size_t threads =
        std::min<size_t>((pool == nullptr ? 0 : pool->threads()) + size_t{1},
                         std::max<size_t>(runs_.size(), 1));
    for (size_t i = 0; i < threads; ++i) {
      walks_.push_back(std::make_unique<Walk>(
          &inspector.file_, inspector.options_.readahead_size));
      walks_.back()->asks_later = true;
      inspector.BeginDataBlocks(walks_.back().get());
    }
  }

  // Returns false if the work was given up.
  bool Run() {
    const auto threads = static_cast<uint32_t>(walks_.size());
    WorkerPool* const pool = inspector_.options_.worker_pool;
    const WorkerCrew crew(pool == nullptr ? nullptr : pool->state(),
                          threads - 1);
    return crew.ForEach(threads, [this](uint32_t thread) {
      return TakeRuns(walks_[thread].get());
    });
  }

  // What the threads found, in addition to the infos.
  uint64_t bytes_checked() const {
    uint64_t bytes = 0;
    for (const auto& walk : walks_) bytes += walk->bytes_checked;
    return bytes;
  }
  std::vector<FoundBlob> Blobs() const {
    std::vector<FoundBlob> blobs;
    for (const auto& walk : walks_) {
      blobs.insert(blobs.end(), walk->blobs.begin(), walk->blobs.end());
    }
    std::stable_sort(blobs.begin(), blobs.end(),
                     [](const FoundBlob& a, const FoundBlob& b) {
                       return a.data_block < b.data_block;
                     });
    return blobs;
  }

 private:
  struct BlockRun {
    size_t first;
    size_t end;
    uint64_t offset;
  };

  void CutIntoRuns() {
    constexpr uint64_t kMostBytes = uint64_t{2} << 20;
    const uint64_t most =
        std::min(inspector_.options_.readahead_size, kMostBytes);
    const IndexItems& blocks = inspector_.data_blocks_;
    for (size_t i = 0; i < blocks.size();) {
      const uint64_t offset = blocks[i].handle.offset;
      const auto bytes_to = [&](size_t last) {
        return blocks[last].handle.End() + kBlockTrailerSize - offset;
      };
      const size_t first = i++;
      while (i < blocks.size() && bytes_to(i) <= most) ++i;
      runs_.push_back({first, i, offset});
    }
  }

  bool TakeRuns(Walk* walk) {
    for (;;) {
      const size_t number = next_run_.FetchAdd(1);
      if (number >= runs_.size()) return true;
      const BlockRun& run = runs_[number];
      if (ThreadNumber() == caller_ && !inspector_.ReportProgress(run.offset)) {
        given_up_.Store(true);
      }
      if (given_up_.Load()) return false;
      const uint64_t checked = walk->bytes_checked;
      ReadRun(run, walk);
      if (walk->FilterKnowsAll()) continue;
      // Some block has a key that the filter denies: do the run again, entry by
      // entry.
      std::fill(infos_ + run.first, infos_ + run.end, BlockInfo());
      walk->bytes_checked = checked;
      walk->proves = false;
      ReadRun(run, walk);
      walk->proves = true;
    }
  }

  void ReadRun(const BlockRun& run, Walk* walk) {
    for (size_t i = run.first; i < run.end; ++i) {
      Slice contents;
      inspector_.ReadDataBlock(i, walk, &infos_[i], &contents);
    }
  }

  const Inspector& inspector_;
  BlockInfo* const infos_;
  const uint32_t caller_ = ThreadNumber();
  std::vector<BlockRun> runs_;
  std::vector<std::unique_ptr<Walk>> walks_;
  RelaxedAtomic<size_t> next_run_{0};
  RelaxedAtomic<bool> given_up_{false};
};

Status Inspector::ReadDataBlocksTogether() {
  std::vector<BlockInfo>& infos = found_->blocks;
  infos.resize(data_blocks_.size());
  Crew crew(*this, infos.data());
  if (!crew.Run()) {
    infos.clear();
    return GivenUp();
  }
  for (BlockInfo& info : infos) {
    num_points_ += info.num_entries;
    Judge(&info);
  }
  walk_.bytes_checked += crew.bytes_checked();
  walk_.blobs = crew.Blobs();
  return {};
}

}  // namespace ashlar::internal
