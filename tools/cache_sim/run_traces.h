// Runs the experiment over several traces, one after the other, so that memory
// holds one.
#ifndef ASHLAR_TOOLS_CACHE_SIM_RUN_TRACES_H_
#define ASHLAR_TOOLS_CACHE_SIM_RUN_TRACES_H_

#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "tools/cache_sim/experiment.h"
#include "tools/cache_sim/read_trace.h"

namespace ashlar::sim {

// A source is a file or says how a trace is made. What it is called in the
// results: a file by its name, without folders and what tells its form.
Status RunTraces(const std::vector<std::string>& sources,
                 const ReadTraceOptions& read_options,
                 const ExperimentOptions& options, bool shows_progress,
                 std::vector<TraceResult>* results);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_RUN_TRACES_H_
