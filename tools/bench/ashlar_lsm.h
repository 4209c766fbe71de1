// AshlarLsm: the benchmark lsm of this library: batches of keys that are looked
// up in several levels of tables.
//
// Used by the engine. The tables stay open, and their cache warm, from run to
// run. One thread at a time may call; the load may use many.
#ifndef ASHLAR_TOOLS_BENCH_ASHLAR_LSM_H_
#define ASHLAR_TOOLS_BENCH_ASHLAR_LSM_H_

#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/multi_table_get.h"
#include "ashlar/util/status.h"
#include "tools/bench/ashlar_codec.h"
#include "tools/bench/engine.h"

namespace ashlar::bench {

class AshlarLsm {
 public:
  // Makes the tables, unless their files are there.
  Status Run(const BenchOptions& options, const Workload& workload,
             RunResult* result);

 private:
  // A table of keys t, t + n, t + 2n and so on: in a level of its own.
  struct Table {
    std::string first;
    std::string last;
    std::unique_ptr<TableReader> reader;
    TableRange range;
  };

  Status Open(const BenchOptions& options, const Workload& workload);
  Status Warm(const BenchOptions& options, const Workload& workload);
  Status RunCodec(const BenchOptions& options, const Workload& workload,
                  RunResult* result);
  Status Read(const BenchOptions& options, const Workload& workload,
              RunResult* result);

  std::shared_ptr<Cache> cache_;
  std::vector<Table> tables_;
  std::vector<TableLevel> levels_;
  uint64_t blocks_loaded_ = 0;  // by the last reads of Warm
  BareCodec codec_;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ASHLAR_LSM_H_
