// How the benchmarks build a table with this library: its options, its file,
// and the block cache through which it is read.
//
// Used by the engine and by the benchmark of many builders. The functions
// depend only on their arguments, and are thread-safe.
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

// Returns the number of threads in addition to the one that adds the entries.
uint32_t WorkersOf(const BenchOptions& o);
// `pool` may be null; the builder then has workers of its own.
BuildOptions BuildOptionsFor(const BenchOptions& o, WorkerPool* pool);

// Opens a file of this name in the folder, or with null_sink a file that
// discards everything.
Result<std::unique_ptr<WritableFile>> OpenSink(const BenchOptions& o,
                                               const std::string& name);

Result<std::shared_ptr<Cache>> MakeBlockCache(const BenchOptions& o);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ASHLAR_BUILD_H_
