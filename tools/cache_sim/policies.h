// The table of policies, which --caches names.
#ifndef ASHLAR_TOOLS_CACHE_SIM_POLICIES_H_
#define ASHLAR_TOOLS_CACHE_SIM_POLICIES_H_

#include <span>
#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "tools/cache_sim/policy.h"

namespace ashlar::sim {

std::span<const PolicyKind> AllPolicies();

// Finds the policies in a list separated by commas. An error names the one that
// does not exist.
Status FindPolicies(const std::string& names,
                    std::vector<const PolicyKind*>* kinds);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_POLICIES_H_
