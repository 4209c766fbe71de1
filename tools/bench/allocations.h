// How often a program's threads call malloc.
//
// allocations.cc puts counting functions in front of the C library's, for all
// code of the process: ours, RocksDB's, and operator new of both. Only in
// programs that it is linked into; one addition a call.
#ifndef ASHLAR_TOOLS_BENCH_ALLOCATIONS_H_
#define ASHLAR_TOOLS_BENCH_ALLOCATIONS_H_

#include <cstdint>

namespace ashlar::bench {

// Calls by this thread so far. Null where they cannot be counted.
using AllocationCounter = uint64_t (*)();
AllocationCounter CountAllocations();

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ALLOCATIONS_H_
