#include "tools/replay/reuse_chart.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <utility>

#include "tools/replay/svg_text.h"

namespace ashlar::sim {

namespace {

constexpr double kWidth = 800;
constexpr double kLeft = 64;
constexpr double kRight = 34;
constexpr double kHead = 40;  // the title of the whole
constexpr double kTraceHead = 46;
constexpr double kLegendRow = 20;
constexpr double kDistancesHeight = 150;
constexpr double kMissesHeight = 190;
constexpr double kAxisHeight = 46;  // ticks and their label
constexpr double kGap = 14;
constexpr double kCharacter = 6.6;  // the width of a letter of 12 px
constexpr int kParts = 4;           // of a y axis
// Colors of caches, after those of the common kinds of blocks.
constexpr size_t kFirstCache = 3;
constexpr size_t kCurve = SvgText::kColours - 1;

double Ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

std::string PercentText(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", share * 100);
  return text;
}

// Returns 2^power bytes, as people write them.
std::string PowerText(int power) {
  constexpr const char* kUnits[] = {"B",   "KiB", "MiB", "GiB",
                                    "TiB", "PiB", "EiB"};
  const int unit = std::min(power / 10, 6);
  return std::to_string(uint64_t{1} << (power - 10 * unit)) + " " +
         kUnits[unit];
}

// The x axis: bytes, on a logarithmic scale from 2^first to 2^last.
struct ByteAxis {
  int first = 0;
  int last = 1;

  [[nodiscard]] double PerPower() const {
    return (kWidth - kLeft - kRight) / (last - first);
  }
  [[nodiscard]] double X(uint64_t bytes) const {
    const double power =
        std::log2(static_cast<double>(std::max<uint64_t>(1, bytes)));
    return kLeft +
           PerPower() * (std::clamp<double>(power, first, last) - first);
  }
};

ByteAxis AxisOf(const TraceReplay& replay) {
  uint64_t least = UINT64_MAX;
  uint64_t most = 1;
  for (const CacheMisses& result : replay.results) {
    least = std::min(least, result.size);
    most = std::max(most, result.size);
  }
  const ReuseHistogram& reuse = replay.reuse;
  if (reuse.end_bin() != 0) {
    const size_t bin = reuse.begin_bin();
    least = std::min(least, bin == 0 ? 1 : ReuseHistogram::LimitOf(bin - 1));
    most = std::max(most, ReuseHistogram::LimitOf(reuse.end_bin() - 1));
  }
  least = std::min(least, most);
  ByteAxis axis = {.first = static_cast<int>(std::bit_width(least)) - 1,
                   .last = static_cast<int>(std::bit_width(most - 1))};
  axis.last = std::max(axis.last, axis.first + 1);
  return axis;
}

// One of the two charts.
struct Panel {
  double top;
  double height;
  double y_end;  // a share

  [[nodiscard]] double Y(double share) const {
    return top + height * (1 - share / y_end);
  }
};

void DrawYAxis(const Panel& panel, const std::string& label, SvgText* svg) {
  for (int i = 0; i <= kParts; ++i) {
    const double share = panel.y_end * i / kParts;
    const double y = panel.Y(share);
    svg->Line(kLeft, y, kWidth - kRight, y, "class=\"grid\"");
    svg->Words(kLeft - 6, y + 4, PercentText(share),
               "text-anchor=\"end\" class=\"small\"");
  }
  const double middle = panel.top + panel.height / 2;
  svg->Words(14, middle, label,
             "text-anchor=\"middle\" transform=\"rotate(-90 14 " +
                 SvgNumber(middle) + ")\"");
}

void DrawXAxis(const ByteAxis& axis, const Panel& panel,
               const std::string& label, SvgText* svg) {
  constexpr double kLabelWidth = 58;
  const double bottom = panel.Y(0);
  svg->Line(kLeft, bottom, kWidth - kRight, bottom, "class=\"axis\"");
  int step = 1;
  for (const int longer : {2, 5, 10, 20, 40}) {
    if (axis.PerPower() * step < kLabelWidth) step = longer;
  }
  for (int power = axis.first; power <= axis.last; ++power) {
    const double x = axis.X(uint64_t{1} << std::min(power, 63));
    const bool has_label = power % step == 0;
    svg->Line(x, bottom, x, bottom + (has_label ? 6 : 3), "class=\"axis\"");
    if (!has_label) continue;
    svg->Words(x, bottom + 18, PowerText(power),
               "text-anchor=\"middle\" class=\"small\"");
  }
  svg->Words((kLeft + kWidth - kRight) / 2, bottom + 36, label,
             "text-anchor=\"middle\"");
}

// Names what the colors mean, in one row or several.
class Legend {
 public:
  Legend(double top, SvgText* svg) : y_(top + 12), svg_(svg) {}

