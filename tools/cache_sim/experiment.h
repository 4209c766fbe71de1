// Experiment: replays traces through caches of several sizes, with several
// seeds, and counts the misses.
//
// The runs of one trace are made in parallel, on as many threads as are asked
// for. The traces come one after the other, so that only one is in memory.
#ifndef ASHLAR_TOOLS_CACHE_SIM_EXPERIMENT_H_
#define ASHLAR_TOOLS_CACHE_SIM_EXPERIMENT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "tools/cache_sim/cache_size.h"
#include "tools/cache_sim/policy.h"
#include "tools/cache_sim/trace.h"

namespace ashlar::sim {

struct ExperimentOptions {
  std::vector<const PolicyKind*> policies;
  std::vector<CacheSize> sizes;
  uint32_t seeds = 5;  // for policies that depend on a seed
  uint64_t first_seed = 1;
  int num_shard_bits = 0;
  // See PolicyOptions.
  uint32_t second_tier = 1;
  TieredAdmissionPolicy second_tier_policy =
      TieredAdmissionPolicy::kAdmPolicyAllowCacheHits;
  uint32_t jobs = 1;
  // Called now and then, by several threads at once, with the number of
  // accesses that were replayed since the last call.
  std::function<void(uint64_t accesses)> on_replayed = [](uint64_t) {};
};

// Returns the number of accesses of all replays of a trace.
uint64_t WorkOf(const ExperimentOptions& options, const Trace& trace);

// The misses of one policy at one size.
struct MissRatio {
  double mean = 0;  // over seeds
  double least = 0;
  double most = 0;
  double mean_of_hot = 0;  // counts only accesses to hot keys
  double mean_saved = 0;   // Policy::SavedPerMiss
};

// The unit of comparison: a trace and a size.
struct Pair {
  std::string size;
  uint32_t entries = 0;
  std::vector<MissRatio> misses;  // of each policy
};

struct TraceResult {
  std::string name;
  uint64_t accesses = 0;
  uint32_t distinct_keys = 0;
  bool has_hot_keys = false;
  std::vector<Pair> pairs;
};

Status RunExperiment(const ExperimentOptions& options, const Trace& trace,
                     TraceResult* result);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_EXPERIMENT_H_
