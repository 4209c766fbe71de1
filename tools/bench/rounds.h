// Rounds: runs the same benchmark through several engines in turn, and computes
// the ratios of their times.
//
// Within a round, every engine runs once, one right after the other. The order
// changes from round to round. A round in which any run was disturbed by other
// load is dropped and counted. The figure is the median of the ratios of the
// rounds, with the 10th and 90th percentile.
#ifndef ASHLAR_TOOLS_BENCH_ROUNDS_H_
#define ASHLAR_TOOLS_BENCH_ROUNDS_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tools/bench/run_result.h"

namespace ashlar::bench {

// A participant: an engine with a benchmark and its options.
struct Contestant {
  std::string name;
  // Runs it once. Returns an error message, or an empty string.
  std::function<std::string(RunResult* result)> run;
};

struct Spread {
  double median = 0;
  double low = 0;   // 10th percentile
  double high = 0;  // 90th
  double most = 0;
};
Spread SpreadOf(std::vector<double> values);

// The rounds of one benchmark. Every vector of results has one element per kept
// round.
struct BenchmarkReport {
  std::string benchmark;
  int kept = 0;
  int dropped = 0;
  std::map<std::string, std::vector<RunResult>> results;  // by engine

  // Returns one figure of each kept round.
  using Figure = double (*)(const RunResult& run);
  std::vector<double> Figures(const std::string& engine, Figure figure) const;
  std::vector<double> Seconds(const std::string& engine) const;
  // Returns the ratio of other's time to engine's, per round: how many times
  // faster `engine` is.
  Spread TimesFaster(const std::string& engine, const std::string& other) const;
  // Does the same with operations per second, for engines that do different
  // numbers of operations.
  Spread RateRatio(const std::string& engine, const std::string& other) const;
  // Return the ratio of a's wall time, and of its CPU time, to b's, per round.
  Spread WallRatio(const std::string& a, const std::string& b) const {
    return TimesFaster(b, a);
  }
  Spread CpuRatio(const std::string& a, const std::string& b) const;
  // Returns (a - base) / (b - base), per round.
  Spread OwnCostRatio(const std::string& a, const std::string& b,
                      const std::string& base) const;
};

// Runs until `rounds` rounds are kept, or three times that number were tried.
// *error is empty if all went well. It is an error if no round was kept.
BenchmarkReport RunRounds(const std::string& benchmark,
                          const std::vector<Contestant>& contestants,
                          int rounds, bool keep_disturbed, std::string* error);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ROUNDS_H_
