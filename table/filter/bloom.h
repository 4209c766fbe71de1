// The current Bloom filter: all probes of a key in one cache line of 64 bytes.
//
//   line = low 32 bits of the hash, scaled to the number of lines
//   probe: bit = x >> 23 (0..511), x = x * 0x9E3779B9, from the high 32 bits
//   payload = lines || FF 00 probes 00 00
//
// A row of the registry: these functions are called through it. Pure but for
// what they are given: thread-safe.
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

// How many probes RocksDB makes for so many thousandths of a bit a key.
int BloomProbes(int millibits);

inline constexpr size_t kBloomLineBytes = 64;
inline constexpr uint32_t kBloomProbeMultiplier = 0x9E3779B9;
inline constexpr int kBloomBitShift = 32 - 9;  // the top 9 bits: one of 512

// Where the line of a hash begins.
inline size_t BloomLineOf(uint64_t hash, uint32_t num_lines) {
  return (uint64_t{static_cast<uint32_t>(hash)} * num_lines >> 32) *
         kBloomLineBytes;
}

// Sets the bits of n hashes among so many lines.
void SetBloomLinesPortable(const uint64_t* hashes, size_t n, uint32_t num_lines,
                           char* lines, int probes);
// The same, for up to kBloomVectorProbes probes; only on processors with
// CpuFeatures::avx512_popcount.
inline constexpr int kBloomVectorProbes = 8;
void SetBloomLinesAvx512(const uint64_t* hashes, size_t n, uint32_t num_lines,
                         char* lines, int probes);

// The AVX2 kernel; only on processors that have it.
bool BloomLineMatchesAvx2(const char* line, uint32_t x, int probes);
// The same for the lines of n hashes: bit i is the answer to hash i.
uint64_t BloomLinesMatchAvx2(const char* const* lines, const uint64_t* hashes,
                             size_t n, int probes);
// The same for up to so many probes, on the processors of SetBloomLinesAvx512.
inline constexpr int kBloomLongestMatch = 16;
uint64_t BloomLinesMatchAvx512(const char* const* lines, const uint64_t* hashes,
                               size_t n, int probes);
bool BloomLineMatchesPortable(const char* line, uint32_t x, int probes);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_BLOOM_H_
