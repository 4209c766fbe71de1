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
  // These require Valid(). The slices live as long as the buffer has them.
  const Slice& key() const { return heap_.front().record.key; }
  const Slice& value() const { return heap_.front().record.value; }
  void Next();

 private:
  // The next entry of a piece.
  struct Head {
    uint64_t word;
    EntryBuffer::Record record;
    size_t piece;
    size_t next;  // the number of the entry after it
  };

  bool Advance(Head* head) const;
  bool IsBefore(const Head& a, const Head& b) const;
  void SiftDown(size_t hole);

  const EntryBuffer* const entries_;
  KeyWords words_;
  std::vector<Head> heap_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SORT_PIECE_MERGE_H_
