// AshlarReads: the benchmarks that read a table of ours.
//
// Used by the engine. The table stays open, and its cache warm, from run to
// run, until Close. One thread at a time; the loads may have many.
#ifndef ASHLAR_TOOLS_BENCH_ASHLAR_READS_H_
#define ASHLAR_TOOLS_BENCH_ASHLAR_READS_H_

#include <memory>
#include <string>

#include "ashlar/cache/cache.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/status.h"
#include "tools/bench/engine.h"

namespace ashlar::bench {

// A mapped file needs none: its blocks are where they are read.
bool HasBlockCache(const BenchOptions& o);

class AshlarReads {
 public:
  // What is open reads a file that is about to be written anew.
  void Close();
  Status Run(const std::string& benchmark, const std::string& path,
             const BenchOptions& options, const Workload& workload,
             RunResult* result);

 private:
  Status Open(const std::string& path, const BenchOptions& options,
              const Workload& workload);
  Status Warm(const BenchOptions& options, const Workload& workload);
  Status Dispatch(const std::string& benchmark, const BenchOptions& options,
                  const Workload& workload, RunResult* result);

  std::shared_ptr<Cache> cache_;
  std::unique_ptr<TableReader> reader_;
};

// A data block of the reader's file, parsed and put into a cache that is full
// of such blocks, again and again. `cache` holds one of them.
Status RunBlockInsert(const BenchOptions& options, Cache* cache,
                      RunResult* result);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ASHLAR_READS_H_
