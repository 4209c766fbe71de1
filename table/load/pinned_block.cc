#include "table/load/pinned_block.h"

#include "table/block/checked_entries.h"

namespace ashlar::internal {

Cleanable PinnedBlock::Release() {
  Cleanable pin;
  if (shared_) {
    shared_.MoveTo(&pin);
    return pin;
  }
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

void PinnedBlock::MakeShared() {
  if (shared_) return;
  // Takes the memory first: if there is none, the block stays as it was.
  SharedCleanable shared{Cleanable()};
  shared.Adopt(Release());
  shared_ = std::move(shared);
}

void PinnedBlock::Share(Cleanable* keeper) {
  MakeShared();
  shared_.ShareWith(keeper);
}

void PinnedBlock::CheckOnce(const KeyOrder& order, const BlockPlace& place,
                            BlockIterator* walker) {
  if (!cached_ || view_.separated) return;
  CachedDataBlock& block = *cached_;
  if (block.checked_by() != order.comparator()) {
    block.NoteChecked(CheckEntries(view_, place, walker), order.comparator());
  }
  view_.checked = block.checked();
}

void PinnedBlock::TakeKept(CachedBlockHandle kept) {
  cached_ = std::move(kept);
  seen_ = cached_.get();
  view_ = seen_->view();
}

Status PinnedBlock::MakeOwn(const BlockPlace& place) {
  if (HasOwnBytes()) return {};
  Status status = OwnContents(place, &own_);
  return status.ok() ? ShowOwn(place) : status;
}

Status PinnedBlock::Replace(const BlockPlace& place, Buffer bytes) {
  Clear();
  own_.owned = std::move(bytes);
  own_.contents = own_.owned.slice();
  return ShowOwn(place);
}

Status OwnContents(const BlockPlace& place, LoadedBlock* block) {
  if (block->contents.data() == block->owned.data()) return {};
  block->owned.clear();
  if (!block->owned.TryReserve(block->contents.size())) return place.NoMemory();
  block->owned.Append(block->contents);
  block->contents = block->owned.slice();
  return {};
}

}  // namespace ashlar::internal
