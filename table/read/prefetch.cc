// Blocks are loaded as those of a MultiGet, many at a time: neighbours that are
// missing are read by one read of the file.

#include "table/read/prefetch.h"

#include <array>
#include <span>
#include <utility>

#include "table/index/index_cursor.h"
#include "table/read/walk_bounds.h"

namespace ashlar::internal {

namespace {

class BlockBatch {
 public:
  BlockBatch(const OpenedTable& table, const ReadOptions& options)
      : table_(table), options_(options) {}

  // Adds a block, and loads all that were added if there is no room for more.
  Status Add(const BlockPlace& place) {
    BlockRequest& request = requests_[size_];
    request = {.place = place, .block = &blocks_[size_]};
    return ++size_ == requests_.size() ? Load() : Status();
  }
  // Loads the blocks that were added, and forgets them.
  Status Load() {
    const std::span<BlockRequest> requests =
        std::span(requests_).first(std::exchange(size_, 0));
    if (requests.empty()) return {};
    table_.data.LoadBatch(requests, options_);
    Status status;
    for (BlockRequest& r : requests) {
      if (!r.postponed) Release(r.status, &r, &status);
    }
    for (BlockRequest& r : requests) {
      if (!r.postponed || !status.ok()) continue;
      Release(table_.data.LoadPostponed(r, options_), &r, &status);
    }
    return status;
  }

 private:
  // Keeps the first error. The cache has the block.
  static void Release(const Status& loaded, BlockRequest* request,
                      Status* status) {
    if (status->ok()) *status = loaded;
    *request->block = PinnedBlock();
  }

  const OpenedTable& table_;
  ReadOptions options_;
  size_t size_ = 0;
  std::array<BlockRequest, kBlockBatchMax> requests_;
  std::array<PinnedBlock, kBlockBatchMax> blocks_;
};

}  // namespace

Status PrefetchRange(const OpenedTable& table, const ReadOptions& given,
                     const Slice* begin, const Slice* end) {
  Status status = table.CheckOrderKnown("Prefetch");
  if (!status.ok()) return status;
  // What it is for. Partitions of the index go by it too.
  ReadOptions options = given;
  options.fill_cache = true;
  const LimitScope limits(options);
  const WalkBounds bounds(table, begin, end);
  if (bounds.exclude_all()) return {};
  const bool any_cache = table.data.cache().any();
  BlockBatch batch(table, options);
  IndexCursor at(&table.index);
  bool on_block = bounds.lower() ? at.Seek(*bounds.lower()) : at.SeekToFirst();
  for (; on_block && !bounds.EndBefore(at); on_block = at.Next()) {
    if (any_cache) status = batch.Add(at.place());
    if (!status.ok()) return status;
  }
  return at.status().ok() ? batch.Load() : at.status();
}

}  // namespace ashlar::internal
