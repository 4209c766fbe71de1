#include "tools/ashlar/page/trade_offs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "tools/ashlar/page/html_text.h"

namespace ashlar::tool {
namespace {

// The range of the chart, in which points lie from 0 to 1.
struct Field {
  double slowest = 1e300;
  double fastest = 0;
  double smallest;
  double largest;

  Field(const std::vector<TradeOff>& trade_offs, double now)
      : smallest(now), largest(now) {
    for (const TradeOff& each : trade_offs) {
      slowest = std::min(slowest, each.write_speed);
      fastest = std::max(fastest, each.write_speed);
      smallest = std::min(smallest, each.share);
      largest = std::max(largest, each.share);
    }
    // Room between the outermost points and the edges.
    constexpr double kRoom = 0.08;
    const double factor =
        std::max(std::pow(fastest / slowest, kRoom), 1 + kRoom);
    slowest /= factor;
    fastest *= factor;
    const double room = std::max((largest - smallest) * kRoom, 0.005);
    smallest = std::max(smallest - room, 0.0);
    largest += room;
  }
  double X(double speed) const {
    return std::log(speed / slowest) / std::log(fastest / slowest);
  }
  // Smaller is higher.
  double Y(double share) const {
    return (largest - share) / (largest - smallest);
  }
};

// A part of the chart that a dot or a label takes.
struct Area {
  double left;
  double right;
  double bottom;
  double top;

  bool Meets(const Area& other) const {
    return left < other.right && other.left < right && bottom < other.top &&
           other.bottom < top;
  }
};

// The sizes of letters and dots, as parts of a chart on a narrow screen: what
// has room there has room everywhere.
constexpr double kLetterWidth = 0.024;
constexpr double kLineHeight = 0.07;
constexpr double kDotWidth = 0.018;
constexpr double kDotHeight = 0.024;

// Where a label is: beside its point, or above or below it.
struct Place {
  const char* style;
  double dx;  // of the middle of the label, in halves of its width
  double dy;  // in heights
};
constexpr Place kPlaces[] = {
    {"right", 1, 0},      {"left", -1, 0},         {"above", 0, 0.85},
    {"below", 0, -0.85},  {"right up", 1, 0.6},    {"right down", 1, -0.6},
    {"left up", -1, 0.6}, {"left down", -1, -0.6},
};

Area LabelArea(double x, double y, size_t letters, const Place& place) {
  const double half = kLetterWidth * static_cast<double>(letters) / 2;
  const double middle = x + place.dx * (half + kDotWidth);
  const double height = y + place.dy * kLineHeight;
  return {middle - half, middle + half, height - kLineHeight / 2,
          height + kLineHeight / 2};
}

bool IsFree(const Area& area, const std::vector<Area>& taken) {
  // Labels may reach a little over the edges, where nothing is.
  constexpr double kOver = 0.03;
  return area.left >= 0 && area.right <= 1 + kOver && area.bottom >= -kOver &&
         area.top <= 1 + kOver &&
         std::none_of(taken.begin(), taken.end(),
                      [&](const Area& other) { return area.Meets(other); });
}

std::string At(double x, double y) {
  return "left:" + Coordinate(100 * x) + "%;bottom:" + Coordinate(100 * y) +
         "%";
}

// Returns round numbers of a range, at least `apart` of it from each other.
std::vector<double> SpeedTicks(const Field& field, double apart) {
  std::vector<double> ticks;
  for (double decade = 1e-3; decade < 1e7; decade *= 10) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double speed = decade * digit;
      if (speed < field.slowest || speed > field.fastest) continue;
      if (!ticks.empty() && field.X(speed) - field.X(ticks.back()) < apart) {
        continue;
      }
      ticks.push_back(speed);
    }
  }
  return ticks;
}

std::vector<double> ShareTicks(const Field& field, double apart) {
  double step = 0.001;
  for (const double next : {0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5}) {
    if (step >= apart * (field.largest - field.smallest)) break;
    step = next;
  }
  std::vector<double> ticks;
  for (double i = std::ceil(field.smallest / step); i * step <= field.largest;
       ++i) {
    ticks.push_back(i * step);
  }
  return ticks;
}

