// The kinds of cache entries that are dumped, and how each is saved and made
// again.
//
// A second tier makes a value when a reader has found it, who then says by
// which order the block is to be parsed. A dump is loaded before a table is
// open. So what is saved names that order itself:
//
//   data block    flags 1 | handle 16 | contents
//                 flag 1: the block has room for entry words. How much depends
//                 on the order only by its being one of bytes
//   filter        handle 16 | contents
//   index block   handle 16 | kind 1 | form 1 | length of the comparator's name
//                 1 | name | entries, encoded as an index block of that form
//
// A parsed index does not keep the bytes of its block, so they are encoded
// again. Parsing them makes the same index, with all checks of its parser.
// A reader that finds an index in the cache compares its order, form and handle
// with its own. It does so with the blocks of other readers too.
//
// Pure functions, except that they take memory: thread-safe.
#ifndef ASHLAR_TABLE_DUMP_DUMP_KINDS_H_
#define ASHLAR_TABLE_DUMP_DUMP_KINDS_H_

#include <cstddef>

#include "ashlar/cache/cache_entry.h"
#include "ashlar/util/memory_allocator.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

struct DumpKind {
  // Those of the cache's entries. The role of the record is theirs.
  const CacheItemOps* ops;
  // Appends what is saved of the value. Returns false, and appends nothing of
  // use, if it cannot be saved. May throw std::bad_alloc.
  bool (*save)(const void* value, Buffer* out);
  // Makes a value of what was saved, and sets *value and *charge. Returns
  // Corruption or NotSupported if the bytes are none, MemoryLimit if there is
  // no memory. May throw std::bad_alloc.
  Status (*create)(const Slice& saved, MemoryAllocator* allocator, void** value,
                   size_t* charge);
};

// Return the kind; null if such entries are not dumped.
const DumpKind* DumpKindOf(const CacheItemOps* ops);
const DumpKind* DumpKindOf(CacheEntryRole role);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_DUMP_DUMP_KINDS_H_
