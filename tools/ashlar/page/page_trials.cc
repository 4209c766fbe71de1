// The section that compares codecs: a chart of points, and a table of all runs.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "tools/ashlar/page/html_text.h"
#include "tools/ashlar/page/page_render.h"

namespace ashlar::tool {
namespace {

double StoredShareOf(uint64_t stored, uint64_t raw) {
  return raw == 0 ? 1 : static_cast<double>(stored) / static_cast<double>(raw);
}
double StoredShare(const CodecTrial& run) {
  return StoredShareOf(run.stored_bytes, run.raw_bytes);
}

// Returns MB per second: one byte per microsecond is 1 MB per second.
double Speed(uint64_t bytes, uint64_t micros) {
  return static_cast<double>(bytes) /
         static_cast<double>(std::max<uint64_t>(micros, 1));
}
double WriteSpeed(const CodecTrial& run) {
  return Speed(run.raw_bytes, run.write_micros);
}
double ReadSpeed(const CodecTrial& run) {
  return Speed(run.raw_bytes, run.read_micros);
}

std::string Name(const CodecTrial& run) {
  std::string name(CompressionTypeName(run.codec));
  if (run.level != CompressionOptions::kDefaultLevel) {
    name += " " + std::to_string(run.level);
  }
  if (run.dictionary_bytes != 0) name += " + dictionary";
  return name;
}

// Returns whether no other run is both smaller and faster.
bool IsWorthwhile(const CodecTrial& run, const std::vector<CodecTrial>& runs) {
  return std::none_of(runs.begin(), runs.end(), [&](const CodecTrial& other) {
    return StoredShare(other) < StoredShare(run) &&
           WriteSpeed(other) > WriteSpeed(run);
  });
}

// The range of the chart, in which points lie from 0 to 1. Uncompressed blocks
// do not count, since they would leave no room for the others.
struct Field {
  double slowest = 1e300;
  double fastest = 0;
  double smallest = 1e300;
  double largest = 0;

  explicit Field(const CodecTrials& trials) {
    for (const CodecTrial& run : trials.runs) {
      if (!IsShown(run)) continue;
      slowest = std::min(slowest, WriteSpeed(run));
      fastest = std::max(fastest, WriteSpeed(run));
      AddShare(StoredShare(run));
    }
    AddShare(StoredShareOf(trials.stored_bytes, trials.raw_bytes));
  }
  static bool IsShown(const CodecTrial& run) {
    return run.codec != CompressionType::kNoCompression;
  }
  void AddShare(double share) {
    smallest = std::min(smallest, share);
    largest = std::max(largest, share);
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
  const CodecTrial* run;
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

std::vector<Point> PointsOf(const CodecTrials& trials, const Field& field) {
  std::vector<Point> points;
  for (const CodecTrial& run : trials.runs) {
    if (!Field::IsShown(run)) continue;
    points.push_back({&run, field.X(WriteSpeed(run)), field.Y(StoredShare(run)),
                      IsWorthwhile(run, trials.runs), 0});
  }
  PlaceNames(&points);
  return points;
}

std::string PointItem(const Point& point) {
  const std::string name = Name(*point.run);
  constexpr double kNameToTheLeft = 0.6;
  std::string html = "<li class=\"" +
                     std::string(point.named ? "best" : "other") +
                     (point.x > kNameToTheLeft ? " left" : "") +
                     "\" style=\"left:" + Coordinate(100 * point.x) +
                     "%;bottom:" + Coordinate(100 * point.y) + "%\" title=\"" +
                     name + ": " + Percent(StoredShare(*point.run), 1) + ", " +
                     Fixed(WriteSpeed(*point.run), 0) + " MB/s\"></li>\n";
  if (!point.named) return html;
  return html + "<li class=\"name" + (point.x > kNameToTheLeft ? " left" : "") +
         "\" style=\"left:" + Coordinate(100 * point.x) +
         "%;bottom:" + Coordinate(100 * point.name_y) + "%\"><span>" + name +
         "</span></li>\n";
}

std::string Points(const CodecTrials& trials) {
  const Field field(trials);
  if (field.fastest <= 0) return {};
  std::string html =
      "<figure class=\"field\"><figcaption>size (up: larger) against speed of "
      "writing (right: faster); labels show those that no other beats in "
      "both</figcaption>\n<ul class=\"points\">\n";
  const double now = StoredShareOf(trials.stored_bytes, trials.raw_bytes);
  html += "<li class=\"now\" style=\"bottom:" + Coordinate(100 * field.Y(now)) +
          "%\" title=\"as stored: " + Percent(now, 1) + "\"><span>as stored, " +
          Percent(now, 1) + "</span></li>\n";
  for (const Point& point : PointsOf(trials, field)) html += PointItem(point);
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

std::string Table(const CodecTrials& trials) {
  std::string html =
      "<table><thead><tr><th scope=\"col\">codec and level</th><th "
      "scope=\"col\">of raw size</th><th></th><th scope=\"col\">ratio</th><th "
      "scope=\"col\">write MB/s</th><th scope=\"col\">read MB/s</th></tr>"
      "</thead><tbody>\n<tr class=\"now\"><th scope=\"row\">as stored</th>" +
      SizeCells(StoredShareOf(trials.stored_bytes, trials.raw_bytes)) +
      "<td class=\"n\">-</td><td class=\"n\">-</td></tr>\n";
  for (const CodecTrial& run : trials.runs) {
    html +=
        "<tr" +
        std::string(IsWorthwhile(run, trials.runs) ? " class=\"best\"" : "") +
        "><th scope=\"row\">" + Name(run) + "</th>" +
        SizeCells(StoredShare(run)) + "<td class=\"n\">" +
        Fixed(WriteSpeed(run), 0) + "</td><td class=\"n\">" +
        Fixed(ReadSpeed(run), 0) + "</td></tr>\n";
  }
  return html + "</tbody></table>\n";
}

}  // namespace

std::string RenderTrials(const CodecTrials& trials) {
  if (trials.blocks == 0) return {};
  constexpr size_t kMostMessageBytes = 300;
  std::string html =
      "<p>" + Count(trials.blocks) + " data blocks (" +
      Bytes(trials.raw_bytes) +
      "), with their present boundaries, written and read again in memory. "
      "Times include everything that a table needs in addition to the codec. "
      "Speeds are of one core, in MB of raw data per second of processor time. "
      "The size leaves out the dictionary (at most 16 KiB), since a file has "
      "only one. The time includes making the dictionary, which takes a "
      "smaller share in a whole file.</p>\n";
  if (!trials.runs.empty()) html += Points(trials) + Table(trials);
  if (!trials.status.ok()) {
    html += "<p>Not all could be tried: " +
            ShortText(trials.status.ToString(), kMostMessageBytes) + "</p>\n";
  }
  return html;
}

}  // namespace ashlar::tool
