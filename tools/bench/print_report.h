// Prints the results of RunRounds, as lines like db_bench's or as JSON.
#ifndef ASHLAR_TOOLS_BENCH_PRINT_REPORT_H_
#define ASHLAR_TOOLS_BENCH_PRINT_REPORT_H_

#include <string>
#include <vector>

#include "tools/bench/engine.h"
#include "tools/bench/rounds.h"

namespace ashlar::bench {

// Prints the benchmark lines of every engine, and the ratios, to stdout.
void PrintText(const BenchmarkReport& report, const BenchOptions& options);

// Returns the whole run as one JSON document.
std::string ToJson(const std::vector<BenchmarkReport>& reports,
                   const std::vector<Engine*>& engines,
                   const BenchOptions& options);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_PRINT_REPORT_H_
