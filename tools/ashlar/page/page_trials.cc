// The section that compares codecs: a chart of points, and a table of all runs.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "ashlar/util/compression.h"
#include "tools/ashlar/page/html_text.h"
#include "tools/ashlar/page/page_render.h"

namespace ashlar::tool {
namespace {

struct Trial {
  std::string name;
  double share;  // of the raw size
  // MB per second: one byte per microsecond is 1 MB per second.
  double write_speed;
  double read_speed;
  bool is_shown;  // in the chart
};

double StoredShare(const JsonValue& blocks) {
  const uint64_t raw = blocks["raw_bytes"].number();
  return raw == 0 ? 1 : Share(blocks["stored_bytes"].number(), raw);
}

double Speed(const JsonValue& run, const char* micros) {
  return run["raw_bytes"].decimal() / std::max(run[micros].decimal(), 1.0);
}

// Uncompressed blocks are not in the chart, since they would leave no room for
// the others.
Trial TrialOf(const JsonValue& run) {
  const std::string& codec = run["codec"].text();
  std::string name = HtmlText(codec);
  const auto level = static_cast<int64_t>(run["level"].number());
  if (level != CompressionOptions::kDefaultLevel) {
    name += " " + std::to_string(level);
  }
  if (run["dict_bytes"].number() != 0) name += " + dictionary";
  return {name, StoredShare(run), Speed(run, "write_cpu_us"),
          Speed(run, "read_cpu_us"),
          codec != CompressionTypeName(CompressionType::kNoCompression)};
}

// Returns whether no other run is both smaller and faster.
bool IsWorthwhile(const Trial& run, const std::vector<Trial>& runs) {
  return std::none_of(runs.begin(), runs.end(), [&](const Trial& other) {
    return other.share < run.share && other.write_speed > run.write_speed;
  });
}

// The range of the chart, in which points lie from 0 to 1.
struct Field {
  double slowest = 1e300;
  double fastest = 0;
  double smallest;
  double largest;

