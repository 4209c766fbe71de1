#include "table/sort/piece_merge.h"

#include <algorithm>
#include <utility>

#include "ashlar/table/internal_key.h"

namespace ashlar::internal {
namespace {

// Returns the length of the prefix that all user keys share. In an order of
// bytes, that is what the first and the last ones of the pieces share.
size_t SharedByPieces(const EntryBuffer& entries) {
  const auto user_key = [&](const EntryBuffer::Piece& piece, size_t i) {
    return entries.form().UserKey(entries.At(piece, i).key);
  };
  const auto& pieces = entries.pieces();
  if (pieces.empty()) return 0;
  const Slice first = user_key(pieces.front(), 0);
  size_t shared = first.size();
  for (const EntryBuffer::Piece& piece : pieces) {
    shared = SharedBytes(first, user_key(piece, 0), shared);
    shared = SharedBytes(first, user_key(piece, piece.count - 1), shared);
  }
  return shared;
}

// Starts to fetch memory that will be read soon: two lines, which most records
// do not exceed. Inlined always: GCC drops calls of functions that do nothing
// but prefetch.
[[gnu::always_inline]] inline void Prefetch(const char* address) {
  constexpr size_t kLine = 64;
  __builtin_prefetch(address);
  __builtin_prefetch(address + kLine);
}

}  // namespace

PieceMerge::PieceMerge(const EntryBuffer* entries)
    : entries_(entries), words_(entries->form().user_keys()) {
  if (words_.of_bytes()) words_.SetShared(SharedByPieces(*entries));
  const size_t pieces = entries->pieces().size();
  heap_.reserve(pieces);
  for (size_t i = 0; i < pieces; ++i) {
    Head head;
    head.piece = i;
    if (Advance(&head)) heap_.push_back(head);
  }
  for (size_t i = heap_.size() / 2; i-- > 0;) SiftDown(i);
}

// Sets the head to the next entry of its piece. Returns false if there is none.
bool PieceMerge::Advance(Head* head) const {
  constexpr size_t kAhead = 16;
  const EntryBuffer::Piece& piece = entries_->pieces()[head->piece];
  if (head->next == piece.count) return false;
  if (head->next + kAhead < piece.count) {
    Prefetch(entries_->AddressOf(piece, head->next + kAhead));
    // Places are in order, but of many pieces in turn, so the processor does
    // not notice.
    const size_t place = head->next + 4 * kAhead;
    Prefetch(entries_->PlaceAddress(piece, std::min(place, piece.count - 1)));
  }
  head->address = entries_->AddressOf(piece, head->next++);
  head->word = words_.Of(entries_->form().UserKey(StoredKey(*head)));
  return true;
}

bool PieceMerge::IsBefore(const Head& a, const Head& b) const {
  if (a.word != b.word) return a.word < b.word;
  const int order = entries_->form().order()->Compare(UserKeyOf(StoredKey(a)),
                                                      UserKeyOf(StoredKey(b)));
  return order != 0 ? order < 0 : a.piece < b.piece;
}

void PieceMerge::SiftDown(size_t hole) {
  const size_t size = heap_.size();
  const Head moved = heap_[hole];
  for (;;) {
    size_t child = 2 * hole + 1;
    if (child >= size) break;
    if (child + 1 < size && IsBefore(heap_[child + 1], heap_[child])) ++child;
    if (!IsBefore(heap_[child], moved)) break;
    heap_[hole] = heap_[child];
    hole = child;
  }
  heap_[hole] = moved;
}

void PieceMerge::Next() {
  if (!Advance(&heap_.front())) {
    heap_.front() = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return;
  }
  SiftDown(0);
}

}  // namespace ashlar::internal
