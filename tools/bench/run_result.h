// RunResult: the measurements of one run of one engine.
//
// It is a plain value. Engines fill it in, rounds.h compares, and reports
// print.
#ifndef ASHLAR_TOOLS_BENCH_RUN_RESULT_H_
#define ASHLAR_TOOLS_BENCH_RUN_RESULT_H_

#include <cstdint>

#include "tools/bench/latency_histogram.h"
#include "tools/bench/stopwatch.h"

namespace ashlar::bench {

struct RunResult {
  Measurement measured;
  uint64_t operations = 0;
  uint64_t bytes = 0;  // keys and values written or read
  uint64_t found = 0;
  uint64_t file_bytes = 0;
  // For opened tables: see open_tables.h.
  double heap_bytes_per_table = 0;
  uint64_t page_faults = 0;
  // For reads: allocations by the reading threads, and the bytes that the
  // writer next to them wrote.
  uint64_t allocations = 0;
  uint64_t written_bytes = 0;
  // For random reads with BenchOptions::latencies.
  LatencyHistogram latencies;
  // For lsm by one thread: the blocks that such a run reads from the files.
  uint64_t blocks_loaded = 0;
  // For multifillseq: the share of its work that the slowest builder had done
  // when the first one was done, and the longest stall of any builder.
  double slowest_share = 0;
  double longest_stall_seconds = 0;
  // For caches: lookups, of which `found` were hits; the mean time that a
  // thread worked; and what the cache held at the end.
  uint64_t lookups = 0;
  double thread_seconds = 0;
  uint64_t entries = 0;
  uint64_t table_bytes = 0;
  uint64_t usage_bytes = 0;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_RUN_RESULT_H_
