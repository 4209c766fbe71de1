// BlockNote: a data block's place in an index, where reads note where they
// found it. A small value; the index must outlive it. Thread-safe.
#ifndef ASHLAR_TABLE_INDEX_BLOCK_NOTE_H_
#define ASHLAR_TABLE_INDEX_BLOCK_NOTE_H_

#include <cstddef>
#include <cstdint>

#include "table/index/parsed_index.h"
#include "table/index/word_tree.h"

namespace ashlar::internal {

struct BlockNote {
  const ParsedIndex* part = nullptr;  // null: nothing is noted
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
