// Draws miss-ratio curves: the miss ratio over the size of the cache, with one
// panel per trace.
#ifndef ASHLAR_TOOLS_CACHE_SIM_MISS_CURVES_H_
#define ASHLAR_TOOLS_CACHE_SIM_MISS_CURVES_H_

#include <vector>

#include "tools/cache_sim/experiment.h"
#include "tools/cache_sim/svg_chart.h"

namespace ashlar::sim {

CurveChart MissCurves(const ExperimentOptions& options,
                      const std::vector<TraceResult>& results);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_MISS_CURVES_H_
