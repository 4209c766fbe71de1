// The common parts of the reports of all benchmark programs.
#ifndef ASHLAR_TOOLS_BENCH_REPORT_PARTS_H_
#define ASHLAR_TOOLS_BENCH_REPORT_PARTS_H_

#include <string>
#include <vector>

#include "third-party/json_lib.h"
#include "tools/bench/rounds.h"

namespace ashlar::bench {

using Json = nlohmann::ordered_json;

// A comparison, with the name that the bars use.
struct Ratio {
  std::string name;
  Spread spread;
};

// Returns the run with the median time.
const RunResult& MedianRun(const std::vector<RunResult>& runs);

void PrintRatios(const BenchmarkReport& report,
                 const std::vector<Ratio>& ratios);

// Returns times, operations and ratios of all engines of a benchmark.
Json ToJson(const BenchmarkReport& report, const std::vector<Ratio>& ratios);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_REPORT_PARTS_H_
