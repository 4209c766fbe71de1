// CacheEngine: runs the benchmarks of cache_bench with one library's caches, or
// as a physical limit.
//
// It is for caches what engine.h is for tables. Each engine has its own copy of
// the hot loops (cache_loops.h), so that the measured time includes no call
// between driver and engine.
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
  // Returns the options of the runs' cache, in one line.
  virtual std::string Describe(const CacheBenchOptions& options) const = 0;
  virtual bool HasType(const std::string& cache_type) const = 0;
  // Makes a cache, fills it, and runs the benchmark once. If `latencies` is not
  // null (mixed and growth only), each operation is timed, so that the run
  // takes longer. Returns an error message, or an empty string.
  virtual std::string Run(const std::string& benchmark,
                          const CacheBenchOptions& options, RunResult* result,
                          CacheLatencies* latencies) = 0;
};

std::unique_ptr<CacheEngine> NewAshlarCacheEngine();
// Returns an engine that only makes the keys; for hot_key, it also makes two
// atomic additions on one word; for records, see RunRecordLimit.
std::unique_ptr<CacheEngine> NewLimitCacheEngine();
// Returns null and sets *why if RocksDB is not installed.
std::unique_ptr<CacheEngine> LoadRocksDbCacheEngine(std::string* why);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_CACHE_ENGINE_H_
