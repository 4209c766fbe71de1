// Generates traces, for measurements and tests that need no recorded one.
//
// A trace is described as kind:name=value,...:
//   zipf:keys=1000000,skew=0.99,accesses=3000000,seed=1
//     Key k (from 1) is drawn with a probability proportional to 1 / k^skew.
//     skew=0: all keys are equally likely.
//   loop:keys=1100,accesses=100000
//     All keys in order, again and again.
//   scan:accesses=100000
//     Each key once.
//   hotscan:keys=1000,skew=0,accesses=300000,every=20000,scan=10000,new=1,
//       mixed=0,touches=1,seed=1
//     Accesses as for zipf, which are the hot load. After each `every` of
//     them, a scan of `scan` keys. These are new each time, or with new=0 the
//     same. Each is looked up `touches` times in a row. A scan comes all at
//     once, or with mixed=1 alternates with hot accesses. scan=0: only the
//     hot load.
// The values above are the defaults.
#ifndef ASHLAR_TOOLS_CACHE_SIM_GENERATE_TRACE_H_
#define ASHLAR_TOOLS_CACHE_SIM_GENERATE_TRACE_H_

#include <string>

#include "ashlar/util/status.h"
#include "tools/cache_sim/trace.h"

namespace ashlar::sim {

// Returns whether the text describes a trace to generate, rather than a file.
bool DescribesTrace(const std::string& text);

Status GenerateTrace(const std::string& description, Trace* trace);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_GENERATE_TRACE_H_
