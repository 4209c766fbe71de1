#include "table/read/data_blocks.h"

#include <array>
#include <utility>

#include "table/block/checked_entries.h"

namespace ashlar::internal {

void PinnedBlock::Clear() {
  view_ = {};
  cached_.Reset();
}

Cleanable PinnedBlock::Release() {
  Cleanable pin;
  if (cached_) {
    cached_.MoveTo(&pin);
    return pin;
  }
  auto* const owner = new Buffer(std::move(own_.owned));
  pin.RegisterCleanup(
      [](void* buffer, void*) { delete static_cast<Buffer*>(buffer); }, owner,
      nullptr);
  return pin;
}

void PinnedBlock::CheckOnce(const KeyOrder& order, const BlockPlace& place,
                            BlockIterator* walker) {
  if (!cached_ || view_.separated) return;
  CachedDataBlock& block = *cached_;
  if (block.checked_by.Load() != order.comparator()) {
    const CheckedEntries checked = CheckEntries(view_, place, walker);
    block.largest_key.Store(checked.largest_key);
    block.largest_interval.Store(checked.largest_interval);
    block.checked_by.Store(order.comparator());
  }
  view_.checked = {block.largest_key.Load(), block.largest_interval.Load()};
}

void DataBlocks::UseCache(std::shared_ptr<Cache> cache, const CacheKey& file) {
  cache_ = std::make_unique<BlockCache>(std::move(cache));
  file_ = file;
}

bool DataBlocks::Take(CachedBlockHandle found, const BlockPlace& place,
                      PinnedBlock* block) {
  // A damaged index may tell of a block that is nearly this one.
  if (!found || found->handle != place.handle) return false;
  block->view_ = found->view;
  block->cached_ = std::move(found);
  return true;
}

bool DataBlocks::FindInCache(const BlockPlace& place,
                             PinnedBlock* block) const {
  if (cache_ == nullptr) return false;
  return Take(cache_->Lookup(file_.AtOffset(place.handle.offset)), place,
              block);
}

void DataBlocks::FindInCache(std::span<const BlockHandle> blocks,
                             CachedBlockHandle* found) const {
  std::array<CacheKey, 32> keys;
  for (size_t i = 0; i < blocks.size(); ++i) {
    keys[i] = file_.AtOffset(blocks[i].offset);
  }
  cache_->LookupBatch(std::span(keys).first(blocks.size()), found);
}

Status DataBlocks::Load(const BlockPlace& place, const ReadOptions& options,
                        FileWindow* window, BlockWorkspace* workspace,
                        PinnedBlock* block) const {
  block->Clear();
  if (FindInCache(place, block)) return {};
  Status status = source_->Load(place, options.verify_checksums, window,
                                workspace, &block->own_);
  return status.ok() ? Keep(place, options, block) : status;
}

Status DataBlocks::Load(const BlockPlace& place, const ReadOptions& options,
                        PinnedBlock* block) const {
  block->Clear();
  if (FindInCache(place, block)) return {};
  Status status =
      source_->LoadOwned(place, options.verify_checksums, &block->own_);
  return status.ok() ? Keep(place, options, block) : status;
}

// Parses what was loaded; in the cache, if it is to go there and parses.
Status DataBlocks::Keep(const BlockPlace& place, const ReadOptions& options,
                        PinnedBlock* block) const {
  const Slice contents = block->own_.contents;
  const bool to_cache =
      cache_ != nullptr && options.fill_cache && options.verify_checksums;
  if (!to_cache) return ParseBlock(contents, place, &block->view_);
  // A copy, since what was read into may be far larger than the block.
  auto kept = std::make_unique<CachedDataBlock>();
  if (!kept->bytes.TryReserve(contents.size())) {
    return ParseBlock(contents, place, &block->view_);
  }
  kept->handle = place.handle;
  kept->bytes.Append(contents);
  Status status = ParseBlock(kept->bytes.slice(), place, &kept->view);
  if (!status.ok()) return status;
  block->cached_ = cache_->InsertAndHold(file_.AtOffset(place.handle.offset),
                                         std::move(kept));
  if (!block->cached_) return ParseBlock(contents, place, &block->view_);
  block->view_ = block->cached_->view;
  return {};
}

Status DataBlocks::Replace(const BlockPlace& place, Buffer bytes,
                           PinnedBlock* block) {
  block->Clear();
  block->own_.owned = std::move(bytes);
  block->own_.contents = block->own_.owned.slice();
  return ParseBlock(block->own_.contents, place, &block->view_);
}

}  // namespace ashlar::internal