std::string Axes(const Field& field) {
  constexpr double kApart = 0.12;
  std::string html;
  for (const double speed : SpeedTicks(field, kApart)) {
    html +=
        "<li class=\"speed\" style=\"left:" + Coordinate(100 * field.X(speed)) +
        "%\"><span>" + Coordinate(speed) + "</span></li>\n";
  }
  const std::vector<double> shares = ShareTicks(field, kApart);
  const bool whole =
      std::all_of(shares.begin(), shares.end(), [](double share) {
        return std::abs(share * 100 - std::round(share * 100)) < 1e-6;
      });
  for (const double share : shares) {
    html += "<li class=\"share\" style=\"bottom:" +
            Coordinate(100 * field.Y(share)) + "%\"><span>" +
            Percent(share, whole ? 0 : 1) + "</span></li>\n";
  }
  return html;
}

// Returns the line of the size as stored. Adds its label to `taken`.
std::string LineOfNow(const Field& field, double now,
                      const std::vector<Area>& dots, std::vector<Area>* taken) {
  const std::string text = "as stored, " + Percent(now, 1);
  const double width = kLetterWidth * static_cast<double>(text.size());
  const double y = field.Y(now);
  struct Side {
    const char* style;
    Area area;
  };
  const Side sides[] = {
      {"", {0, width, y, y + kLineHeight}},
      {" end", {1 - width, 1, y, y + kLineHeight}},
      {" below", {0, width, y - kLineHeight, y}},
      {" end below", {1 - width, 1, y - kLineHeight, y}},
  };
  const auto* side =
      std::find_if(std::begin(sides), std::end(sides),
                   [&](const Side& each) { return IsFree(each.area, dots); });
  if (side == std::end(sides)) side = std::begin(sides);
  taken->push_back(side->area);
  return "<li class=\"now" + std::string(side->style) +
         "\" style=\"bottom:" + Coordinate(100 * y) + "%\" title=\"" + text +
         "\"><span>" + text + "</span></li>\n";
}

}  // namespace

std::string RenderTradeOffs(const std::vector<TradeOff>& trade_offs,
                            double now) {
  const Field field(trade_offs, now);
  std::vector<Area> dots;
  std::string points;
  for (const TradeOff& each : trade_offs) {
    const double x = field.X(each.write_speed);
    const double y = field.Y(each.share);
    dots.push_back(
        {x - kDotWidth, x + kDotWidth, y - kDotHeight, y + kDotHeight});
    points += "<li class=\"" + std::string(each.is_best ? "best" : "other") +
              "\" style=\"" + At(x, y) + "\" title=\"" + each.name + ": " +
              Percent(each.share, 1) + ", " + Fixed(each.write_speed, 0) +
              " MB/s\"></li>\n";
  }
  std::vector<Area> taken = dots;
  const std::string line = LineOfNow(field, now, dots, &taken);
  std::string labels;
  for (const TradeOff& each : trade_offs) {
    if (!each.is_best) continue;
    const double x = field.X(each.write_speed);
    const double y = field.Y(each.share);
    // A label without a free place is left out: the table has all names.
    for (const Place& place : kPlaces) {
      const Area area = LabelArea(x, y, each.short_name.size(), place);
      if (!IsFree(area, taken)) continue;
      taken.push_back(area);
      labels += "<li class=\"name " + std::string(place.style) + "\" style=\"" +
                At(x, y) + "\"><span>" + each.short_name + "</span></li>\n";
      break;
    }
  }
  return "<figure class=\"field\"><figcaption>Size, of raw data (up: smaller), "
         "and speed of writing in MB/s (right: faster). Labelled: best "
         "trade-offs; +: with a dictionary.</figcaption>\n<ul "
         "class=\"points\">\n" +
         Axes(field) + line + points + labels + "</ul>\n</figure>\n";
}

}  // namespace ashlar::tool
