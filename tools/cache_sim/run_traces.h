// Runs the experiment with several traces, one after the other, so that only
// one is in memory.
#ifndef ASHLAR_TOOLS_CACHE_SIM_RUN_TRACES_H_
#define ASHLAR_TOOLS_CACHE_SIM_RUN_TRACES_H_

#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "tools/cache_sim/experiment.h"
#include "tools/cache_sim/read_trace.h"

namespace ashlar::sim {

// A source is a file, or the description of a trace to generate. In the
// results, a file has its name without folders and suffixes of its format.
Status RunTraces(const std::vector<std::string>& sources,
                 const ReadTraceOptions& read_options,
                 const ExperimentOptions& options, bool shows_progress,
                 std::vector<TraceResult>* results);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_RUN_TRACES_H_
