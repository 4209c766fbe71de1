// The current Bloom filter: all probes of a key are in one cache line of 64
// bytes.
//
//   line     the low 32 bits of the hash, scaled to the number of lines
//   probes   x = the high 32 bits of the hash; for each probe:
//            bit = x >> 23 (0 to 511), then x = x * 0x9E3779B9
//   payload  lines || FF 00 probes 00 00
//
// A row of the registry: these functions are called through it. They change
// only what they are given: thread-safe.
#ifndef ASHLAR_TABLE_FILTER_BLOOM_H_
#define ASHLAR_TABLE_FILTER_BLOOM_H_

#include <cstddef>
#include <cstdint>

#include "ashlar/util/slice.h"
#include "table/filter/filter_bits.h"
#include "table/filter/registry.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

inline constexpr int8_t kBloomMarker = -1;

HashParting BloomParting(uint64_t first_hash);
uint64_t BloomSize(uint64_t num_hashes, uint64_t first_hash,
                   const FilterDensity& density);
uint64_t BloomHashesIn(uint64_t bytes, const FilterDensity& density);
bool BuildBloom(HashCollector* hashes, const FilterDensity& density,
                const WorkerCrew& crew, Buffer* out);
FilterKind::Parsed ParseBloom(const Slice& payload, ParsedFilter* parsed);

// Returns how many probes RocksDB makes for this many thousandths of a bit per
// key.
int BloomProbes(int millibits);

inline constexpr size_t kBloomLineBytes = 64;
inline constexpr uint32_t kBloomProbeMultiplier = 0x9E3779B9;
inline constexpr int kBloomBitShift = 32 - 9;  // the top 9 bits: one of 512

// Returns the offset of a hash's line.
inline size_t BloomLineOf(uint64_t hash, uint32_t num_lines) {
  return (uint64_t{static_cast<uint32_t>(hash)} * num_lines >> 32) *
         kBloomLineBytes;
}

// Sets the bits of n hashes in num_lines lines.
void SetBloomLinesPortable(const uint64_t* hashes, size_t n, uint32_t num_lines,
                           char* lines, int probes);
// The same. Requires: at most kBloomVectorProbes probes, and a processor with
// CpuFeatures::avx512_popcount.
inline constexpr int kBloomVectorProbes = 8;
void SetBloomLinesAvx512(const uint64_t* hashes, size_t n, uint32_t num_lines,
                         char* lines, int probes);

// Returns whether all probes of x are set in the line. Requires:
// CpuFeatures::avx2.
bool BloomLineMatchesAvx2(const char* line, uint32_t x, int probes);
// The same for the lines of n hashes. Bit i is the answer to hash i.
uint64_t BloomLinesMatchAvx2(const char* const* lines, const uint64_t* hashes,
                             size_t n, int probes);
// The same. Requires: at most kBloomLongestMatch probes, and a processor as for
// SetBloomLinesAvx512.
inline constexpr int kBloomLongestMatch = 16;
uint64_t BloomLinesMatchAvx512(const char* const* lines, const uint64_t* hashes,
                               size_t n, int probes);
// The same two for AArch64.
bool BloomLineMatchesNeon(const char* line, uint32_t x, int probes);
uint64_t BloomLinesMatchNeon(const char* const* lines, const uint64_t* hashes,
                             size_t n, int probes);
bool BloomLineMatchesPortable(const char* line, uint32_t x, int probes);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_BLOOM_H_
