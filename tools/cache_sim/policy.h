// Policy: a cache of a fixed number of entries, for replaying a trace.
//
// There is one file per policy (one for all caches of the library), and a row
// in the table of policies.cc. For one thread at a time.
#ifndef ASHLAR_TOOLS_CACHE_SIM_POLICY_H_
#define ASHLAR_TOOLS_CACHE_SIM_POLICY_H_

#include <cstdint>
#include <memory>

#include "ashlar/cache/tiered_cache.h"
#include "ashlar/util/result.h"
#include "tools/cache_sim/trace.h"

namespace ashlar::sim {

class Policy {
 public:
  virtual ~Policy() = default;
  // Looks up this key, and inserts it if it is not present. Returns whether it
  // was present.
  virtual bool Access(uint32_t key) = 0;
  // For two tiers: returns the number of blocks that were saved in the second
  // tier, per miss of the first tier.
  virtual double SavedPerMiss() const { return 0; }
};

struct PolicyOptions {
  uint32_t capacity = 1;  // entries
  uint64_t seed = 1;      // for hashes and draws; not 0
  int num_shard_bits = 0;
  // For policies with two tiers: the entries of the second tier, as a multiple
  // of the first tier's, and what it admits.
  uint32_t second_tier = 1;
  TieredAdmissionPolicy second_tier_policy =
      TieredAdmissionPolicy::kAdmPolicyAllowCacheHits;
};

struct PolicyKind {
  const char* name;
  const char* summary;
  bool is_seeded;  // whether the misses depend on the seed
  Result<std::unique_ptr<Policy>> (*make)(const PolicyOptions& options,
                                          const Trace& trace);
};

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_POLICY_H_
