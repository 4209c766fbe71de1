#include "table/sort/entry_buffer.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "ashlar/table/internal_key.h"
#include "port/huge_pages.h"
#include "table/sort/key_word.h"
#include "table/sort/word_sort.h"

namespace ashlar::internal {
EntryBuffer::EntryBuffer(const StoredForm* form, size_t bytes)
    : form_(form), wanted_(bytes / sizeof(Place)) {}

bool EntryBuffer::Allocate(size_t bytes) {
  const size_t needed = bytes / sizeof(Place) + 1;
  if (memory_ != nullptr && needed <= capacity_) return true;
  if (!empty()) return false;
  capacity_ = std::max(wanted_, needed);
  memory_.reset();
  // Takes as much of the wanted memory as the machine has.
  while (capacity_ > needed) {
    memory_.reset(new (std::nothrow) Place[capacity_]);
    if (memory_ != nullptr) {
      // A merge of the pieces comes to another page with nearly every entry.
      port::PreferHugePages(memory_.get(), capacity_ * sizeof(Place));
      return true;
    }
    capacity_ = std::max(capacity_ / 2, needed);
  }
  memory_ = std::make_unique_for_overwrite<Place[]>(capacity_);
  return true;
}

bool EntryBuffer::Add(const SortEntry& entry) {
  const Sizes sizes = {static_cast<uint32_t>(form_->KeySize(entry)),
                       static_cast<uint32_t>(form_->ValueSize(entry))};
  const size_t needed = sizeof sizes + sizes.key + sizes.value;
  if (!Allocate(used_ + needed + (count_ + 1) * sizeof(Place))) return false;
  char* const record = data() + used_;
  std::memcpy(record, &sizes, sizeof sizes);
  char* const key = record + sizeof sizes;
  form_->Write(entry, key, key + sizes.key);
  used_ += needed;
  ++count_;
  return true;
}

uint64_t EntryBuffer::open_bytes() const {
  return used_ - open_begin_ + (count_ - open_first_) * sizeof(Place);
}

EntryBuffer::Piece EntryBuffer::ClosePiece() {
  const Piece piece = {open_begin_, used_, open_first_, count_ - open_first_};
  pieces_.push_back(piece);
  open_begin_ = used_;
  open_first_ = count_;
  return piece;
}

void EntryBuffer::Clear() {
  used_ = 0;
  count_ = 0;
  open_begin_ = 0;
  open_first_ = 0;
  pieces_.clear();
  // A larger buffer was only for an entry of unusual size.
  if (capacity_ > wanted_) {
    capacity_ = 0;
    memory_.reset();
  }
}

void EntryBuffer::Free() {
  Clear();
  capacity_ = 0;
  memory_.reset();
}

std::span<EntryBuffer::Place> EntryBuffer::PlacesOf(const Piece& piece) const {
  return {memory_.get() + (capacity_ - piece.first - piece.count), piece.count};
}

// Returns the length of the prefix that all user keys of the piece share.
size_t EntryBuffer::SharedPrefix(const Piece& piece) const {
  const Slice first = form_->UserKey(RecordAt(data() + piece.begin).key);
  size_t shared = first.size();
  for (uint64_t at = piece.begin; at < piece.end && shared > 0;) {
    const Record record = RecordAt(data() + at);
    shared = SharedBytes(first, form_->UserKey(record.key), shared);
    at = static_cast<uint64_t>(record.value.end() - data());
  }
  return shared;
}

void EntryBuffer::FillPlaces(const Piece& piece) const {
  KeyWords words(form_->user_keys());
  if (words.of_bytes()) words.SetShared(SharedPrefix(piece));
  uint64_t at = piece.begin;
  for (Place& place : PlacesOf(piece)) {
    const Record record = RecordAt(data() + at);
    place.offset = at;
    place.word = words.Of(form_->UserKey(record.key));
    at = static_cast<uint64_t>(record.value.end() - data());
  }
}

// Puts places in order, all of whose words are equal.
void EntryBuffer::SortEqualWords(std::span<Place> places) const {
  const Comparator& order = *form_->order();
  std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
    if (a.offset == b.offset) return false;
    const int result =
        order.Compare(UserKeyOf(RecordAt(data() + a.offset).key),
                      UserKeyOf(RecordAt(data() + b.offset).key));
    return result != 0 ? result < 0 : a.offset < b.offset;
  });
}

void EntryBuffer::SortPiece(const Piece& piece) const {
  FillPlaces(piece);
  const std::span<Place> places = PlacesOf(piece);
  const auto room = std::make_unique_for_overwrite<Place[]>(places.size());
  SortByWord(places, std::span(room.get(), places.size()));
  for (size_t begin = 0; begin < places.size();) {
    size_t end = begin + 1;
    while (end < places.size() && places[end].word == places[begin].word) ++end;
    if (end - begin > 1) SortEqualWords(places.subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace ashlar::internal
