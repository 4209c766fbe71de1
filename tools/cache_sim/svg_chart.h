// Draws curves in panels next to each other, as one SVG that needs no other
// files.
//
// Pure functions: numbers in, text out.
#ifndef ASHLAR_TOOLS_CACHE_SIM_SVG_CHART_H_
#define ASHLAR_TOOLS_CACHE_SIM_SVG_CHART_H_

#include <string>
#include <vector>

namespace ashlar::sim {

struct CurvePoint {
  double x = 0;
  double y = 0;
};

struct CurvePanel {
  std::string title;
  std::string x_label;
  // The places of labels on the x axis, and the labels. All places are above 0,
  // since the axis is logarithmic.
  std::vector<double> ticks;
  std::vector<std::string> tick_labels;
  // One curve per series, by ascending x.
  std::vector<std::vector<CurvePoint>> curves;
};

struct CurveChart {
  std::string title;
  std::string y_label;
  std::vector<std::string> series;
  std::vector<CurvePanel> panels;
};

std::string DrawSvg(const CurveChart& chart);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_SVG_CHART_H_
