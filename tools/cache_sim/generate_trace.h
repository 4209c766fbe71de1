// Makes traces, for measurements and tests that need no recorded one.
//
// A trace is described as kind:name=value,...:
//   zipf:keys=1000000,skew=0.99,accesses=3000000,seed=1
//     Key k (from 1) comes with a chance of 1 / k^skew; skew=0: all alike.
//   loop:keys=1100,accesses=100000
//     All keys in order, again and again.
//   scan:accesses=100000
//     Each key once.
//   hotscan:keys=1000,skew=0,accesses=300000,every=20000,scan=10000,new=1,
//       mixed=0,touches=1,seed=1
//     Accesses as of zipf, the hot load; and after each `every` of them a scan
//     of so many keys, which are new each time or (new=0) the same, each
//     looked up so many times running, all at once or (mixed=1) in turn with
//     hot accesses. scan=0: the hot load alone.
// What is not said is as above.
#ifndef ASHLAR_TOOLS_CACHE_SIM_GENERATE_TRACE_H_
#define ASHLAR_TOOLS_CACHE_SIM_GENERATE_TRACE_H_

#include <string>

#include "ashlar/util/status.h"
#include "tools/cache_sim/trace.h"

namespace ashlar::sim {

// Whether it is said of a trace how it is made, rather than where it lies.
bool DescribesTrace(const std::string& text);

Status GenerateTrace(const std::string& description, Trace* trace);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_GENERATE_TRACE_H_
