// MergeOperand: a merge operand, as Get and MultiGet pass it to a callback.
//
// Callers that merge at once use it as a Slice. Callers that keep operands
// until they have all of them call Pin, in place of RocksDB's
// "GetMergeOperands". Lives until the callback returns. One thread at a time.
#ifndef ASHLAR_TABLE_MERGE_OPERAND_H_
#define ASHLAR_TABLE_MERGE_OPERAND_H_

#include <cstddef>
#include <functional>

#include "ashlar/table/block_bytes.h"
#include "ashlar/table/internal_key.h"

namespace ashlar {

// The bytes of a merge operand, and the block that keeps them alive.
using MergeOperand = BlockBytes;

// Called for each merge operand of a key, newest first, on the thread that
// calls Get. Returns false to end the read there.
using MergeOperandCallback =
    std::function<bool(const MergeOperand& operand, SequenceNumber sequence)>;

// The same for MultiGet. `key` is the number of the key, from 0.
using BatchOperandCallback = std::function<bool(
    size_t key, const MergeOperand& operand, SequenceNumber sequence)>;

}  // namespace ashlar

#endif  // ASHLAR_TABLE_MERGE_OPERAND_H_
