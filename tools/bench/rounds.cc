#include "tools/bench/rounds.h"

#include <algorithm>

namespace ashlar::bench {

namespace {

using Round = std::map<std::string, RunResult>;

bool Disturbed(const Round& round) {
  return std::any_of(round.begin(), round.end(), [](const auto& run) {
    return run.second.measured.disturbed();
  });
}

std::string RunOnce(const std::vector<Contestant>& contestants, size_t first,
                    Round* round) {
  for (size_t i = 0; i < contestants.size(); ++i) {
    const Contestant& contestant =
        contestants[(first + i) % contestants.size()];
    RunResult result;
    const std::string error = contestant.run(&result);
    if (!error.empty()) return contestant.name + ": " + error;
    (*round)[contestant.name] = result;
  }
  return "";
}

}  // namespace

Spread SpreadOf(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const size_t last = values.size() - 1;
  return {values[last / 2], values[last / 10], values[last - last / 10],
          values[last]};
}

std::vector<double> BenchmarkReport::Figures(const std::string& engine,
                                             Figure figure) const {
  std::vector<double> figures;
  const auto found = results.find(engine);
  if (found == results.end()) return figures;
  for (const RunResult& run : found->second) figures.push_back(figure(run));
  return figures;
}

std::vector<double> BenchmarkReport::Seconds(const std::string& engine) const {
  return Figures(engine,
                 [](const RunResult& run) { return run.measured.seconds; });
}

Spread BenchmarkReport::CpuRatio(const std::string& a,
                                 const std::string& b) const {
  const Figure cpu = [](const RunResult& run) {
    return run.measured.cpu_seconds;
  };
  std::vector<double> ratios = Figures(a, cpu);
  const std::vector<double> others = Figures(b, cpu);
  for (size_t i = 0; i < ratios.size(); ++i) ratios[i] /= others[i];
  return SpreadOf(std::move(ratios));
}

Spread BenchmarkReport::TimesFaster(const std::string& engine,
                                    const std::string& other) const {
  std::vector<double> ratios = Seconds(other);
  const std::vector<double> ours = Seconds(engine);
  for (size_t i = 0; i < ratios.size(); ++i) ratios[i] /= ours[i];
  return SpreadOf(std::move(ratios));
}

Spread BenchmarkReport::RateRatio(const std::string& engine,
                                  const std::string& other) const {
  const Figure rate = [](const RunResult& run) {
    return static_cast<double>(run.operations) / run.measured.seconds;
  };
  std::vector<double> ratios = Figures(engine, rate);
  const std::vector<double> others = Figures(other, rate);
  for (size_t i = 0; i < ratios.size(); ++i) ratios[i] /= others[i];
  return SpreadOf(std::move(ratios));
}

Spread BenchmarkReport::OwnCostRatio(const std::string& a, const std::string& b,
                                     const std::string& base) const {
  std::vector<double> ratios = Seconds(a);
  const std::vector<double> others = Seconds(b);
  const std::vector<double> bases = Seconds(base);
  for (size_t i = 0; i < ratios.size(); ++i) {
    ratios[i] = (ratios[i] - bases[i]) / (others[i] - bases[i]);
  }
  return SpreadOf(std::move(ratios));
}

BenchmarkReport RunRounds(const std::string& benchmark,
                          const std::vector<Contestant>& contestants,
                          int rounds, bool keep_disturbed, std::string* error) {
  constexpr int kTriesPerRound = 3;
  BenchmarkReport report;
  report.benchmark = benchmark;
  for (int i = 0; i < rounds * kTriesPerRound && report.kept < rounds; ++i) {
    Round round;
    *error = RunOnce(contestants, static_cast<size_t>(i), &round);
    if (!error->empty()) return report;
    if (!keep_disturbed && Disturbed(round)) {
      ++report.dropped;
      continue;
    }
    ++report.kept;
    for (const auto& [engine, result] : round) {
      report.results[engine].push_back(result);
    }
  }
  if (report.kept == 0) *error = "every round was disturbed by other load";
  return report;
}

}  // namespace ashlar::bench
