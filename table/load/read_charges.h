// ReadCharges: what a reader and its iterators charge to the block cache.
//
// A reader has one. What it keeps itself is charged to `table`, by any thread.
// Each iterator has charges of its own, made from the others by Sibling, which
// any number of threads may call.
#ifndef ASHLAR_TABLE_LOAD_READ_CHARGES_H_
#define ASHLAR_TABLE_LOAD_READ_CHARGES_H_

#include "ashlar/table/reader_options.h"
#include "cache/charge/memory_charge.h"

namespace ashlar::internal {

struct ReadCharges {
  // Charges nothing.
  ReadCharges() = default;
  // Throws std::bad_alloc.
  explicit ReadCharges(const ReaderOptions& o)
      : table(o.block_cache, o.cache_usage_options,
              CacheEntryRole::kBlockBasedTableReader),
        read_ahead(o.block_cache, o.cache_usage_options,
                   CacheEntryRole::kReadAhead),
        iterators(o.block_cache, o.cache_usage_options,
                  CacheEntryRole::kIterator) {}

  MemoryCharge table;
  MemoryCharge read_ahead;
  MemoryCharge iterators;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_READ_CHARGES_H_
