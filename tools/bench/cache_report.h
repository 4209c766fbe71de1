// Prints the results of cache_bench, as text or as JSON.
#ifndef ASHLAR_TOOLS_BENCH_CACHE_REPORT_H_
#define ASHLAR_TOOLS_BENCH_CACHE_REPORT_H_

#include <map>
#include <string>
#include <vector>

#include "tools/bench/cache_engine.h"
#include "tools/bench/rounds.h"

namespace ashlar::bench {

// An engine with its cache type and number of threads, as in --engines.
struct CacheEntrant {
  std::string name;
  CacheEngine* engine;
  CacheBenchOptions options;

  bool is_limit() const { return engine->Name() == "limit"; }
};

struct CacheReport {
  BenchmarkReport rounds;
  std::map<std::string, CacheLatencies> latencies;  // by entrant; may be empty
};

// Compares the first entrant with the others.
void PrintText(const CacheReport& report,
               const std::vector<CacheEntrant>& entrants);
std::string ToJson(const std::vector<CacheReport>& reports,
                   const std::vector<CacheEntrant>& entrants);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_CACHE_REPORT_H_
