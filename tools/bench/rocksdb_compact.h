// RocksDbCompact: the benchmarks compact, readmerged and
// seekmerged of RocksDB: its own
// compaction of files of level 0 (CompactFiles), and an iterator over them.
//
// Used by the engine. One thread at a time may call; a compaction may use many.
#ifndef ASHLAR_TOOLS_BENCH_ROCKSDB_COMPACT_H_
#define ASHLAR_TOOLS_BENCH_ROCKSDB_COMPACT_H_

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/status.h>

#include <memory>

#include "tools/bench/engine.h"
#include "tools/bench/rocksdb_reads.h"

namespace ashlar::bench {

class RocksDbCompact {
 public:
  // Makes the database whose files are the inputs of both libraries.
  rocksdb::Status MakeInputs(const BenchOptions& options,
                             const Workload& workload,
                             const RocksDbReads::OptionsOf& options_of);
  // Compacts a copy of the database, whose files are links.
  rocksdb::Status Compact(const BenchOptions& options, const Workload& workload,
                          const RocksDbReads::OptionsOf& options_of,
                          RunResult* result);
  // For readmerged and seekmerged.
  rocksdb::Status ReadMerged(const std::string& benchmark,
                             const BenchOptions& options,
                             const Workload& workload,
                             const RocksDbReads::OptionsOf& options_of,
                             RunResult* result);

 private:
  std::shared_ptr<rocksdb::Cache> cache_;
  std::unique_ptr<rocksdb::DB> db_;  // of ReadMerged
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ROCKSDB_COMPACT_H_