  void Add(size_t series, bool is_line, const std::string& words) {
    const double width = 34 + kCharacter * static_cast<double>(words.size());
    if (x_ + width > kWidth - kRight && x_ > kLeft) {
      x_ = kLeft;
      y_ += kLegendRow;
    }
    if (is_line) {
      svg_->Line(x_, y_ - 4, x_ + 16, y_ - 4,
                 "stroke-width=\"2.4\" class=\"" +
                     SvgText::StrokeClass(series) + "\"");
    } else {
      svg_->Raw("<rect x=\"" + SvgNumber(x_ + 2) + "\" y=\"" +
                SvgNumber(y_ - 10) + "\" width=\"12\" height=\"12\" class=\"" +
                SvgText::FillClass(series) + "\"/>\n");
    }
    svg_->Words(x_ + 22, y_, words);
    x_ += width;
  }

 private:
  double x_ = kLeft;
  double y_;
  SvgText* const svg_;
};

void DrawDistances(const ByteAxis& axis, const TraceReplay& replay, double top,
                   SvgText* svg) {
  const ReuseHistogram& reuse = replay.reuse;
  uint64_t largest = 0;
  for (size_t bin = 0; bin < ReuseHistogram::kBins; ++bin) {
    largest = std::max(largest, reuse.CountIn(bin));
  }
  const uint64_t all = replay.accesses.all;
  const Panel panel = {top + kLegendRow, kDistancesHeight,
                       AxisEnd(Ratio(largest, all))};
  DrawYAxis(panel, "accesses", svg);
  Legend legend(top, svg);
  for (size_t kind = 0; kind < kBlockAccessKinds; ++kind) {
    if (replay.accesses.by_kind[kind] == 0) continue;
    legend.Add(kind, false,
               std::string(WordFor(static_cast<BlockAccessKind>(kind))));
  }
  for (size_t bin = reuse.begin_bin(); bin < reuse.end_bin(); ++bin) {
    const uint64_t limit = ReuseHistogram::LimitOf(bin);
    const double left = axis.X(bin == 0 ? 1 : ReuseHistogram::LimitOf(bin - 1));
    const double width = std::max(1.0, axis.X(limit) - left - 1);
    uint64_t below = 0;
    for (size_t kind = 0; kind < kBlockAccessKinds; ++kind) {
      const uint64_t count = reuse.CountOf(bin, kind);
      if (count == 0) continue;
      const double from = panel.Y(Ratio(below, all));
      below += count;
      const double to = panel.Y(Ratio(below, all));
      svg->Raw("<rect x=\"" + SvgNumber(left) + "\" y=\"" + SvgNumber(to) +
               "\" width=\"" + SvgNumber(width) + "\" height=\"" +
               SvgNumber(from - to) + "\" class=\"" + SvgText::FillClass(kind) +
               "\"><title>up to " + std::to_string(limit) + " bytes: " +
               PercentText(Ratio(count, all)) + "</title></rect>\n");
    }
  }
  DrawXAxis(axis, panel, "bytes of blocks used since the block's last use",
            svg);
}

// Draws what an LRU cache of each size misses, by the distances alone.
void DrawCurve(const ByteAxis& axis, const TraceReplay& replay,
               const Panel& panel, SvgText* svg) {
  const ReuseHistogram& reuse = replay.reuse;
  const uint64_t all = replay.accesses.all;
  uint64_t missed = all;
  std::string points = SvgNumber(kLeft) + "," + SvgNumber(panel.Y(1));
  for (size_t bin = reuse.begin_bin(); bin < reuse.end_bin(); ++bin) {
    const std::string x = SvgNumber(axis.X(ReuseHistogram::LimitOf(bin)));
    points += " " + x + "," + SvgNumber(panel.Y(Ratio(missed, all)));
    missed -= reuse.CountIn(bin);
    points += " " + x + "," + SvgNumber(panel.Y(Ratio(missed, all)));
  }
  points += " " + SvgNumber(kWidth - kRight) + "," +
            SvgNumber(panel.Y(Ratio(missed, all)));
  svg->Raw("<polyline style=\"fill:none\" stroke-width=\"1.6\" class=\"" +
           SvgText::StrokeClass(kCurve) + "\" points=\"" + points + "\"/>\n");
}

void DrawMisses(const ByteAxis& axis, const TraceReplay& replay, double top,
                SvgText* svg) {
  const Panel panel = {top + kLegendRow, kMissesHeight, 1};
  const uint64_t all = replay.accesses.all;
  DrawYAxis(panel, "misses", svg);
  DrawCurve(axis, replay, panel, svg);
  Legend legend(top, svg);
  legend.Add(kCurve, true, "LRU of each size, by distances");
  const SimulatedCacheKind* cache = nullptr;
  size_t series = 0;
  for (const CacheMisses& result : replay.results) {
    if (result.cache != cache) {
      if (cache != nullptr) ++series;
      cache = result.cache;
      legend.Add(kFirstCache + series, false, std::string(cache->name));
    }
    const double share = Ratio(result.misses.all, all);
    // Caches that miss the same would hide each other, if they had one size.
    svg->Raw("<circle cx=\"" + SvgNumber(axis.X(result.size)) + "\" cy=\"" +
             SvgNumber(panel.Y(share)) + "\" r=\"" +
             SvgNumber(std::max(2.5, 7 - 1.5 * static_cast<double>(series))) +
             "\" class=\"" + SvgText::FillClass(kFirstCache + series) +
             "\"><title>" + std::string(cache->name) + ", " +
             std::to_string(result.size) + " bytes: " + PercentText(share) +
             "</title></circle>\n");
  }
  DrawXAxis(axis, panel, "size of the cache", svg);
}

std::string Shortened(const std::string& name) {
  constexpr size_t kMost = 80;
  if (name.size() <= kMost) return name;
  return "..." + name.substr(name.size() - kMost);
}

void DrawTrace(const NamedReplay& named, double top, SvgText* svg) {
  const TraceReplay& replay = named.replay;
  const ByteAxis axis = AxisOf(replay);
  svg->Words(kLeft, top + 14, Shortened(named.name), "class=\"panel\"");
  const uint64_t all = replay.accesses.all;
  svg->Words(kLeft, top + 32,
             std::to_string(all) + " accesses; " +
                 PercentText(Ratio(replay.reuse.first_uses(), all)) +
                 " are the first use of a block, which every cache misses",
             "class=\"small\"");
  top += kTraceHead;
  DrawDistances(axis, replay, top, svg);
  top += kLegendRow + kDistancesHeight + kAxisHeight + kGap;
  DrawMisses(axis, replay, top, svg);
}

}  // namespace

std::string DrawReuse(const std::vector<NamedReplay>& replays) {
  constexpr double kTraceHeight = kTraceHead + 2 * kLegendRow +
                                  kDistancesHeight + kMissesHeight +
                                  2 * kAxisHeight + 2 * kGap;
  const std::string title = "Reuse of blocks, and what caches miss";
  SvgText svg(kWidth,
              kHead + kTraceHeight * static_cast<double>(replays.size()),
              title);
  svg.Words(16, 24, title, "class=\"title\"");
  double top = kHead;
  for (const NamedReplay& named : replays) {
    DrawTrace(named, top, &svg);
    top += kTraceHeight;
  }
  return svg.text();
}

}  // namespace ashlar::sim
