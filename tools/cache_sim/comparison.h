// Comparison: compares policies with each other over all traces and sizes.
//
// Pure functions of the results of experiments.
#ifndef ASHLAR_TOOLS_CACHE_SIM_COMPARISON_H_
#define ASHLAR_TOOLS_CACHE_SIM_COMPARISON_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/cache_sim/experiment.h"

namespace ashlar::sim {

// One policy compared with a reference, over all pairs of a trace and a size.
struct Standing {
  double mean_miss = 0;
  double mean_saved = 0;
  // The mean over pairs of 1 - miss / (the reference's miss).
  double mean_gain = 0;
  double worst_gain = 0;
  std::string worst_pair;
  uint32_t worse_pairs = 0;  // by more than 2 %
};

// Returns a Standing for each policy. `reference` is the index of the reference
// policy.
std::vector<Standing> Compare(const std::vector<TraceResult>& results,
                              size_t reference);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_COMPARISON_H_
