// BlockNote: the place of a data block in an index, where reads leave a slot
// hint.
//
// The hint says where in the block cache the block was found last. A small
// value; the index must outlive it. Thread-safe.
#ifndef ASHLAR_TABLE_INDEX_BLOCK_NOTE_H_
#define ASHLAR_TABLE_INDEX_BLOCK_NOTE_H_

#include <cstddef>
#include <cstdint>

#include "table/index/parsed_index.h"
#include "table/index/slot_hints.h"

namespace ashlar::internal {

struct BlockNote {
  const ParsedIndex* part = nullptr;  // null: hints are not kept
  size_t i = 0;

  BlockHint hint() const {
    return part == nullptr ? BlockHint() : part->hint(i);
  }
  void Note(uint32_t slot, const void* address) const {
    if (part != nullptr) part->Note(i, slot, address);
  }
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_BLOCK_NOTE_H_
