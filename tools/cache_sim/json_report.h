// Returns the results as one JSON document, for programs.
#ifndef ASHLAR_TOOLS_CACHE_SIM_JSON_REPORT_H_
#define ASHLAR_TOOLS_CACHE_SIM_JSON_REPORT_H_

#include <string>
#include <vector>

#include "tools/cache_sim/experiment.h"

namespace ashlar::sim {

// `reference`: as for PrintText.
std::string ToJson(const ExperimentOptions& options,
                   const std::vector<TraceResult>& results, size_t reference);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_JSON_REPORT_H_
