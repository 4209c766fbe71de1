// The section that compares codecs: a chart of points, and a table of all runs.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "ashlar/util/compression.h"
#include "tools/ashlar/page/html_text.h"
#include "tools/ashlar/page/page_render.h"
#include "tools/ashlar/page/trade_offs.h"

namespace ashlar::tool {
namespace {

struct Trial {
  std::string name;
  std::string short_name;
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
  std::string short_name = name;
  if (run["dict_bytes"].number() != 0) {
    short_name += "+";
    name += " + dictionary";
  }
  return {name,
          short_name,
          StoredShare(run),
          Speed(run, "write_cpu_us"),
          Speed(run, "read_cpu_us"),
          codec != CompressionTypeName(CompressionType::kNoCompression)};
}

// Returns whether no other run is both smaller and faster.
bool IsWorthwhile(const Trial& run, const std::vector<Trial>& runs) {
  return std::none_of(runs.begin(), runs.end(), [&](const Trial& other) {
    return other.share < run.share && other.write_speed > run.write_speed;
  });
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
  std::vector<TradeOff> shown;
  for (const Trial& run : runs) {
    if (!run.is_shown) continue;
    shown.push_back({run.name, run.short_name, run.share, run.write_speed,
                     IsWorthwhile(run, runs)});
  }
  if (!shown.empty()) html += RenderTradeOffs(shown, now);
  if (!runs.empty()) html += Table(runs, now);
  if (!trials["error"].is_null()) {
    html += "<p>Not all could be tried: " +
            ShortText(trials["error"].text(), kMostMessageBytes) + "</p>\n";
  }
  return html;
}

}  // namespace ashlar::tool
