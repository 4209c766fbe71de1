// PieceMerge: shows the entries of a buffer in order, by merging its pieces.
//
// The pieces are the leaves of a binary heap of one entry each. Earlier pieces
// have earlier entries, so equal entries keep their order. For one thread at a
// time; the buffer must not change meanwhile. It does not copy anything.
#ifndef ASHLAR_TABLE_SORT_PIECE_MERGE_H_
#define ASHLAR_TABLE_SORT_PIECE_MERGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ashlar/util/slice.h"
#include "table/sort/entry_buffer.h"
#include "table/sort/key_word.h"

namespace ashlar::internal {

class PieceMerge {
 public:
  // Requires: all entries of the buffer are in pieces that are closed and
  // sorted. The buffer must outlive this. May throw std::bad_alloc.
  explicit PieceMerge(const EntryBuffer* entries);

  bool Valid() const { return !heap_.empty(); }
  // Both require Valid(). The slices live as long as the buffer has them.
  EntryBuffer::Record record() const {
    return EntryBuffer::RecordAt(heap_.front().address);
  }
  void Next();

 private:
  // The next entry of a piece.
  struct Head {
    uint64_t word = 0;
    const char* address = nullptr;
    size_t piece = 0;
    size_t next = 0;  // the number of the entry after it
  };

  Slice StoredKey(const Head& head) const {
    return EntryBuffer::RecordAt(head.address).key;
  }
  bool Advance(Head* head) const;
  bool IsBefore(const Head& a, const Head& b) const;
  void SiftDown(size_t hole);

  const EntryBuffer* const entries_;
  KeyWords words_;
  std::vector<Head> heap_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SORT_PIECE_MERGE_H_
