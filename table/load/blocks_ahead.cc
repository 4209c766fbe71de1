#include "table/load/blocks_ahead.h"

#include <algorithm>
#include <span>
#include <utility>

namespace ashlar::internal {

void BlocksAhead::Clear() {
  for (size_t i = begin_; i < end_; ++i) found_[i].Reset();
  begin_ = end_ = 0;
  wanted_ = 0;
}

bool BlocksAhead::Take(const BlockPlace& place, PinnedBlock* block) {
  if (begin_ == end_) return false;
  if (handles_[begin_] != place.handle) {
    Clear();
    return false;
  }
  block->Clear();
  return block->TakeFound(std::move(found_[begin_++]), place);
}

void BlocksAhead::LookOn(const IndexCursor& at, bool forward) {
  if (!cache_->any()) return;
  if (forward != forward_) Clear();
  forward_ = forward;
  // One block is always left, so that the next one is known at each step.
  if (end_ - begin_ <= 1) Fill(at);
}

void BlocksAhead::Fill(const IndexCursor& at) {
  const size_t kept = end_ - begin_;
  if (kept != 0 && begin_ != 0) {
    handles_[0] = handles_[begin_];
    found_[0] = std::move(found_[begin_]);
  }
  begin_ = 0;
  end_ = kept;
  const size_t wanted = std::min(wanted_, kMost);
  wanted_ = wanted_ == 0 ? 1 : wanted * 2;
  std::array<BlockNote, kMost> notes;
  while (end_ < wanted) {
    const auto places = static_cast<ptrdiff_t>(end_ + 1);
    const BlockNote note = at.NoteNear(forward_ ? places : -places);
    if (note.part == nullptr) break;
    notes[end_] = note;
    handles_[end_++] = note.part->handle(note.i);
  }
  if (end_ == kept) return;
  cache_->FindAhead(std::span(handles_).subspan(kept, end_ - kept),
                    &notes[kept], TracedCaller::kIterator, &found_[kept]);
  for (size_t i = kept; i < end_; ++i) {
    const auto* const block = reinterpret_cast<const char*>(found_[i].get());
    if (block == nullptr) {
      // A walk that reads from the file does not need this.
      wanted_ = 0;
      continue;
    }
    __builtin_prefetch(block);
    __builtin_prefetch(block + 64);
  }
}

}  // namespace ashlar::internal
