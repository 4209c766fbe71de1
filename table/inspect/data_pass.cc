#include "table/inspect/data_pass.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "port/huge_pages.h"
#include "table/inspect/shown_order.h"
#include "table/load/run_walk.h"

namespace ashlar::internal {

namespace {

struct BlockRun {
  size_t first;
  size_t end;
  uint64_t offset;
};

std::vector<BlockRun> CutIntoRuns(const DataBlockInputs& inputs) {
  constexpr uint64_t kMostBytes = uint64_t{2} << 20;
  const uint64_t most = std::min(inputs.options.readahead_size, kMostBytes);
  const size_t num_blocks = inputs.num_blocks();
  std::vector<BlockRun> runs;
  for (size_t i = 0; i < num_blocks;) {
    const uint64_t offset = inputs.HandleOf(i).offset;
    const size_t first = i++;
    while (i < num_blocks && RunGoesOnTo(inputs.HandleOf(i), offset, most)) {
      ++i;
    }
    runs.push_back({first, i, offset});
  }
  return runs;
}

// What one of several threads reads runs with.
class BlockWorker {
 public:
  // infos: for each data block what is found out about it.
  BlockWorker(const DataBlockInputs& inputs, const std::vector<BlockRun>& runs,
              BlockInfo* infos)
      : inputs_(inputs),
        runs_(runs),
        infos_(infos),
        reads_(&inputs.file.file(), inputs.options.readahead_size),
        walk_(inputs, &reads_) {
    walk_.asks_later = true;
  }

  uint64_t bytes_checked() const { return reads_.bytes_checked; }
  const FoundBlobs& blobs() const { return walk_.blobs; }

  std::optional<uint64_t> Find(size_t run) {
    if (run >= runs_.size()) return std::nullopt;
    run_ = &runs_[run];
    return run_->offset;
  }

  // Faults are left in the infos, so the walk goes on after them.
  void Check() {
    const uint64_t checked = reads_.bytes_checked;
    ReadRun();
    if (walk_.FilterKnowsAll()) return;
    // Some block has a key that the filter denies: do the run again, entry by
    // entry.
    std::fill(infos_ + run_->first, infos_ + run_->end, BlockInfo());
    reads_.bytes_checked = checked;
    walk_.proves = false;
    ReadRun();
    walk_.proves = true;
  }

 private:
  void ReadRun() {
    for (size_t i = run_->first; i < run_->end; ++i) {
      Slice contents;
      CheckDataBlock(inputs_, i, &walk_, &infos_[i], &contents);
    }
  }

