// AshlarCompact: the benchmarks compact, readmerged and seekmerged of this
// library.
//
// Used by the engine. One thread at a time may call; a compaction may use many.
#ifndef ASHLAR_TOOLS_BENCH_ASHLAR_COMPACT_H_
#define ASHLAR_TOOLS_BENCH_ASHLAR_COMPACT_H_

#include <memory>
#include <string>
#include <vector>

#include "ashlar/cache/cache.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/status.h"
#include "ashlar/util/worker_pool.h"
#include "tools/bench/engine.h"

namespace ashlar::bench {

class AshlarCompact {
 public:
  // Compacts the inputs into files of options.target_file_size, and deletes
  // these. `pool` is for builders, and may be null.
  Status Compact(const BenchOptions& options, const Workload& workload,
                 WorkerPool* pool, RunResult* result);
  // Walks over the inputs as a user sees them; with BatchBy::kTables, over all
  // that is stored. For seekmerged, seeks random keys and walks over
  // kMergedEntries from each.
  Status ReadMerged(const std::string& benchmark, const BenchOptions& options,
                    const Workload& workload, RunResult* result);

 private:
  Status WarmUp(const BenchOptions& options);

  // For readmerged and seekmerged; they stay open, and their cache warm.
  std::shared_ptr<Cache> cache_;
  std::vector<std::unique_ptr<TableReader>> tables_;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ASHLAR_COMPACT_H_
