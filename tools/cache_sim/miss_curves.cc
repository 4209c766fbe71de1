#include "tools/cache_sim/miss_curves.h"

#include <algorithm>
#include <string>

namespace ashlar::sim {

namespace {

CurvePanel PanelOf(const TraceResult& result) {
  CurvePanel panel;
  panel.title = result.name;
  panel.x_label =
      "cache size (" + std::to_string(result.distinct_keys) + " keys)";
  std::vector<Pair> pairs = result.pairs;
  std::stable_sort(
      pairs.begin(), pairs.end(),
      [](const Pair& a, const Pair& b) { return a.entries < b.entries; });
  for (const Pair& pair : pairs) {
    panel.ticks.push_back(pair.entries);
    panel.tick_labels.push_back(pair.size);
    panel.curves.resize(pair.misses.size());
    for (size_t i = 0; i < pair.misses.size(); ++i) {
      panel.curves[i].push_back(
          {static_cast<double>(pair.entries), pair.misses[i].mean});
    }
  }
  return panel;
}

}  // namespace

CurveChart MissCurves(const ExperimentOptions& options,
                      const std::vector<TraceResult>& results) {
  CurveChart chart = {
      .title = "What caches of several sizes miss",
      .y_label = "miss ratio",
  };
  for (const PolicyKind* policy : options.policies) {
    chart.series.emplace_back(policy->name);
  }
  for (const TraceResult& result : results) {
    chart.panels.push_back(PanelOf(result));
  }
  return chart;
}

}  // namespace ashlar::sim
