// MemoryFit: makes filters as large as the pieces of memory that an allocator
// hands out, so that a cache that holds them wastes none.
//
// Pieces are those of jemalloc: four sizes for each doubling. A filter is made
// a little larger or smaller than asked, by making it a little denser or
// thinner. The filters before it decide which of the two: the table's false
// positives must not exceed what was asked for, so the first filter becomes
// larger. Nothing else decides: equal keys give equal bytes on every machine.
//
// One for the filters of a table; one thread at a time.
#ifndef ASHLAR_TABLE_FILTER_MEMORY_FIT_H_
#define ASHLAR_TABLE_FILTER_MEMORY_FIT_H_

#include <cstdint>

#include "table/filter/registry.h"

namespace ashlar::internal {

// Return the smallest piece of at least this many bytes, and the largest of at
// most this many. No piece is smaller than 128 bytes.
uint64_t PieceOfAtLeast(uint64_t bytes);
uint64_t PieceOfAtMost(uint64_t bytes);

class MemoryFit {
 public:
  // Returns the density for the next filter, of num_hashes hashes, for which
  // `wished` was asked. Counts that filter's false positives.
  FilterDensity Choose(const FilterKind& kind, uint64_t num_hashes,
                       uint64_t first_hash, const FilterDensity& wished);

 private:
  // How many more false positives than asked for are expected, if each hash is
  // asked for once.
  double excess_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_MEMORY_FIT_H_
