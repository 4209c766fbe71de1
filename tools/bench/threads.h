// Runs the same reads on several threads and adds up what they did.
#ifndef ASHLAR_TOOLS_BENCH_THREADS_H_
#define ASHLAR_TOOLS_BENCH_THREADS_H_

#include <thread>
#include <vector>

#include "tools/bench/engine.h"

namespace ashlar::bench {

// `read(reads, seed, RunResult*)` returns a status with ok(). Time is that of
// all threads together, from the start of the first to the end of the last.
template <typename Read>
auto RunThreads(const BenchOptions& options, RunResult* result, Read read) {
  using Outcome = decltype(read(0, 0, result));
  const auto n = static_cast<size_t>(options.threads);
  const uint64_t each = options.num_reads() / n;
  std::vector<RunResult> parts(n);
  std::vector<Outcome> outcomes(n);
  const Stopwatch watch(n == 1 ? Stopwatch::Load::kOneThread
                               : Stopwatch::Load::kManyThreads);
  if (n == 1) {
    outcomes[0] = read(each, options.workload.seed + 7, &parts[0]);
  } else {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < n; ++i) {
      threads.emplace_back([&, i] {
        outcomes[i] = read(each, options.workload.seed + 7 + i, &parts[i]);
      });
    }
  }
  result->measured = watch.Stop();
  result->operations = each * n;
  Outcome first = outcomes[0];
  for (size_t i = 0; i < n; ++i) {
    result->found += parts[i].found;
    result->bytes += parts[i].bytes;
    if (!outcomes[i].ok()) first = outcomes[i];
  }
  return first;
}

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_THREADS_H_
