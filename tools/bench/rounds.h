// Rounds: the same benchmark through several engines by turns, and what the
// ratios of their times come to.
//
// Within a round every engine runs once, right after one another; the order
// turns from round to round. A round in which any run was disturbed by other
// load is dropped and counted. The figure is the median of the per-round
// ratios, with the 10th and 90th percentile.
#ifndef ASHLAR_TOOLS_BENCH_ROUNDS_H_
#define ASHLAR_TOOLS_BENCH_ROUNDS_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tools/bench/run_result.h"

namespace ashlar::bench {

// Whoever takes part: an engine, bound to a benchmark and its options.
struct Contestant {
  std::string name;
  // Runs it once. Returns what went wrong, or nothing.
  std::function<std::string(RunResult* result)> run;
};

struct Spread {
  double median = 0;
  double low = 0;   // 10th percentile
  double high = 0;  // 90th
  double most = 0;
};
Spread SpreadOf(std::vector<double> values);

// One benchmark's rounds; every result vector has one element a kept round.
struct BenchmarkReport {
  std::string benchmark;
  int kept = 0;
  int dropped = 0;
  std::map<std::string, std::vector<RunResult>> results;  // by engine

  // One figure of each kept round.
  using Figure = double (*)(const RunResult& run);
  std::vector<double> Figures(const std::string& engine, Figure figure) const;
  std::vector<double> Seconds(const std::string& engine) const;
  // other's time over ours, per round: how many times faster `engine` is.
  Spread TimesFaster(const std::string& engine, const std::string& other) const;
  // The same by operations a second, where engines do different numbers.
  Spread RateRatio(const std::string& engine, const std::string& other) const;
  // a's wall time over b's, and CPU time, per round.
  Spread WallRatio(const std::string& a, const std::string& b) const {
    return TimesFaster(b, a);
  }
  Spread CpuRatio(const std::string& a, const std::string& b) const;
  // (a - base) / (b - base), per round.
  Spread OwnCostRatio(const std::string& a, const std::string& b,
                      const std::string& base) const;
};

// Runs until `rounds` are kept, or three times as many were tried. Empty
// *error when all went well; no round kept is an error.
BenchmarkReport RunRounds(const std::string& benchmark,
                          const std::vector<Contestant>& contestants,
                          int rounds, bool keep_disturbed, std::string* error);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ROUNDS_H_
