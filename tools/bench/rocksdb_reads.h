// RocksDbReads: the benchmarks that read a table of RocksDB.
//
// Used by the engine. The table stays open, and its cache warm, from run to
// run, until Close. One thread at a time may call; the loads may use many.
#ifndef ASHLAR_TOOLS_BENCH_ROCKSDB_READS_H_
#define ASHLAR_TOOLS_BENCH_ROCKSDB_READS_H_

#include <rocksdb/cache.h>
#include <rocksdb/options.h>
#include <rocksdb/status.h>

#include <functional>
#include <memory>
#include <string>

#include "tools/bench/engine.h"
#include "tools/bench/rocksdb_table.h"

namespace ashlar::bench {

class RocksDbReads {
 public:
  // Returns the options of a table, with this block cache, which may be null.
  using OptionsOf =
      std::function<rocksdb::Options(std::shared_ptr<rocksdb::Cache>)>;

  // Closes the table, because its file is about to be written again.
  void Close();
  // `table_options` is also used for tables that the benchmark writes.
  rocksdb::Status Run(const std::string& benchmark, const std::string& path,
                      const BenchOptions& options, const Workload& workload,
                      const OptionsOf& options_of, RunResult* result);

 private:
  rocksdb::Status Open(const std::string& path, const BenchOptions& options,
                       const Workload& workload, const OptionsOf& options_of);
  rocksdb::Status Warm(const BenchOptions& options, const Workload& workload);
  rocksdb::Status Dispatch(const std::string& benchmark,
                           const BenchOptions& options,
                           const Workload& workload,
                           const OptionsOf& options_of, RunResult* result);

  std::shared_ptr<rocksdb::Cache> cache_;
  std::unique_ptr<RocksDbTable> table_;
};

rocksdb::CompressionType RocksDbCodec(const std::string& name);

// Describes where random reads find their blocks: the share of the table in
// each tier, and the memory that the first tier would need for both, compared
// with what they have.
std::string DescribeRocksDbHeld(RocksDbTable* table, rocksdb::Cache* cache,
                                const BenchOptions& options,
                                const Workload& workload);

std::shared_ptr<rocksdb::Cache> MakeRocksDbCache(
    const BenchOptions& options, uint64_t capacity,
    std::shared_ptr<rocksdb::SecondaryCache> secondary = nullptr);

// Runs the benchmark blockinsert: parses the first data block of the file and
// inserts it into a cache that is full of data blocks, again and again.
rocksdb::Status RunRocksDbBlockInsert(const std::string& path,
                                      const BenchOptions& options,
                                      const RocksDbReads::OptionsOf& options_of,
                                      RunResult* result);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ROCKSDB_READS_H_
