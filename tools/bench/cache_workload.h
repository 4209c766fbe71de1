// The load of cache_bench: its options, keys and random numbers.
//
// It is the same for every engine, and cheap: a few instructions per key, which
// do not wait for the cache. The engine `limit` shows what they cost.
#ifndef ASHLAR_TOOLS_BENCH_CACHE_WORKLOAD_H_
#define ASHLAR_TOOLS_BENCH_CACHE_WORKLOAD_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "ashlar/cache/cache_key.h"

namespace ashlar::bench {

// The members are named after the flags.
struct CacheBenchOptions {
  int threads = 16;
  uint64_t ops_per_thread = 2000000;
  uint64_t seed = 1;

  std::string cache_type = "hyper_clock_cache";
  uint64_t cache_size = uint64_t{1} << 30;
  int num_shard_bits = -1;
  uint64_t value_bytes = 8192;
  uint64_t value_bytes_estimate = 0;
  int eviction_effort_cap = 30;
  bool strict_capacity_limit = false;

  // For `mixed`.
  double resident_ratio = 0.25;
  uint32_t skew = 5;
  bool populate_cache = true;
  double pinned_ratio = 0.25;
  uint32_t lookup_insert_percent = 82;
  uint32_t insert_percent = 2;
  uint32_t blind_insert_percent = 5;
  uint32_t lookup_percent = 10;
  uint32_t erase_percent = 1;
  bool real_values = false;
  bool lean = false;
  bool gather_stats = false;
  uint32_t gather_stats_sleep_ms = 1000;

  // For the benchmarks of hits.
  double hit_fill = 0.9;
  int batch_size = 32;

  // For record: of the write buffer, 4 KiB each.
  uint32_t buffer_blocks = 64;

  // Returns the number of entries that fit into the capacity, without the
  // cache's own memory.
  uint64_t entries_in_capacity() const { return cache_size / value_bytes; }
  uint64_t max_key() const {
    return static_cast<uint64_t>(static_cast<double>(cache_size) /
                                 resident_ratio /
                                 static_cast<double>(value_bytes)) +
           1;
  }
  // For the benchmarks of hits: the number of keys, all of which are resident.
  uint64_t hit_keys() const {
    return std::max<uint64_t>(
        1, static_cast<uint64_t>(hit_fill *
                                 static_cast<double>(entries_in_capacity())));
  }
  // Returns the number of pins of all threads together, so that it does not
  // depend on the number of threads.
  uint64_t pins() const {
    return static_cast<uint64_t>(
        pinned_ratio * static_cast<double>(entries_in_capacity()) + 0.999);
  }
  uint64_t charge_estimate() const {
    return value_bytes_estimate == 0 ? value_bytes : value_bytes_estimate;
  }
  // Returns the number of operations, rounded up to whole batches, for every
  // engine.
  uint64_t whole_batches() const {
    const auto batch = static_cast<uint64_t>(batch_size);
    return (ops_per_thread + batch - 1) / batch * batch;
  }
};

// Describes the cache with these options, in one line.
std::string DescribeCache(const CacheBenchOptions& options);

// Returns key i. The keys are those of 4 KiB blocks of files of 64 MiB, as
// tables make them.
inline CacheKey KeyAt(uint64_t i) {
  constexpr int kBlockBits = 14;
  constexpr uint64_t kBlocks = uint64_t{1} << kBlockBits;
  constexpr uint64_t kBlockBytes = 4096;
  constexpr CacheKey kDatabase = {0x8f3d5a1c9b7e2604, 0x41c6e2d85fa09b37};
  const CacheKey file = {kDatabase.file ^ (i >> kBlockBits), kDatabase.block};
  return file.AtOffset(i % kBlocks * kBlockBytes);
}

// Random numbers that do not depend on one another: a counter, multiplied and
// folded.
class Draws {
 public:
  explicit Draws(uint64_t seed) : state_(seed * 0xbf58476d1ce4e5b9) {}

  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15;
    return Fold(state_ ^ 0xd1b54a32d192ed03, state_);
  }
  uint64_t Below(uint64_t n) { return Scale(Next(), n); }
  // Returns the smallest of skew + 1 draws, so that low numbers are drawn more
  // often.
  uint64_t BelowSkewed(uint64_t n, uint32_t skew) {
    uint64_t least = Next();
    for (uint32_t i = 0; i < skew; ++i) least = std::min(least, Next());
    return Scale(least, n);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static uint64_t Fold(uint64_t x, uint64_t y) {
    const Wide product = static_cast<Wide>(x) * y;
    return static_cast<uint64_t>(product >> 64) ^
           static_cast<uint64_t>(product);
  }
  static uint64_t Scale(uint64_t draw, uint64_t n) {
    return static_cast<uint64_t>((static_cast<Wide>(draw) * n) >> 64);
  }

  uint64_t state_;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_CACHE_WORKLOAD_H_