  const DataBlockInputs& inputs_;
  const std::vector<BlockRun>& runs_;
  BlockInfo* const infos_;
  const BlockRun* run_ = nullptr;
  ThreadReads reads_;
  DataWalk walk_;
};

Status ReadTogether(const DataBlockInputs& inputs, PassReads* reads,
                    Findings* findings, DataFindings* data) {
  const InspectOptions& options = inputs.options;
  std::vector<BlockInfo>& infos = findings->inspection().blocks;
  infos.resize(inputs.num_blocks());
  const auto runs = CutIntoRuns(inputs);
  WorkerPool* const pool = options.worker_pool;
  const size_t threads =
      std::min<size_t>((pool == nullptr ? 0 : pool->threads()) + size_t{1},
                       std::max<size_t>(runs.size(), 1));
  std::vector<std::unique_ptr<BlockWorker>> workers;
  for (size_t i = 0; i < threads; ++i) {
    workers.push_back(
        std::make_unique<BlockWorker>(inputs, runs, infos.data()));
  }
  RunWalk walk(options.on_progress, findings->inspection().file_size);
  if (!walk.Run<BlockWorker>(pool, workers)) {
    infos.clear();
    return findings->GivenUp();
  }
  for (BlockInfo& info : infos) {
    data->num_points += info.num_entries;
    findings->Judge(&info);
  }
  FoundBlobs blobs(inputs.file.footer().offset,
                   options.max_uncompressed_block_bytes);
  for (const auto& worker : workers) {
    reads->thread()->bytes_checked += worker->bytes_checked();
    blobs.AddAll(worker->blobs());
  }
  data->blobs = blobs.TakeInOrder();
  return {};
}

// Reports that another block is where the index has this one.
void LoseToOther(const BlockPlace& place, const char* other, BlockInfo* info) {
  info->contents_sound = false;
  if (!info->status.ok()) return;
  info->status = place.Corruption("block was overwritten",
                                  std::string(other) + " is there");
}

// Shows each block before the next one is read.
Status ReadInOrder(const DataBlockInputs& inputs, PassReads* reads,
                   Findings* findings, DataFindings* data) {
  ShownOrder order;
  if (!OrderToShow(inputs, reads, &order)) return findings->GivenUp();
  reads->BeginStep();
  DataWalk walk(inputs, reads->thread());
  std::optional<FollowedEntries> followed;
  if (inputs.options.follow_blobs && inputs.facts.has_blobs) {
    followed.emplace(inputs.file, inputs.options);
  }
  size_t done = 0;
  for (const size_t i : order.numbers) {
    BlockInfo info;
    Slice contents;
    bool shown = CheckDataBlock(inputs, i, &walk, &info, &contents);
    const BlockPlace place{BlockKind::kData, inputs.HandleOf(i), i};
    if (order.copies.contains(i)) {
      LoseToOther(place, "a copy of another block", &info);
      shown = false;
    } else if (order.overwritten.contains(i)) {
      LoseToOther(place, "a block of other keys", &info);
    }
    data->num_points += info.num_entries;
    findings->Keep(std::move(info));
    if (shown && followed) {
      followed->Show(findings->inspection().blocks.back(), contents, place);
    } else if (shown) {
      findings->ShowEntries(contents, place);
    }
    constexpr size_t kBlocksPerReport = 256;
    if (done++ % kBlocksPerReport == 0 &&
        !findings->ReportProgress(place.handle.offset)) {
      return findings->GivenUp();
    }
  }
  data->blobs = walk.blobs.TakeInOrder();
  return {};
}

void ListBlocks(const DataBlockInputs& inputs, std::vector<BlockInfo>* infos) {
  for (size_t i = 0; i < inputs.num_blocks(); ++i) {
    BlockInfo info;
    info.kind = BlockKind::kData;
    info.index = i;
    info.offset = inputs.HandleOf(i).offset;
    info.size = inputs.HandleOf(i).size;
    infos->push_back(std::move(info));
  }
}

Status TakeDataBlocks(const DataBlockInputs& inputs, PassReads* reads,
                      Findings* findings, DataFindings* data) {
  using DataBlocks = InspectOptions::DataBlocks;
  const InspectOptions& options = inputs.options;
  switch (options.data_blocks) {
    case DataBlocks::kSkip:
      return {};
    case DataBlocks::kList:
      ListBlocks(inputs, &findings->inspection().blocks);
      break;
    case DataBlocks::kRead:
      const bool shows_them = options.on_block || options.on_entry;
      Status status = shows_them ? ReadInOrder(inputs, reads, findings, data)
                                 : ReadTogether(inputs, reads, findings, data);
      if (!status.ok()) return status;
      break;
  }
  return findings->ReportProgress(findings->inspection().file_size)
             ? Status()
             : findings->GivenUp();
}

}  // namespace

// Puts the blocks that were found before after them.
Status InspectDataBlocks(const DataBlockInputs& inputs, PassReads* reads,
                         Findings* findings, DataFindings* data) {
  std::vector<BlockInfo>& blocks = findings->inspection().blocks;
  std::vector<BlockInfo> others;
  others.swap(blocks);
  blocks.reserve(inputs.num_blocks() + others.size() + 1);
  // Else each page of so long a list would cost a page fault.
  port::UseHugePages(blocks.data(), blocks.capacity() * sizeof(BlockInfo));
  Status status = TakeDataBlocks(inputs, reads, findings, data);
  data->num_blocks = blocks.size();
  blocks.insert(blocks.end(), std::make_move_iterator(others.begin()),
                std::make_move_iterator(others.end()));
  return status;
}

}  // namespace ashlar::internal
