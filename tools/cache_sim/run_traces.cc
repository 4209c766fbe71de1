#include "tools/cache_sim/run_traces.h"

#include "tools/cache_sim/generate_trace.h"
#include "tools/cache_sim/progress.h"

namespace ashlar::sim {

namespace {

std::string ShortName(const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  return name.substr(0, name.find('.'));
}

Status GetTrace(const std::string& source, const ReadTraceOptions& options,
                Trace* trace) {
  if (DescribesTrace(source)) return GenerateTrace(source, trace);
  Status s = ReadTrace(source, options, trace);
  trace->name = ShortName(source);
  return s;
}

}  // namespace

Status RunTraces(const std::vector<std::string>& sources,
                 const ReadTraceOptions& read_options,
                 const ExperimentOptions& options, bool shows_progress,
                 std::vector<TraceResult>* results) {
  Progress progress(shows_progress, sources.size());
  ExperimentOptions watched = options;
  watched.on_replayed = [&](uint64_t accesses) { progress.Add(accesses); };
  for (const std::string& source : sources) {
    Trace trace;
    Status s = GetTrace(source, read_options, &trace);
    if (!s.ok()) return s;
    progress.BeginTrace(trace.name, WorkOf(watched, trace));
    results->emplace_back();
    s = RunExperiment(watched, trace, &results->back());
    if (!s.ok()) return s;
  }
  return Status::OK();
}

}  // namespace ashlar::sim
