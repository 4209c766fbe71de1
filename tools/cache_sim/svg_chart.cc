#include "tools/cache_sim/svg_chart.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "tools/replay/svg_text.h"

namespace ashlar::sim {

namespace {

constexpr size_t kColumns = 3;
constexpr double kPanelWidth = 380;
constexpr double kPanelHeight = 270;
constexpr double kLeft = 58;  // margins of a panel's curves
constexpr double kRight = 14;
constexpr double kTop = 30;
constexpr double kBottom = 52;
constexpr double kTitleHeight = 34;
constexpr double kLegendRow = 20;
constexpr double kLegendWidth = 150;  // per entry

// Series differ in color. If there are more series than colors, they also
// differ in dashes.
constexpr const char* kDashes[] = {"", "6 3", "2 3"};

std::string StrokeOf(size_t series) {
  std::string stroke = "class=\"" + SvgText::StrokeClass(series) + "\"";
  const char* const dashes =
      kDashes[series / SvgText::kColours % std::size(kDashes)];
  if (*dashes != 0) {
    stroke += std::string(" stroke-dasharray=\"") + dashes + "\"";
  }
  return stroke;
}

// Maps the numbers of a panel to places on the page.
struct Scale {
  double left;
  double top;
  double first;  // logarithms of x
  double last;
  double y_end;

  double X(double x) const {
    constexpr double kWidth = kPanelWidth - kLeft - kRight;
    if (last <= first) return left + kWidth / 2;
    return left + kWidth * (std::log(x) - first) / (last - first);
  }
  double Y(double y) const {
    return top + (kPanelHeight - kTop - kBottom) * (1 - y / y_end);
  }
};

Scale ScaleOf(const CurvePanel& panel, double x, double y) {
  Scale scale = {x + kLeft, y + kTop, 0, 0, 0};
  if (!panel.ticks.empty()) {
    const auto [least, most] =
        std::minmax_element(panel.ticks.begin(), panel.ticks.end());
    scale.first = std::log(*least);
    scale.last = std::log(*most);
  }
  double largest = 0;
  for (const auto& curve : panel.curves) {
    for (const CurvePoint& point : curve) largest = std::max(largest, point.y);
  }
  scale.y_end = AxisEnd(largest);
  return scale;
}

void DrawAxes(const CurveChart& chart, const CurvePanel& panel,
              const Scale& scale, SvgText* svg) {
  constexpr int kParts = 4;
  const double right = scale.left + kPanelWidth - kLeft - kRight;
  const double bottom = scale.Y(0);
  for (int i = 0; i <= kParts; ++i) {
    const double value = scale.y_end * i / kParts;
    svg->Line(scale.left, scale.Y(value), right, scale.Y(value),
              "class=\"grid\"");
    svg->Words(scale.left - 6, scale.Y(value) + 4, SvgNumber(value),
               "text-anchor=\"end\" class=\"small\"");
  }
  // Leaves out labels that would overlap.
  double free_from = 0;
  for (size_t i = 0; i < panel.ticks.size(); ++i) {
    const double x = scale.X(panel.ticks[i]);
    svg->Line(x, bottom, x, bottom + 4, "class=\"axis\"");
    if (x < free_from) continue;
    free_from = x + 12 + 6.0 * static_cast<double>(panel.tick_labels[i].size());
    svg->Words(x, bottom + 17, panel.tick_labels[i],
               "text-anchor=\"middle\" class=\"small\"");
  }
  const double middle = (scale.left + right) / 2;
  svg->Words(middle, scale.top - 10, panel.title,
             "text-anchor=\"middle\" class=\"panel\"");
  svg->Words(middle, bottom + 36, panel.x_label, "text-anchor=\"middle\"");
  const double y = (scale.top + bottom) / 2;
  svg->Words(scale.left - 44, y, chart.y_label,
             "text-anchor=\"middle\" transform=\"rotate(-90 " +
                 SvgNumber(scale.left - 44) + " " + SvgNumber(y) + ")\"");
}

void DrawCurve(const CurveChart& chart, size_t series,
               const std::vector<CurvePoint>& curve, const Scale& scale,
               SvgText* svg) {
  std::string points;
  for (const CurvePoint& point : curve) {
    points +=
        SvgNumber(scale.X(point.x)) + "," + SvgNumber(scale.Y(point.y)) + " ";
  }
  svg->Raw("<polyline fill=\"none\" stroke-width=\"1.6\" " + StrokeOf(series) +
           " points=\"" + points + "\"/>\n");
  for (const CurvePoint& point : curve) {
    svg->Raw("<circle cx=\"" + SvgNumber(scale.X(point.x)) + "\" cy=\"" +
             SvgNumber(scale.Y(point.y)) + "\" r=\"2.4\" class=\"" +
             SvgText::FillClass(series) + "\"><title>" +
             SvgEscape(chart.series[series]) + ": " + SvgNumber(point.y) +
             "</title></circle>\n");
  }
}

void DrawLegend(const CurveChart& chart, size_t columns, SvgText* svg) {
  for (size_t i = 0; i < chart.series.size(); ++i) {
    const double x = 16 + kLegendWidth * static_cast<double>(i % columns);
    const size_t row = i / columns;
    const double y = kTitleHeight + 12 + kLegendRow * static_cast<double>(row);
    svg->Line(x, y, x + 24, y, "stroke-width=\"2.4\" " + StrokeOf(i));
    svg->Words(x + 30, y + 4, chart.series[i], "");
  }
}

}  // namespace

std::string DrawSvg(const CurveChart& chart) {
  const size_t columns = std::clamp<size_t>(chart.panels.size(), 1, kColumns);
  const size_t rows = (chart.panels.size() + columns - 1) / columns;
  const double width = kPanelWidth * static_cast<double>(columns);
  const auto legend_columns =
      std::max<size_t>(1, static_cast<size_t>((width - 16) / kLegendWidth));
  const size_t legend_rows =
      (chart.series.size() + legend_columns - 1) / legend_columns;
  const double head =
      kTitleHeight + 8 + kLegendRow * static_cast<double>(legend_rows);
  const double height = head + kPanelHeight * static_cast<double>(rows);
  SvgText svg(width, height, chart.title);
  svg.Words(16, 24, chart.title, "class=\"title\"");
  DrawLegend(chart, legend_columns, &svg);
  for (size_t i = 0; i < chart.panels.size(); ++i) {
    const CurvePanel& panel = chart.panels[i];
    const size_t row = i / columns;
    const Scale scale =
        ScaleOf(panel, kPanelWidth * static_cast<double>(i % columns),
                head + kPanelHeight * static_cast<double>(row));
    DrawAxes(chart, panel, scale, &svg);
    for (size_t j = 0; j < panel.curves.size(); ++j) {
      DrawCurve(chart, j, panel.curves[j], scale, &svg);
    }
  }
  return svg.text();
}

}  // namespace ashlar::sim
