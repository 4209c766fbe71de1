// AshlarReads: the benchmarks that read a table of this library.
//
// Used by the engine. The table stays open, and its cache warm, from run to
// run, until Close. One thread at a time may call; the loads may use many.
#ifndef ASHLAR_TOOLS_BENCH_ASHLAR_READS_H_
#define ASHLAR_TOOLS_BENCH_ASHLAR_READS_H_

#include <memory>
#include <string>

#include "ashlar/cache/cache.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/status.h"
#include "tools/bench/ashlar_codec.h"
#include "tools/bench/engine.h"

namespace ashlar::bench {

// Returns whether reads use a block cache. A mapped file needs none, because
// its blocks are read in place.
bool HasBlockCache(const BenchOptions& o);

class AshlarReads {
 public:
  // Closes the table, because its file is about to be written again.
  void Close();
  Status Run(const std::string& benchmark, const std::string& path,
             const BenchOptions& options, const Workload& workload,
             RunResult* result);

 private:
  Status Open(const std::string& path, const BenchOptions& options,
              const Workload& workload);
  Status Warm(const BenchOptions& options, const Workload& workload);
  Status RunCodec(const std::string& path, const BenchOptions& options,
                  RunResult* result);
  Status Dispatch(const std::string& benchmark, const std::string& path,
                  const BenchOptions& options, const Workload& workload,
                  RunResult* result);

  std::shared_ptr<Cache> cache_;
  std::unique_ptr<TableReader> reader_;
  BareCodec codec_;
};

// Runs the benchmark blockinsert: parses a data block and inserts it into a
// cache that is full of data blocks, again and again. `cache` has one of them.
Status RunBlockInsert(const BenchOptions& options, Cache* cache,
                      RunResult* result);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ASHLAR_READS_H_
