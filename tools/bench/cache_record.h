// The benchmarks record and discard of cache_bench: entries of 24 bytes are
// recorded in a write buffer whose sink is the FIFO cache (record), or drops
// all (discard).
#ifndef ASHLAR_TOOLS_BENCH_CACHE_RECORD_H_
#define ASHLAR_TOOLS_BENCH_CACHE_RECORD_H_

#include <string>

#include "tools/bench/cache_workload.h"
#include "tools/bench/run_result.h"

namespace ashlar::bench {

inline bool IsRecordBenchmark(const std::string& name) {
  return name == "record" || name == "discard";
}

// Fill a cache, so that every further record evicts an entry, and run the
// benchmark once. Both do ops_per_thread operations in sum, shared by the
// threads, so that the work does not depend on the number of threads. Return an
// error message, or an empty string.
std::string RunRecord(const std::string& benchmark,
                      const CacheBenchOptions& options, RunResult* result);
// Does the same job in another way. discard: one atomic addition. record, by
// cache_type: mutexed_lru, a map and a list with a mutex; erase_oldest, a bare
// hash table that erases its oldest entry after each insert; any other, such a
// table that erases the entry that it has just inserted. Bare tables are for
// one thread.
std::string RunRecordLimit(const std::string& benchmark,
                           const CacheBenchOptions& options, RunResult* result);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_CACHE_RECORD_H_
