// Comparison: how caches do against each other over all traces and sizes.
//
// Pure functions of what experiments found.
#ifndef ASHLAR_TOOLS_CACHE_SIM_COMPARISON_H_
#define ASHLAR_TOOLS_CACHE_SIM_COMPARISON_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/cache_sim/experiment.h"

namespace ashlar::sim {

// One policy against a reference, over all pairs.
struct Standing {
  double mean_miss = 0;
  double mean_saved = 0;
  // Mean over pairs of 1 - miss / miss of the reference.
  double mean_gain = 0;
  double worst_gain = 0;
  std::string worst_pair;
  uint32_t worse_pairs = 0;  // by more than 2 %
};

// Of each policy. `reference` is the number of one.
std::vector<Standing> Compare(const std::vector<TraceResult>& results,
                              size_t reference);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_COMPARISON_H_
