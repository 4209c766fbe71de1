// EntryBuffer: holds entries in one block of memory, in pieces that are sorted
// one by one.
//
// The buffer is one allocation. Records are written from its start, in the
// order in which they come. From its end grow the places, one word and one
// offset per record. A *piece* is a range of records with their places:
//
//   | records of piece 0 | of piece 1 | ...     ... | places of 1 | of 0 |
//
// The last piece is open until ClosePiece. A closed piece can be sorted while
// entries are added: SortPiece reads the records of its piece, and writes its
// places, and nothing else. PieceMerge then shows all entries in order.
//
// Threads: one thread at a time calls the other functions. Any number of
// threads may be in SortPiece meanwhile, for different pieces that the first
// thread closed before; the caller orders its calls (util/sync/pool_call.h).
// Clear and Free, and PieceMerge, must wait for all of them.
#ifndef ASHLAR_TABLE_SORT_ENTRY_BUFFER_H_
#define ASHLAR_TABLE_SORT_ENTRY_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "ashlar/table/entry_sorter.h"
#include "ashlar/util/slice.h"
#include "table/sort/stored_form.h"

namespace ashlar::internal {

class EntryBuffer {
 public:
  struct Piece {
    uint64_t begin = 0;  // offset of the first record
    uint64_t end = 0;    // after the last one
    size_t first = 0;    // number of the first record in the buffer
    size_t count = 0;
  };
  struct Record {
    Slice key;
    Slice value;
  };

  // `form` must outlive this. The buffer takes at most `bytes`, except for a
  // single entry that needs more.
  EntryBuffer(const StoredForm* form, size_t bytes);

  // Copies the entry into the open piece. Returns false if there is no room for
  // it after the others. May throw std::bad_alloc.
  bool Add(const SortEntry& entry);
  bool empty() const { return count_ == 0; }
  // Returns the bytes of the open piece, with its places.
  uint64_t open_bytes() const;
  // Ends the open piece, which has entries, and returns it.
  Piece ClosePiece();
  const std::vector<Piece>& pieces() const { return pieces_; }
  void Clear();
  // Does the same, and frees the memory.
  void Free();

  // Needs room for another copy of the piece's places. May throw
  // std::bad_alloc.
  void SortPiece(const Piece& piece) const;

  // After SortPiece: the entry i of the piece, in order.
  Record At(const Piece& piece, size_t i) const {
    return RecordAt(AddressOf(piece, i));
  }
  // The same in two steps.
  const char* AddressOf(const Piece& piece, size_t i) const {
    return data() + PlacesOf(piece)[i].offset;
  }
  // Returns where the place of that entry is, for a prefetch.
  const char* PlaceAddress(const Piece& piece, size_t i) const {
    return reinterpret_cast<const char*>(PlacesOf(piece).data() + i);
  }
  static Record RecordAt(const char* address) {
    Sizes sizes;
    std::memcpy(&sizes, address, sizeof sizes);
    const char* const key = address + sizeof sizes;
    return {Slice(key, sizes.key), Slice(key + sizes.key, sizes.value)};
  }

  const StoredForm& form() const { return *form_; }

 private:
  // A record's offset, and the first bytes of its key as a number.
  struct Place {
    uint64_t word;
    uint64_t offset;
  };

  // The sizes that precede each record's key and value.
  struct Sizes {
    uint32_t key;
    uint32_t value;
  };

  bool Allocate(size_t bytes);
  char* data() const { return reinterpret_cast<char*>(memory_.get()); }
  std::span<Place> PlacesOf(const Piece& piece) const;
  size_t SharedPrefix(const Piece& piece) const;
  void FillPlaces(const Piece& piece) const;
  void SortEqualWords(std::span<Place> places) const;

  const StoredForm* form_;
  size_t wanted_;        // in units of Place
  size_t capacity_ = 0;  // in units of Place
  std::unique_ptr<Place[]> memory_;
  size_t used_ = 0;  // bytes of records
  size_t count_ = 0;
  uint64_t open_begin_ = 0;
  size_t open_first_ = 0;
  std::vector<Piece> pieces_;  // that are closed
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SORT_ENTRY_BUFFER_H_
