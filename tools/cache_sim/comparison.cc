#include "tools/cache_sim/comparison.h"

namespace ashlar::sim {

namespace {

constexpr double kWorse = -0.02;

void Add(const std::string& name, double miss, double reference,
         Standing* standing) {
  standing->mean_miss += miss;
  // If the reference misses nothing, nothing can be gained.
  const double gain = reference == 0 ? 0 : 1 - miss / reference;
  standing->mean_gain += gain;
  if (gain < kWorse) ++standing->worse_pairs;
  if (standing->worst_pair.empty() || gain < standing->worst_gain) {
    standing->worst_gain = gain;
    standing->worst_pair = name;
  }
}

}  // namespace

std::vector<Standing> Compare(const std::vector<TraceResult>& results,
                              size_t reference) {
  std::vector<Standing> standings;
  double pairs = 0;
  for (const TraceResult& trace : results) {
    for (const Pair& pair : trace.pairs) {
      ++pairs;
      standings.resize(pair.misses.size());
      for (size_t i = 0; i < pair.misses.size(); ++i) {
        Add(trace.name + " " + pair.size, pair.misses[i].mean,
            pair.misses[reference].mean, &standings[i]);
        standings[i].mean_saved += pair.misses[i].mean_saved;
      }
    }
  }
  for (Standing& standing : standings) {
    standing.mean_miss /= pairs;
    standing.mean_gain /= pairs;
    standing.mean_saved /= pairs;
  }
  return standings;
}

}  // namespace ashlar::sim
