// CacheEngine: one library's caches, or a physical limit, that run a benchmark
// of cache_bench.
//
// As engine.h is for tables. Each engine has the hot loops (cache_loops.h) for
// itself, so that no call between driver and engine is in the time that is
// measured.
#ifndef ASHLAR_TOOLS_BENCH_CACHE_ENGINE_H_
#define ASHLAR_TOOLS_BENCH_CACHE_ENGINE_H_

#include <memory>
#include <string>

#include "tools/bench/cache_workload.h"
#include "tools/bench/latency_histogram.h"
#include "tools/bench/run_result.h"

namespace ashlar::bench {

struct CacheLatencies {
  LatencyHistogram operations;
  LatencyHistogram gathers;  // of statistics
};

class CacheEngine {
 public:
  virtual ~CacheEngine() = default;
  virtual std::string Name() const = 0;
  // The options of the cache that the runs will use, in one line.
  virtual std::string Describe(const CacheBenchOptions& options) const = 0;
  virtual bool HasType(const std::string& cache_type) const = 0;
  // Makes a cache, fills it, and runs the benchmark once. With `latencies`
  // (of mixed and growth only) each operation is timed, so that the whole takes
  // longer. Returns what went wrong, or nothing.
  virtual std::string Run(const std::string& benchmark,
                          const CacheBenchOptions& options, RunResult* result,
                          CacheLatencies* latencies) = 0;
};

std::unique_ptr<CacheEngine> NewAshlarCacheEngine();
// Makes the keys and no more; for hot_key, two atomic additions on one word.
std::unique_ptr<CacheEngine> NewLimitCacheEngine();
// Null, and *why, where it is not installed.
std::unique_ptr<CacheEngine> LoadRocksDbCacheEngine(std::string* why);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_CACHE_ENGINE_H_
