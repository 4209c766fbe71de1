// Prints what RunRounds found, as db_bench's lines or as JSON.
#ifndef ASHLAR_TOOLS_BENCH_PRINT_REPORT_H_
#define ASHLAR_TOOLS_BENCH_PRINT_REPORT_H_

#include <string>
#include <vector>

#include "tools/bench/engine.h"
#include "tools/bench/rounds.h"

namespace ashlar::bench {

// Benchmark lines of every engine, and ratios, to stdout.
void PrintText(const BenchmarkReport& report, const BenchOptions& options);

// The whole run as one document.
std::string ToJson(const std::vector<BenchmarkReport>& reports,
                   const std::vector<Engine*>& engines,
                   const BenchOptions& options);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_PRINT_REPORT_H_
