// The sections that are tables with bars: kinds of blocks, types of entries,
// filter, properties.
#include <algorithm>
#include <string>

#include "tools/ashlar/page/html_text.h"
#include "tools/ashlar/page/page_render.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/properties_text.h"

namespace ashlar::tool {
namespace {

std::string TableRow(std::string_view name, const std::string& middle,
                     double share) {
  return "<tr><th scope=\"row\">" + HtmlText(std::string(name)) + "</th>" +
         middle + "<td class=\"n\">" + Percent(share, 2) + "</td>" +
         BarCell(share) + "</tr>\n";
}

double PartOfWhole(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

std::string Cell(const std::string& text) {
  return "<td class=\"n\">" + text + "</td>";
}

std::string Say(const std::string& text) { return "<p>" + text + "</p>\n"; }

}  // namespace

std::string RenderBytesByKind(const TableReport& table) {
  if (table.stats.kinds.empty()) return {};
  std::string html =
      "<table><thead><tr><th scope=\"col\">kind</th><th scope=\"col\">blocks"
      "</th><th scope=\"col\">bytes</th><th scope=\"col\">of the file</th>"
      "<th></th></tr></thead><tbody>\n";
  for (const auto& [kind, total] : table.stats.kinds) {
    html += TableRow(BlockKindName(kind),
                     Cell(Count(total.blocks)) + Cell(Count(total.bytes)),
                     PartOfWhole(total.bytes, table.inspection.file_size));
  }
  return html + "</tbody></table>\n";
}

std::string RenderEntryTypes(const TableReport& table) {
  const auto& types = table.stats.types;
  if (types.empty()) return {};
  uint64_t total = 0;
  for (const auto& [type, count] : types) total += count;
  std::string html =
      table.whole() ? ""
                    : Say("In the " + Count(table.decoded_blocks) +
                          " data blocks that were decoded, and in all range "
                          "deletions.");
  html +=
      "<table><thead><tr><th scope=\"col\">type</th><th scope=\"col\">entries"
      "</th><th scope=\"col\">of them</th><th></th></tr></thead><tbody>\n";
  for (const auto& [type, count] : types) {
    html +=
        TableRow(TypeWord(type), Cell(Count(count)), PartOfWhole(count, total));
  }
  return html + "</tbody></table>\n";
}

std::string RenderFilter(const TableReport& table) {
  if (!table.filter) {
    const TableInspection& inspection = table.inspection;
    if (!inspection.properties) return {};
    if (inspection.properties->filter_size == 0) {
      return Say(
          "The table has no filter: every lookup of an absent key reads "
          "a data block.");
    }
    return Say(
        "The filter was not measured: it holds no whole keys, the table "
        "is damaged, or its order of keys is not known.");
  }
  const FilterRates& rates = *table.filter;
  std::string html =
      "<dl class=\"facts\">\n<div><dt>bits per key</dt><dd>" +
      Fixed(rates.bits_per_key, 2) +
      "</dd></div>\n<div><dt>absent keys that pass, computed for a Bloom "
      "filter</dt><dd>" +
      Percent(rates.bloom_rate, 3) +
      "</dd></div>\n<div><dt>absent keys that pass, measured</dt><dd>";
  if (rates.probes == 0) {
    html += "not measured";
  } else {
    html += Percent(PartOfWhole(rates.passed, rates.probes), 3) + " <small>(" +
            Count(rates.passed) + " of " + Count(rates.probes) + ")</small>";
  }
  return html + "</dd></div>\n</dl>\n";
}

std::string RenderProperties(const TableInspection& inspection) {
  if (!inspection.properties) return {};
  constexpr size_t kMostUserProperties = 100;
  constexpr size_t kMostNameBytes = 120;
  constexpr size_t kMostValueBytes = 200;
  const TableProperties& table = *inspection.properties;
  std::string html = "<table class=\"left\"><tbody>\n";
  const auto row = [&html](const std::string& name, const std::string& value) {
    html += "<tr><th scope=\"row\">" + ShortText(name, kMostNameBytes) +
            "</th><td>" + ShortText(value, kMostValueBytes) + "</td></tr>\n";
  };
  for (const auto& [label, text] : LabelledProperties(table)) row(label, text);
  size_t shown = 0;
  for (const auto& [name, value] : table.user_collected_properties) {
    if (shown++ == kMostUserProperties) break;
    row(name, value);
  }
  html += "</tbody></table>\n";
  if (table.user_collected_properties.size() > kMostUserProperties) {
    html += Say(
        "And " +
        Count(table.user_collected_properties.size() - kMostUserProperties) +
        " more user properties.");
  }
  return html;
}

}  // namespace ashlar::tool
