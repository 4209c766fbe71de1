// SortBuffer: an EntryBuffer, and the calls that sort its pieces.
//
// entry_sorter.cc says which thread has what of it, and when.
#ifndef ASHLAR_TABLE_SORT_SORT_BUFFER_H_
#define ASHLAR_TABLE_SORT_SORT_BUFFER_H_

#include <cstddef>
#include <deque>
#include <utility>

#include "ashlar/util/status.h"
#include "ashlar/util/worker_pool.h"
#include "table/sort/entry_buffer.h"
#include "table/sort/stored_form.h"
#include "util/sync/pool_call.h"

namespace ashlar::internal {

class SortBuffer {
 public:
  SortBuffer(const StoredForm* form, size_t bytes) : entries_(form, bytes) {}

  // To be filled and read by the owner. It may be cleared after FinishSorts.
  EntryBuffer& entries() { return entries_; }
  const EntryBuffer& entries() const { return entries_; }

  // Starts to sort the open piece, if it has entries. If this throws
  // std::bad_alloc, the piece will not be sorted.
  void ClosePiece(WorkerPool::State* pool) {
    if (entries_.open_bytes() == 0) return;
    const EntryBuffer::Piece piece = entries_.ClosePiece();
    sorts_.emplace_back().Start(pool, [this, piece] {
      entries_.SortPiece(piece);
      return Status();
    });
  }

  // Returns when all closed pieces are sorted. Sorts those that no worker has
  // begun.
  Status FinishSorts() {
    Status status;
    for (PoolCall& sort : sorts_) {
      Status sorted = sort.Wait();
      if (status.ok()) status = std::move(sorted);
    }
    sorts_.clear();
    return status;
  }

 private:
  EntryBuffer entries_;
  std::deque<PoolCall> sorts_;  // destroyed before what they sort
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SORT_SORT_BUFFER_H_
