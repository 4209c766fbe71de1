// RocksDbLsm: the benchmark lsm of RocksDB: batches of keys that are looked up
// in several levels of tables, by DB::MultiGet of a read-only database, or by
// one SstFileReader after the other.
//
// Used by the engine. The tables stay open, and their cache warm, from run to
// run. One thread at a time may call; the load may use many.
#ifndef ASHLAR_TOOLS_BENCH_ROCKSDB_LSM_H_
#define ASHLAR_TOOLS_BENCH_ROCKSDB_LSM_H_

#include <rocksdb/cache.h>
#include <rocksdb/status.h>

#include <memory>
#include <vector>

#include "tools/bench/engine.h"
#include "tools/bench/rocksdb_reads.h"
#include "tools/bench/rocksdb_table.h"

namespace ashlar::bench {

class RocksDbLsm {
 public:
  // Makes the tables, unless their files are there.
  rocksdb::Status Run(const BenchOptions& options, const Workload& workload,
                      const RocksDbReads::OptionsOf& options_of,
                      RunResult* result);

 private:
  rocksdb::Status Open(const BenchOptions& options, const Workload& workload,
                       const RocksDbReads::OptionsOf& options_of);
  // count: whether to count in the perf context.
  rocksdb::Status Read(const BenchOptions& options, const Workload& workload,
                       bool count, RunResult* result);
  rocksdb::Status Warm(const BenchOptions& options, const Workload& workload);

  std::shared_ptr<rocksdb::Cache> cache_;
  // The newest first; or the one database.
  std::vector<std::unique_ptr<RocksDbTable>> tables_;
  uint64_t blocks_loaded_ = 0;  // by the last reads of Warm
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ROCKSDB_LSM_H_
