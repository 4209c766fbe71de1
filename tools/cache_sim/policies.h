// The table of policies: what --caches names.
#ifndef ASHLAR_TOOLS_CACHE_SIM_POLICIES_H_
#define ASHLAR_TOOLS_CACHE_SIM_POLICIES_H_

#include <span>
#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "tools/cache_sim/policy.h"

namespace ashlar::sim {

std::span<const PolicyKind> AllPolicies();

// Those of a list with commas. An error names the one that there is not.
Status FindPolicies(const std::string& names,
                    std::vector<const PolicyKind*>* kinds);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_POLICIES_H_
