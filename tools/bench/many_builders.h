// Runs many builders at once: multifillseq.
//
// This imitates an engine's flushes and compactions. Each builder has its own
// thread, which adds the same entries to its own file; all start together. In
// addition to the time, this measures fairness: how much of its work the
// slowest builder has done when the first one is done; and the longest stall,
// which is the longest time in which a builder neither took entries nor wrote
// to its file.
//
// Called by the engine. One run at a time.
#ifndef ASHLAR_TOOLS_BENCH_MANY_BUILDERS_H_
#define ASHLAR_TOOLS_BENCH_MANY_BUILDERS_H_

#include "ashlar/util/status.h"
#include "ashlar/util/worker_pool.h"
#include "tools/bench/engine.h"

namespace ashlar::bench {

// Runs options.builders builders. `pool` may be null; each then has its own
// workers.
Status RunManyBuilders(const BenchOptions& options, const Workload& workload,
                       WorkerPool* pool, RunResult* result);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_MANY_BUILDERS_H_
