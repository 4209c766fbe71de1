// The result of `cache-sim`, apart from results.h, because only it needs what
// replays consist of. results.h says how results are shown.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_RESULTS_REPLAYED_TRACE_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_RESULTS_REPLAYED_TRACE_H_

#include <cstdint>

#include "tools/ashlar/print/output.h"
#include "tools/ashlar/print/print_json.h"
#include "tools/replay/replay_trace.h"

namespace ashlar::tool {

struct ReplayedTrace {
  const sim::TraceReplay& replay;
  uint64_t unknown_bytes;  // what blocks of unknown size are charged
};
void PrintText(const ReplayedTrace& trace, Output* out);
void WriteJson(const ReplayedTrace& trace, JsonWriter* json);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_RESULTS_REPLAYED_TRACE_H_
