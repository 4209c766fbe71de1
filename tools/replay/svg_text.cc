#include "tools/replay/svg_text.h"

#include <cmath>
#include <cstdio>
#include <initializer_list>

namespace ashlar::sim {

namespace {

constexpr char kLightStyle[] = R"(
text { font: 12px system-ui, sans-serif; fill: #24292f; }
.title { font-size: 16px; font-weight: 600; }
.panel { font-size: 13px; font-weight: 600; }
.small { font-size: 10px; fill: #57606a; }
.grid { stroke: #d8dee4; }
.axis { stroke: #57606a; }
.page { fill: #ffffff; }
)";
constexpr char kDarkStyle[] = R"(
text { fill: #e6edf3; }
.small { fill: #9da7b3; }
.grid { stroke: #30363d; }
.axis { stroke: #9da7b3; }
.page { fill: #0d1117; }
)";

constexpr const char* kLight[SvgText::kColours] = {
    "#1f5fbf", "#d1495b", "#2e8b57", "#e07b00", "#7b4fb3",
    "#00838f", "#8c6d31", "#c2185b", "#5d6d7e"};
constexpr const char* kDark[SvgText::kColours] = {
    "#6ea8fe", "#ff8087", "#5fd39a", "#ffa94d", "#b794f6",
    "#4dd0e1", "#d4b26a", "#f06fa6", "#a5b4c3"};

std::string SeriesStyle(const char* const (&colours)[SvgText::kColours]) {
  std::string style;
  for (size_t i = 0; i < SvgText::kColours; ++i) {
    const std::string number = std::to_string(i);
    style += ".s";
    style += number;
    style += " { stroke: ";
    style += colours[i];
    style += "; } .f";
    style += number;
    style += " { fill: ";
    style += colours[i];
    style += "; }\n";
  }
  return style;
}

}  // namespace

std::string SvgNumber(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", x);
  return text;
}

std::string SvgEscape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        // XML allows no other control characters, and no bytes that are not
        // UTF-8.
        out += c >= ' ' && c <= '~' ? c : '?';
    }
  }
  return out;
}

SvgText::SvgText(double width, double height, const std::string& title) {
  const std::string size =
      "width=\"" + SvgNumber(width) + "\" height=\"" + SvgNumber(height) + "\"";
  out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" " + size +
         " viewBox=\"0 0 " + SvgNumber(width) + " " + SvgNumber(height) +
         "\">\n<title>" + SvgEscape(title) + "</title>\n<style>" + kLightStyle +
         SeriesStyle(kLight) + "@media (prefers-color-scheme: dark) {" +
         kDarkStyle + SeriesStyle(kDark) + "}\n</style>\n<rect " + size +
         " class=\"page\"/>\n";
}

void SvgText::Words(double x, double y, const std::string& words,
                    const std::string& attributes) {
  out_ += "<text x=\"" + SvgNumber(x) + "\" y=\"" + SvgNumber(y) + "\" " +
          attributes + ">" + SvgEscape(words) + "</text>\n";
}

void SvgText::Line(double x1, double y1, double x2, double y2,
                   const std::string& attributes) {
  out_ += "<line x1=\"" + SvgNumber(x1) + "\" y1=\"" + SvgNumber(y1) +
          "\" x2=\"" + SvgNumber(x2) + "\" y2=\"" + SvgNumber(y2) + "\" " +
          attributes + "/>\n";
}

std::string SvgText::StrokeClass(size_t series) {
  return "s" + std::to_string(series % kColours);
}

std::string SvgText::FillClass(size_t series) {
  return "f" + std::to_string(series % kColours);
}

double AxisEnd(double largest) {
  if (!(largest > 0)) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(largest)));
  for (const double step : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    if (largest <= step * power * (1 + 1e-9)) return step * power;
  }
  return 10 * power;
}

}  // namespace ashlar::sim
