// BlockBytes: bytes of a block that a read passes to a callback.
//
// It is a Slice, for callers that use it at once. Callers that keep it call
// Pin: nothing is copied, and all that is pinned in one block shares one
// reference to it. Lives until the callback returns. One thread at a time.
#ifndef ASHLAR_TABLE_BLOCK_BYTES_H_
#define ASHLAR_TABLE_BLOCK_BYTES_H_

#include <utility>

#include "ashlar/util/cleanable.h"
#include "ashlar/util/pinnable_slice.h"
#include "ashlar/util/slice.h"

namespace ashlar {

class BlockBytes : public Slice {
 public:
  // Internal: registers with `keeper` what keeps the block alive.
  using ShareBlock = void (*)(void* block, Cleanable* keeper);
  BlockBytes(const Slice& bytes, ShareBlock share, void* block)
      : Slice(bytes), share_(share), block_(block) {}

  // Makes *value these bytes, which then outlive the call and the reader, but
  // not the block cache. Allocates once for all bytes of a block. May throw
  // std::bad_alloc, also out of the callback: the read then ends with
  // MemoryLimit.
  void Pin(PinnableSlice* value) const {
    Cleanable keeper;
    if (share_ != nullptr) share_(block_, &keeper);
    value->Pin(*this, std::move(keeper));
  }

 private:
  ShareBlock share_;  // null: the bytes live as long as the reader
  void* block_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_BLOCK_BYTES_H_
