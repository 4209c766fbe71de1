// The legacy Bloom filter: that of RocksDB before format version 5, and of
// Pebble. Read only.
//
//   line     hash mod number of lines
//   probes   for each: bit = hash mod bits of a line, then
//            hash += hash rotated right by 17
//   payload  lines || probes (1 to 127) || number of lines, fixed32
//
// A line is as long as a cache line of the machine that wrote it. A row of the
// registry. Pure: thread-safe.
#ifndef ASHLAR_TABLE_FILTER_LEGACY_BLOOM_H_
#define ASHLAR_TABLE_FILTER_LEGACY_BLOOM_H_

#include <cstdint>

#include "ashlar/util/slice.h"
#include "table/filter/filter_bits.h"
#include "table/filter/registry.h"

namespace ashlar::internal {

// The seed of H32 for all legacy filters, LevelDB's included.
inline constexpr uint32_t kLegacyFilterSeed = 0xBC9F1D34;

FilterKind::Parsed ParseLegacyBloom(const Slice& payload, ParsedFilter* parsed);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_LEGACY_BLOOM_H_
