#include "table/read/data_blocks.h"

#include <utility>

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

void DataBlocks::UseCache(std::shared_ptr<Cache> cache, const CacheKey& file) {
  cache_ = std::make_unique<BlockCache>(std::move(cache));
  file_ = file;
}

bool DataBlocks::FindInCache(const BlockPlace& place,
                             PinnedBlock* block) const {
  if (cache_ == nullptr) return false;
  block->cached_ = cache_->Lookup(file_.AtOffset(place.handle.offset));
  if (!block->cached_) return false;
  // A damaged index may tell of a block that is nearly this one.
  if (block->cached_->handle != place.handle) {
    block->cached_.Reset();
    return false;
  }
  block->view_ = block->cached_->view;
  return true;
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
