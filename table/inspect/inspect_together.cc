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
// has them. The Inspector does not change until all threads are done. RunWalk
// says how runs are claimed and who gives up. Runs are taken in ascending
// order, so each thread meets its keys in order, as a hash search index
// requires. Blobs are put in the order of their data blocks at the end.
//
// Memory: a run and a decompressed block per thread.

#include <algorithm>
#include <memory>

#include "table/inspect/inspector.h"
#include "table/load/run_walk.h"

namespace ashlar::internal {

// What one of the threads reads runs with.
class Inspector::RunReader {
 public:
  struct BlockRun {
    size_t first;
    size_t end;
    uint64_t offset;
  };

  RunReader(const Inspector& inspector, const std::vector<BlockRun>& runs,
            BlockInfo* infos)
      : inspector_(inspector),
        runs_(runs),
        infos_(infos),
        walk_(&inspector.file_, inspector.options_.readahead_size) {
    walk_.asks_later = true;
    inspector.BeginDataBlocks(&walk_);
  }

  static std::vector<BlockRun> CutIntoRuns(const IndexItems& blocks,
                                           uint64_t readahead_size) {
    constexpr uint64_t kMostBytes = uint64_t{2} << 20;
    const uint64_t most = std::min(readahead_size, kMostBytes);
    std::vector<BlockRun> runs;
    for (size_t i = 0; i < blocks.size();) {
      const uint64_t offset = blocks[i].handle.offset;
      const size_t first = i++;
      while (i < blocks.size() && RunGoesOnTo(blocks[i].handle, offset, most)) {
        ++i;
      }
      runs.push_back({first, i, offset});
    }
    return runs;
  }

  const Walk& walk() const { return walk_; }

  std::optional<uint64_t> Find(size_t run) {
    if (run >= runs_.size()) return std::nullopt;
    run_ = &runs_[run];
    return run_->offset;
  }

  // Faults are left in the infos, so the walk goes on after them.
  bool Check() {
    const uint64_t checked = walk_.bytes_checked;
    ReadRun();
    if (walk_.FilterKnowsAll()) return true;
    // Some block has a key that the filter denies: do the run again, entry by
    // entry.
    std::fill(infos_ + run_->first, infos_ + run_->end, BlockInfo());
    walk_.bytes_checked = checked;
    walk_.proves = false;
    ReadRun();
    walk_.proves = true;
    return true;
  }

 private:
  void ReadRun() {
    for (size_t i = run_->first; i < run_->end; ++i) {
      Slice contents;
      inspector_.ReadDataBlock(i, &walk_, &infos_[i], &contents);
    }
  }

  const Inspector& inspector_;
  const std::vector<BlockRun>& runs_;
  BlockInfo* const infos_;
  Walk walk_;
  const BlockRun* run_ = nullptr;
};

Status Inspector::ReadDataBlocksTogether() {
  std::vector<BlockInfo>& infos = found_->blocks;
  infos.resize(data_blocks_.size());
  const auto runs =
      RunReader::CutIntoRuns(data_blocks_, options_.readahead_size);
  std::vector<std::unique_ptr<RunReader>> readers;
  WorkerPool* const pool = options_.worker_pool;
  const size_t threads =
      std::min<size_t>((pool == nullptr ? 0 : pool->threads()) + size_t{1},
                       std::max<size_t>(runs.size(), 1));
  for (size_t i = 0; i < threads; ++i) {
    readers.push_back(std::make_unique<RunReader>(*this, runs, infos.data()));
  }
  RunWalk walk(options_.on_progress, found_->file_size);
  if (!walk.Run<RunReader>(pool, readers)) {
    infos.clear();
    return GivenUp();
  }
  for (BlockInfo& info : infos) {
    num_points_ += info.num_entries;
    Judge(&info);
  }
  std::vector<FoundBlob>& blobs = walk_.blobs;
  blobs.clear();
  for (const auto& reader : readers) {
    const Walk& done = reader->walk();
    walk_.bytes_checked += done.bytes_checked;
    blobs.insert(blobs.end(), done.blobs.begin(), done.blobs.end());
  }
  std::stable_sort(blobs.begin(), blobs.end(),
                   [](const FoundBlob& a, const FoundBlob& b) {
                     return a.data_block < b.data_block;
                   });
  return {};
}

}  // namespace ashlar::internal
