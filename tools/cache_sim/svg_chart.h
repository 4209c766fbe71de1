// Curves beside each other, in panels, as one SVG that needs nothing else.
//
// Numbers come in, text goes out. Pure functions.
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
  // Where the axis says something, and what. Above 0: it is logarithmic.
  std::vector<double> ticks;
  std::vector<std::string> tick_labels;
  // One of each series, by ascending x.
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
