// Prints the results as a table for people.
#ifndef ASHLAR_TOOLS_CACHE_SIM_PRINT_TEXT_H_
#define ASHLAR_TOOLS_CACHE_SIM_PRINT_TEXT_H_

#include <vector>

#include "tools/cache_sim/experiment.h"

namespace ashlar::sim {

// Prints to standard output. `reference`: the index of the policy that the
// others are compared with.
void PrintText(const ExperimentOptions& options,
               const std::vector<TraceResult>& results, size_t reference);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_PRINT_TEXT_H_
