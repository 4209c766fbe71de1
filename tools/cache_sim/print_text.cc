#include "tools/cache_sim/print_text.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string>

#include "tools/cache_sim/comparison.h"

namespace ashlar::sim {

namespace {

constexpr int kLeastWidth = 8;

int WidthOf(const PolicyKind& policy) {
  return std::max(kLeastWidth,
                  static_cast<int>(std::string(policy.name).size()));
}

void PrintHeader(const ExperimentOptions& options, int name_width) {
  std::printf("%-*s %7s %8s", name_width, "miss ratio", "size", "entries");
  for (const PolicyKind* policy : options.policies) {
    std::printf(" %*s", WidthOf(*policy), policy->name);
  }
  std::printf("\n");
}

void PrintPair(const ExperimentOptions& options, const std::string& name,
               int name_width, const Pair& pair, bool hot) {
  std::printf("%-*s %7s %8" PRIu32, name_width, name.c_str(), pair.size.c_str(),
              pair.entries);
  for (size_t i = 0; i < pair.misses.size(); ++i) {
    const MissRatio& miss = pair.misses[i];
    std::printf(" %*.4f", WidthOf(*options.policies[i]),
                hot ? miss.mean_of_hot : miss.mean);
  }
  std::printf("\n");
}

void PrintStandings(const ExperimentOptions& options,
                    const std::vector<TraceResult>& results, size_t reference) {
  constexpr double kPercent = 100;
  const std::string versus =
      std::string("vs ") + options.policies[reference]->name;
  std::printf("\n%-20s %9s %20s %8s  %-28s %s\n", "over all", "mean miss",
              versus.c_str(), "worst", "", "worse by > 2 %");
  const std::vector<Standing> standings = Compare(results, reference);
  const auto saves = [](const Standing& s) { return s.mean_saved != 0; };
  for (size_t i = 0; i < standings.size(); ++i) {
    const Standing& s = standings[i];
    std::printf("%-20s %9.4f %+18.2f %% %+6.2f %%  %-28s %" PRIu32 "\n",
                options.policies[i]->name, s.mean_miss, s.mean_gain * kPercent,
                s.worst_gain * kPercent, s.worst_pair.c_str(), s.worse_pairs);
  }
  if (std::none_of(standings.begin(), standings.end(), saves)) return;
  std::printf("\nsaved to the second tier, a miss of the first\n");
  for (size_t i = 0; i < standings.size(); ++i) {
    if (!saves(standings[i])) continue;
    std::printf("%-20s %9.4f\n", options.policies[i]->name,
                standings[i].mean_saved);
  }
}

}  // namespace

void PrintText(const ExperimentOptions& options,
               const std::vector<TraceResult>& results, size_t reference) {
  int name_width = kLeastWidth + kLeastWidth;
  for (const TraceResult& result : results) {
    name_width = std::max(name_width, static_cast<int>(result.name.size()) + 4);
  }
  PrintHeader(options, name_width);
  for (const TraceResult& result : results) {
    for (const Pair& pair : result.pairs) {
      PrintPair(options, result.name, name_width, pair, false);
      if (!result.has_hot_keys) continue;
      PrintPair(options, result.name + " hot", name_width, pair, true);
    }
  }
  PrintStandings(options, results, reference);
}

}  // namespace ashlar::sim
