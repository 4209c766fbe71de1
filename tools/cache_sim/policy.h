// Policy: a cache of a fixed number of entries, as a trace sees one.
//
// One file for each (or, of the library's own caches, one for all), and a line
// in the table of policies.cc. One thread at a time.
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
  // Somebody asks for this key, and has it put in where it is not there.
  // Whether it was there.
  virtual bool Access(uint32_t key) = 0;
  // Of two tiers: how many blocks went to the second one, of each that the
  // first one had not.
  virtual double SavedPerMiss() const { return 0; }
};

struct PolicyOptions {
  uint32_t capacity = 1;  // entries
  uint64_t seed = 1;      // of hashes and draws; not 0
  int num_shard_bits = 0;
  // Of the policies that have two tiers: the second one's entries, in times the
  // first one's; and what goes there.
  uint32_t second_tier = 1;
  TieredAdmissionPolicy second_tier_policy =
      TieredAdmissionPolicy::kAdmPolicyAllowCacheHits;
};

struct PolicyKind {
  const char* name;
  const char* summary;
  bool is_seeded;  // whether other seeds give other misses
  Result<std::unique_ptr<Policy>> (*make)(const PolicyOptions& options,
                                          const Trace& trace);
};

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_POLICY_H_
