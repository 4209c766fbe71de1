// Counts how often a program's threads call malloc.
//
// allocations.cc puts counting functions in front of those of the C library,
// for all code of the process: ours, RocksDB's, and operator new of both. It
// affects only programs that it is linked into. Counting costs one addition per
// call.
#ifndef ASHLAR_TOOLS_BENCH_ALLOCATIONS_H_
#define ASHLAR_TOOLS_BENCH_ALLOCATIONS_H_

#include <cstdint>

namespace ashlar::bench {

// Returns a function that returns the number of calls by this thread so far.
// Returns null if calls cannot be counted.
using AllocationCounter = uint64_t (*)();
AllocationCounter CountAllocations();

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ALLOCATIONS_H_
