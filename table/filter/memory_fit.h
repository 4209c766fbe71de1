// MemoryFit: filters as large as the pieces of memory that an allocator hands
// out, so that a cache that holds them wastes none.
//
// Pieces are what jemalloc has: four sizes for each doubling. A filter is made
// a little larger or smaller than wished by making it a little denser or
// thinner. Which of the two, the filters before decide: false positives of a
// table must not become more than wished, and so the first one is larger.
// Nothing else decides: equal keys give equal bytes on every machine.
//
// One for the filters of a table; one thread at a time.
#ifndef ASHLAR_TABLE_FILTER_MEMORY_FIT_H_
#define ASHLAR_TABLE_FILTER_MEMORY_FIT_H_

#include <cstdint>

#include "table/filter/registry.h"

namespace ashlar::internal {

// The smallest piece of so many bytes or more, and the largest of so many or
// fewer. 128 or more.
uint64_t PieceOfAtLeast(uint64_t bytes);
uint64_t PieceOfAtMost(uint64_t bytes);

class MemoryFit {
 public:
  // The density for the next filter, of so many hashes, where `wished` would
  // do. Counts it.
  FilterDensity Choose(const FilterKind& kind, uint64_t num_hashes,
                       uint64_t first_hash, const FilterDensity& wished);

 private:
  // Expected false positives, if each hash is asked for once: how many more
  // than wished.
  double excess_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_MEMORY_FIT_H_