  Field(const std::vector<Trial>& runs, double now)
      : smallest(now), largest(now) {
    for (const Trial& run : runs) {
      if (!run.is_shown) continue;
      slowest = std::min(slowest, run.write_speed);
      fastest = std::max(fastest, run.write_speed);
      smallest = std::min(smallest, run.share);
      largest = std::max(largest, run.share);
    }
  }
  double X(double speed) const {
    if (fastest <= slowest) return 0.5;
    return std::log(speed / slowest) / std::log(fastest / slowest);
  }
  double Y(double share) const {
    if (largest <= smallest) return 0.5;
    return (share - smallest) / (largest - smallest);
  }
};

struct Point {
  const Trial* run;
  double x;
  double y;
  bool named;
  double name_y;  // y of its name
};

// Places the names from top to bottom. Each is moved below those that it would
// cover.
void PlaceNames(std::vector<Point>* points) {
  constexpr double kNameHeight = 0.055;
  constexpr double kNameWidth = 0.3;
  std::sort(points->begin(), points->end(),
            [](const Point& a, const Point& b) { return a.y > b.y; });
  for (size_t i = 0; i < points->size(); ++i) {
    Point& point = (*points)[i];
    point.name_y = point.y;
    if (!point.named) continue;
    for (size_t j = 0; j < i; ++j) {
      const Point& other = (*points)[j];
      if (other.named && std::abs(other.x - point.x) < kNameWidth) {
        point.name_y = std::min(point.name_y, other.name_y - kNameHeight);
      }
    }
  }
}

std::vector<Point> PointsOf(const std::vector<Trial>& runs,
                            const Field& field) {
  std::vector<Point> points;
  for (const Trial& run : runs) {
    if (!run.is_shown) continue;
    points.push_back({&run, field.X(run.write_speed), field.Y(run.share),
                      IsWorthwhile(run, runs), 0});
  }
  PlaceNames(&points);
  return points;
}

std::string PointItem(const Point& point) {
  const std::string& name = point.run->name;
  constexpr double kNameToTheLeft = 0.6;
  std::string html = "<li class=\"" +
                     std::string(point.named ? "best" : "other") +
                     (point.x > kNameToTheLeft ? " left" : "") +
                     "\" style=\"left:" + Coordinate(100 * point.x) +
                     "%;bottom:" + Coordinate(100 * point.y) + "%\" title=\"" +
                     name + ": " + Percent(point.run->share, 1) + ", " +
                     Fixed(point.run->write_speed, 0) + " MB/s\"></li>\n";
  if (!point.named) return html;
  return html + "<li class=\"name" + (point.x > kNameToTheLeft ? " left" : "") +
         "\" style=\"left:" + Coordinate(100 * point.x) +
         "%;bottom:" + Coordinate(100 * point.name_y) + "%\"><span>" + name +
         "</span></li>\n";
}

std::string Points(const std::vector<Trial>& runs, double now) {
  const Field field(runs, now);
  if (field.fastest <= 0) return {};
  std::string html =
      "<figure class=\"field\"><figcaption>size (up: larger) against speed of "
      "writing (right: faster); labels show those that no other beats in "
      "both</figcaption>\n<ul class=\"points\">\n";
  html += "<li class=\"now\" style=\"bottom:" + Coordinate(100 * field.Y(now)) +
          "%\" title=\"as stored: " + Percent(now, 1) + "\"><span>as stored, " +
          Percent(now, 1) + "</span></li>\n";
  for (const Point& point : PointsOf(runs, field)) html += PointItem(point);
  return html + "</ul>\n<div class=\"ends\"><span>" + Fixed(field.slowest, 0) +
         " MB/s, " + Percent(field.smallest, 1) +
         " of raw size at the bottom</span><span>" + Fixed(field.fastest, 0) +
         " MB/s, " + Percent(field.largest, 1) +
         " at the top</span></div></figure>\n";
}

std::string SizeCells(double share) {
  return "<td class=\"n\">" + Percent(share, 1) + "</td>" + BarCell(share) +
         "<td class=\"n\">" + (share > 0 ? Fixed(1 / share, 2) : "-") + "</td>";
}

std::string Table(const std::vector<Trial>& runs, double now) {
  std::string html =
      "<table><thead><tr><th scope=\"col\">codec and level</th><th "
      "scope=\"col\">of raw size</th><th></th><th scope=\"col\">ratio</th><th "
      "scope=\"col\">write MB/s</th><th scope=\"col\">read MB/s</th></tr>"
      "</thead><tbody>\n<tr class=\"now\"><th scope=\"row\">as stored</th>" +
      SizeCells(now) + "<td class=\"n\">-</td><td class=\"n\">-</td></tr>\n";
  for (const Trial& run : runs) {
    html += "<tr" +
            std::string(IsWorthwhile(run, runs) ? " class=\"best\"" : "") +
            "><th scope=\"row\">" + run.name + "</th>" + SizeCells(run.share) +
            "<td class=\"n\">" + Fixed(run.write_speed, 0) +
            "</td><td class=\"n\">" + Fixed(run.read_speed, 0) + "</td></tr>\n";
  }
  return html + "</tbody></table>\n";
}

}  // namespace

std::string RenderTrials(const JsonValue& file) {
  const JsonValue& trials = file["trials"];
  if (trials.is_null()) return {};
  constexpr size_t kMostMessageBytes = 300;
  std::string html =
      "<p>" + Count(trials["blocks"].number()) + " data blocks (" +
      Bytes(trials["raw_bytes"].number()) +
      "), with their present boundaries, written and read again in memory. "
      "Times include everything that a table needs in addition to the codec. "
      "Speeds are of one core, in MB of raw data per second of processor time. "
      "The size leaves out the dictionary (at most 16 KiB), since a file has "
      "only one. The time includes making the dictionary, which takes a "
      "smaller share in a whole file.</p>\n";
  std::vector<Trial> runs;
  for (const JsonValue& run : trials["runs"].items()) {
    runs.push_back(TrialOf(run));
  }
  const double now = StoredShare(trials);
  if (!runs.empty()) html += Points(runs, now) + Table(runs, now);
  if (!trials["error"].is_null()) {
    html += "<p>Not all could be tried: " +
            ShortText(trials["error"].text(), kMostMessageBytes) + "</p>\n";
  }
  return html;
}

}  // namespace ashlar::tool
