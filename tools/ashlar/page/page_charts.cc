// The sections with columns: the key space and the distributions of sizes.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "tools/ashlar/page/html_text.h"
#include "tools/ashlar/page/page_render.h"

namespace ashlar::tool {
namespace {

constexpr size_t kMostKeyBytes = 60;

std::string Column(const std::string& style, double share,
                   const std::string& title) {
  return "<i" + (style.empty() ? "" : " class=\"" + style + "\"") +
         " title=\"" + title +
         "\"><b style=\"height:" + Coordinate(100 * share) + "%\"></b></i>";
}

// Returns the height of a column. A number above 0 is always visible.
double Height(double number, double highest) {
  constexpr double kLeast = 0.02;
  if (number <= 0 || highest <= 0) return 0;
  return std::max(number / highest, kLeast);
}

struct Bin {
  uint64_t low;
  uint64_t high;  // included
  uint64_t count;
};

// Returns the ends of the bins, from the smallest size to the largest. A bin
// has one size, if there are few. Otherwise all bins are equally wide, or, if
// the sizes differ much, each is wider than the last by the same factor.
std::vector<uint64_t> BinEnds(uint64_t min, uint64_t max) {
  constexpr uint64_t kBins = 24;
  constexpr uint64_t kMuch = 8;
  std::vector<uint64_t> ends;
  if (max - min < kBins) {
    for (uint64_t size = min; size < max; ++size) ends.push_back(size);
  } else {
    const double low = static_cast<double>(std::max<uint64_t>(min, 1));
    const double high = static_cast<double>(max);
    const bool steps = high / low < static_cast<double>(kMuch);
    for (uint64_t i = 1; i < kBins; ++i) {
      const double share = static_cast<double>(i) / kBins;
      const double end = steps ? low + share * (high - low)
                               : low * std::pow(high / low, share);
      const auto whole = static_cast<uint64_t>(end);
      if (ends.empty() || whole > ends.back()) ends.push_back(whole);
    }
  }
  ends.push_back(max);
  return ends;
}

std::vector<Bin> BinsOf(const SizeDistribution& sizes) {
  std::vector<Bin> bins;
  uint64_t low = sizes.min();
  for (const uint64_t end : BinEnds(sizes.min(), sizes.max())) {
    bins.push_back({low, std::max(low, end), 0});
    low = bins.back().high + 1;
  }
  size_t bin = 0;
  for (const auto& [size, count] : sizes.counts()) {
    while (bin + 1 < bins.size() && size > bins[bin].high) ++bin;
    bins[bin].count += count;
  }
  return bins;
}

struct Measure {
  std::string_view title;
  const SizeDistribution* sizes;
  double unit;
};

std::string LabelOf(uint64_t number, double unit) {
  return unit == 1 ? Count(number)
                   : Fixed(static_cast<double>(number) * unit, 2);
}

std::string Distribution(const Measure& measure) {
  const SizeDistribution& sizes = *measure.sizes;
  if (sizes.count() == 0) return {};
  const std::vector<Bin> bins = BinsOf(sizes);
  uint64_t highest = 0;
  for (const Bin& bin : bins) highest = std::max(highest, bin.count);
  const std::string title(measure.title);
  const auto value = [&](uint64_t number) {
    return LabelOf(number, measure.unit);
  };
  std::string html =
      "<figure><figcaption>" + title +
      "</figcaption>\n<div class=\"hist\" role=\"img\" aria-label=\"" + title +
      " from " + value(sizes.min()) + " to " + value(sizes.max()) + "\">";
  for (const Bin& bin : bins) {
    const std::string range = bin.low == bin.high
                                  ? value(bin.low)
                                  : value(bin.low) + " to " + value(bin.high);
    html += Column(
        "",
        Height(static_cast<double>(bin.count), static_cast<double>(highest)),
        range + ": " + Count(bin.count));
  }
  html += "</div>\n<div class=\"ends\"><span>" + value(sizes.min()) +
          "</span><span>" + value(sizes.max()) + "</span></div>\n";
  html += "<table class=\"percentiles\"><thead><tr><th scope=\"col\">min</th>";
  constexpr unsigned kPercents[] = {50, 90, 99};
  std::string cells = "<td>" + value(sizes.min()) + "</td>";
  for (const unsigned percent : kPercents) {
    html += "<th scope=\"col\">" + std::to_string(percent) + " %</th>";
    cells += "<td>" + value(sizes.Percentile(percent)) + "</td>";
  }
  return html + "<th scope=\"col\">max</th></tr></thead><tbody><tr>" + cells +
         "<td>" + value(sizes.max()) + "</td></tr></tbody></table></figure>\n";
}

std::string PartTitle(const KeySpace::Part& part, size_t number) {
  std::string title = "part " + std::to_string(number + 1) + " of " +
                      std::to_string(KeySpace::kParts) + ": ";
  title +=
      part.bytes <= 0 ? "no data" : Bytes(static_cast<uint64_t>(part.bytes));
  if (part.bad) title += ", damaged";
  if (part.deleted) title += ", a range deletion";
  if (!part.first_key.empty()) {
    title += ", from " + ShortText(part.first_key, kMostKeyBytes);
  }
  return title;
}

}  // namespace

std::string RenderKeySpace(const KeySpace& space) {
  if (space.parts.empty()) return {};
  double highest = 0;
  bool bad = false;
  bool deleted = false;
  for (const KeySpace::Part& part : space.parts) {
    highest = std::max(highest, part.bytes);
    bad = bad || part.bad;
    deleted = deleted || part.deleted;
  }
  const auto share = [](size_t parts) {
    return Percent(
        static_cast<double>(parts) / static_cast<double>(KeySpace::kParts), 0);
  };
  std::string html =
      "<p>Bytes of data blocks in " + std::to_string(KeySpace::kParts) +
      " equal parts of the space between the first key and the last: " +
      share(space.used_parts) +
      " of it hold data, and half of the data lie in " +
      share(space.half_parts) +
      ". A key's place follows from the eight bytes after the prefix that all "
      "keys share.</p>\n<div class=\"hist keys\" role=\"img\" "
      "aria-label=\"Bytes over the key space\">";
  for (size_t i = 0; i < space.parts.size(); ++i) {
    const KeySpace::Part& part = space.parts[i];
    std::string style = part.bad ? "bad" : "";
    if (part.deleted) style += style.empty() ? "deleted" : " deleted";
    // A lost block may have a size of 0.
    const double height = Height(part.bytes, highest);
    html += Column(style, height, PartTitle(part, i));
  }
  html += "</div>\n<div class=\"ends\"><code>" +
          ShortText(space.first_key, kMostKeyBytes) + "</code><code>" +
          ShortText(space.last_key, kMostKeyBytes) + "</code></div>\n";
  if (bad || deleted) {
    html += "<ul class=\"legend\">";
    if (bad) html += "<li><i class=\"c bad\"></i>damaged blocks</li>";
    if (deleted) html += "<li><i class=\"c del\"></i>range deletions</li>";
    html += "</ul>\n";
  }
  return html;
}

std::string RenderDistributions(const TableStats& stats) {
  constexpr double kHundredth = 0.01;
  const Measure measures[] = {
      {"Key size, bytes", &stats.key_sizes, 1},
      {"Value size, bytes", &stats.value_sizes, 1},
      {"Entries per data block", &stats.entries_a_block, 1},
      {"Data block before compression, bytes", &stats.raw_sizes, 1},
      {"Data block as stored, bytes", &stats.stored_sizes, 1},
      {"Data block, compression ratio", &stats.ratios, kHundredth},
  };
  std::string figures;
  for (const Measure& measure : measures) figures += Distribution(measure);
  if (figures.empty()) return {};
  return "<div class=\"figures\">\n" + figures + "</div>\n";
}

}  // namespace ashlar::tool
