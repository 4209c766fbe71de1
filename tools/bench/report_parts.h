// What the reports of all benchmark programs have in common.
#ifndef ASHLAR_TOOLS_BENCH_REPORT_PARTS_H_
#define ASHLAR_TOOLS_BENCH_REPORT_PARTS_H_

#include <string>
#include <vector>

#include "third-party/json_lib.h"
#include "tools/bench/rounds.h"

namespace ashlar::bench {

using Json = nlohmann::ordered_json;

// A comparison, in the words that the bars use.
struct Ratio {
  std::string name;
  Spread spread;
};

// The run whose time is the median one.
const RunResult& MedianRun(const std::vector<RunResult>& runs);

void PrintRatios(const BenchmarkReport& report,
                 const std::vector<Ratio>& ratios);

// Times, operations and ratios of all engines of a benchmark.
Json ToJson(const BenchmarkReport& report, const std::vector<Ratio>& ratios);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_REPORT_PARTS_H_
