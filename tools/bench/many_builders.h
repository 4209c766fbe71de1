// Many builders at once: multifillseq.
//
// What an engine of flushes and compactions does: each builder has a thread of
// its own that adds the same entries into a file of its own; all start
// together. Beside the time it takes, this measures who waits for whom: how
// much of its work the slowest has done when the first is done, and the longest
// stall, which is the longest time in which a builder neither took entries nor
// wrote to its file.
//
// Called by the engine; one run at a time.
#ifndef ASHLAR_TOOLS_BENCH_MANY_BUILDERS_H_
#define ASHLAR_TOOLS_BENCH_MANY_BUILDERS_H_

#include "ashlar/util/status.h"
#include "ashlar/util/worker_pool.h"
#include "tools/bench/engine.h"

namespace ashlar::bench {

// options.builders of them. `pool` may be null: each has workers of its own.
Status RunManyBuilders(const BenchOptions& options, const Workload& workload,
                       WorkerPool* pool, RunResult* result);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_MANY_BUILDERS_H_
