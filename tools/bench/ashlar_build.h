// How a table of ours is built in a benchmark: its options, and where it goes;
// and the block cache that it is read through.
//
// Used by the engine and by the benchmark of many builders. Plain functions of
// what they are given: thread-safe.
#ifndef ASHLAR_TOOLS_BENCH_ASHLAR_BUILD_H_
#define ASHLAR_TOOLS_BENCH_ASHLAR_BUILD_H_

#include <cstdint>
#include <memory>
#include <string>

#include "ashlar/cache/cache.h"
#include "ashlar/table/options.h"
#include "ashlar/util/file.h"
#include "ashlar/util/result.h"
#include "ashlar/util/worker_pool.h"
#include "tools/bench/engine.h"

namespace ashlar::bench {

FilterType FilterTypeFor(const BenchOptions& o);
TableOptions TableOptionsFor(const BenchOptions& o);

// Threads beside the one that adds the entries.
uint32_t WorkersOf(const BenchOptions& o);
// The pool may be null: workers are the builder's own.
BuildOptions BuildOptionsFor(const BenchOptions& o, WorkerPool* pool);

// A file of this name in the folder; or one that swallows what it is given.
Result<std::unique_ptr<WritableFile>> OpenSink(const BenchOptions& o,
                                               const std::string& name);

Result<std::shared_ptr<Cache>> MakeBlockCache(const BenchOptions& o);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ASHLAR_BUILD_H_
