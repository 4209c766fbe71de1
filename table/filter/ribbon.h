// The Ribbon filter: the solution of a system of linear equations, one per key.
//
// A key's hash gives a start slot, 128 coefficients for the slots from there
// on, and the bits that the solution must give for them. A Ribbon filter is a
// third smaller than a Bloom filter that rules out as many keys, but slower to
// build and to ask.
//
//   payload  segments || FE seed blocks (3 bytes)
//   segment  one column of the solution for 128 slots, 16 bytes; a block of
//            slots has as many segments in a row as it has columns
//
// FORMAT.md, "Ribbon", has the geometry. A row of the registry: these functions
// are called through it. They change only what they are given: thread-safe.
#ifndef ASHLAR_TABLE_FILTER_RIBBON_H_
#define ASHLAR_TABLE_FILTER_RIBBON_H_

#include <cstdint>

#include "ashlar/util/slice.h"
#include "table/filter/filter_bits.h"
#include "table/filter/registry.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

inline constexpr int8_t kRibbonMarker = -2;

HashParting RibbonParting(uint64_t first_hash);
uint64_t RibbonSize(uint64_t num_hashes, uint64_t first_hash,
                    const FilterDensity& density);
uint64_t RibbonWorkBytes(uint64_t num_hashes, uint64_t first_hash,
                         const FilterDensity& density);
uint64_t RibbonHashesIn(uint64_t bytes, const FilterDensity& density);
bool BuildRibbon(HashCollector* hashes, const FilterDensity& density,
                 const WorkerCrew& crew, Buffer* out);
FilterKind::Parsed ParseRibbon(const Slice& payload, ParsedFilter* parsed);

// For tests. Return how many slots this many hashes need; and n, where one in n
// hashes that are not in the filter matches.
uint64_t RibbonSlots(uint64_t num_hashes);
double RibbonOneIn(const FilterDensity& density);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_RIBBON_H_
