#include "tools/bench/report_parts.h"

#include <algorithm>
#include <cstdio>

namespace ashlar::bench {

namespace {

Json ToJson(const Spread& spread) {
  return {{"median", spread.median},
          {"p10", spread.low},
          {"p90", spread.high},
          {"most", spread.most}};
}

Json EngineToJson(const std::vector<RunResult>& runs) {
  const RunResult& run = MedianRun(runs);
  std::vector<double> seconds;
  seconds.reserve(runs.size());
  std::vector<double> cpu_seconds;
  for (const RunResult& r : runs) {
    seconds.push_back(r.measured.seconds);
    cpu_seconds.push_back(r.measured.cpu_seconds);
  }
  return {{"seconds", ToJson(SpreadOf(seconds))},
          {"cpu_seconds", run.measured.cpu_seconds},
          {"peak_bytes", run.measured.peak_bytes},
          {"operations", run.operations},
          {"found", run.found},
          {"round_seconds", seconds},
          {"round_cpu_seconds", cpu_seconds}};
}

}  // namespace

const RunResult& MedianRun(const std::vector<RunResult>& runs) {
  std::vector<const RunResult*> sorted;
  sorted.reserve(runs.size());
  for (const RunResult& run : runs) sorted.push_back(&run);
  std::sort(sorted.begin(), sorted.end(),
            [](const RunResult* a, const RunResult* b) {
              return a->measured.seconds < b->measured.seconds;
            });
  return *sorted[sorted.size() / 2];
}

void PrintRatios(const BenchmarkReport& report,
                 const std::vector<Ratio>& ratios) {
  for (const Ratio& ratio : ratios) {
    std::printf(
        "%-12s : %s: %.3f (%.3f - %.3f, most %.3f) over %d rounds, "
        "%d dropped\n",
        report.benchmark.c_str(), ratio.name.c_str(), ratio.spread.median,
        ratio.spread.low, ratio.spread.high, ratio.spread.most, report.kept,
        report.dropped);
  }
}

Json ToJson(const BenchmarkReport& report, const std::vector<Ratio>& ratios) {
  Json entry = {{"benchmark", report.benchmark},
                {"rounds", report.kept},
                {"dropped", report.dropped}};
  for (const auto& [engine, runs] : report.results) {
    entry["engines"][engine] = EngineToJson(runs);
  }
  for (const Ratio& ratio : ratios) {
    entry["ratios"][ratio.name] = ToJson(ratio.spread);
  }
  return entry;
}

}  // namespace ashlar::bench
