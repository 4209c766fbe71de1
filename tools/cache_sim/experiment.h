// Experiment: traces replayed through caches of several sizes, with several
// seeds, and what was missed.
//
// Runs of one trace go on at once, on as many threads as are asked for; traces
// one after the other, so that memory holds one.
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
  uint32_t seeds = 5;  // of policies that depend on one
  uint64_t first_seed = 1;
  int num_shard_bits = 0;
  // See PolicyOptions.
  uint32_t second_tier = 1;
  TieredAdmissionPolicy second_tier_policy =
      TieredAdmissionPolicy::kAdmPolicyAllowCacheHits;
  uint32_t jobs = 1;
  // Called now and then, by several threads at once, with how many accesses
  // were replayed since.
  std::function<void(uint64_t accesses)> on_replayed = [](uint64_t) {};
};

// Accesses that all replays of a trace come to.
uint64_t WorkOf(const ExperimentOptions& options, const Trace& trace);

// Of one policy at one size.
struct MissRatio {
  double mean = 0;  // over seeds
  double least = 0;
  double most = 0;
  double mean_of_hot = 0;  // of the accesses to hot keys alone
  double mean_saved = 0;   // Policy::SavedPerMiss
};

// A trace and a size: what is compared.
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
