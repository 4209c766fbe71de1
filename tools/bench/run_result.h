// RunResult: what one run of one engine took and did.
//
// A plain value: engines fill it in, rounds.h compares, reports print.
#ifndef ASHLAR_TOOLS_BENCH_RUN_RESULT_H_
#define ASHLAR_TOOLS_BENCH_RUN_RESULT_H_

#include <cstdint>

#include "tools/bench/stopwatch.h"

namespace ashlar::bench {

struct RunResult {
  Measurement measured;
  uint64_t operations = 0;
  uint64_t bytes = 0;  // keys and values handed over or read
  uint64_t found = 0;
  uint64_t file_bytes = 0;
  // Of reads: calls of malloc and its like by the reading threads, and what the
  // writer beside them handed over.
  uint64_t allocations = 0;
  uint64_t written_bytes = 0;
  // Of multifillseq: the part of its work that the slowest builder had done
  // when the first was done, and the longest stall of any.
  double slowest_share = 0;
  double longest_stall_seconds = 0;
  // Of caches: lookups, of which `found` were hits; how long a thread was at
  // work, on average; and what the cache held at the end.
  uint64_t lookups = 0;
  double thread_seconds = 0;
  uint64_t entries = 0;
  uint64_t table_bytes = 0;
  uint64_t usage_bytes = 0;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_RUN_RESULT_H_
