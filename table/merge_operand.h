// MergeOperand: a merge operand, as Get and MultiGet pass it to a callback.
//
// It is a Slice, for callers that merge at once. Callers that keep operands
// until they have all of them call Pin, in place of RocksDB's
// "GetMergeOperands": nothing is copied, and all operands and the value of one
// block share one reference to it. Lives until the callback returns. One thread
// at a time.
#ifndef ASHLAR_TABLE_MERGE_OPERAND_H_
#define ASHLAR_TABLE_MERGE_OPERAND_H_

#include <cstddef>
#include <functional>
#include <utility>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/cleanable.h"
#include "ashlar/util/pinnable_slice.h"
#include "ashlar/util/slice.h"

namespace ashlar {

class MergeOperand : public Slice {
 public:
  // Internal: registers with `keeper` what keeps the block alive.
  using ShareBlock = void (*)(void* block, Cleanable* keeper);
  MergeOperand(const Slice& bytes, ShareBlock share, void* block)
      : Slice(bytes), share_(share), block_(block) {}

  // Makes *value the operand, which then outlives the call and the reader, but
  // not the block cache. Allocates once for all operands of a block. May throw
  // std::bad_alloc, also out of the callback: the read then ends with
  // MemoryLimit.
  void Pin(PinnableSlice* value) const {
    Cleanable keeper;
    share_(block_, &keeper);
    value->Pin(*this, std::move(keeper));
  }

 private:
  ShareBlock share_;
  void* block_;
};

// Called for each merge operand of a key, newest first, on the thread that
// calls Get. Returns false to end the read there.
using MergeOperandCallback =
    std::function<bool(const MergeOperand& operand, SequenceNumber sequence)>;

// The same for MultiGet. `key` is the number of the key, from 0.
using BatchOperandCallback = std::function<bool(
    size_t key, const MergeOperand& operand, SequenceNumber sequence)>;

}  // namespace ashlar

#endif  // ASHLAR_TABLE_MERGE_OPERAND_H_
