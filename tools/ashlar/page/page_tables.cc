// The sections that are tables with bars: kinds of blocks, types of entries,
// filter, properties.
#include <optional>
#include <string>
#include <string_view>

#include "tools/ashlar/page/html_text.h"
#include "tools/ashlar/page/page_render.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/properties_text.h"

namespace ashlar::tool {
namespace {

std::string TableRow(const std::string& name, const std::string& middle,
                     double share) {
  return "<tr><th scope=\"row\">" + HtmlText(name) + "</th>" + middle +
         "<td class=\"n\">" + Percent(share, 2) + "</td>" + BarCell(share) +
         "</tr>\n";
}

std::string Cell(const std::string& text) {
  return "<td class=\"n\">" + text + "</td>";
}

std::string Say(const std::string& text) { return "<p>" + text + "</p>\n"; }

// Returns a property's text, as it is in text.
std::string TextOf(const JsonValue& property) {
  switch (property.kind()) {
    case JsonValue::Kind::kBool:
      return property.yes() ? "true" : "false";
    case JsonValue::Kind::kInteger:
      return std::to_string(property.number());
    case JsonValue::Kind::kDecimal:
      return std::to_string(property.decimal());
    case JsonValue::Kind::kString:
      return property.text();
    case JsonValue::Kind::kNull:
    case JsonValue::Kind::kArray:
    case JsonValue::Kind::kObject:
      break;
  }
  return "N/A";
}

}  // namespace

std::string PropertyText(const std::string& label, const std::string& text) {
  const bool is_time = label == "creation time" ||
                       label == "file creation time" ||
                       label.starts_with("time stamp of ");
  const std::optional<uint64_t> seconds =
      is_time ? ParseNumber(text) : std::nullopt;
  return seconds ? DateText(*seconds) : text;
}

std::string RenderBytesByKind(const JsonValue& file) {
  const JsonValue& kinds = file["kinds"];
  if (kinds.items().empty()) return {};
  std::string html =
      "<table><thead><tr><th scope=\"col\">kind</th><th scope=\"col\">blocks"
      "</th><th scope=\"col\">bytes</th><th scope=\"col\">of all bytes</th>"
      "<th></th></tr></thead><tbody>\n";
  for (size_t i = 0; i < kinds.items().size(); ++i) {
    const uint64_t blocks = kinds.items()[i]["blocks"].number();
    const uint64_t bytes = kinds.items()[i]["bytes"].number();
    html += TableRow(kinds.names()[i], Cell(Count(blocks)) + Cell(Count(bytes)),
                     Share(bytes, file["file_bytes"].number()));
  }
  return html + "</tbody></table>\n";
}

std::string RenderEntryTypes(const JsonValue& file) {
  const JsonValue& types = file["types"];
  if (types.items().empty()) return {};
  uint64_t total = 0;
  for (const JsonValue& count : types.items()) total += count.number();
  const uint64_t decoded = file["decoded_blocks"].number();
  std::string html =
      decoded == file["data_blocks"].number()
          ? ""
          : Say("In the " + Count(decoded) +
                " data blocks that were decoded, and in all range deletions.");
  html +=
      "<table><thead><tr><th scope=\"col\">type</th><th scope=\"col\">entries"
      "</th><th scope=\"col\">of them</th><th></th></tr></thead><tbody>\n";
  for (size_t i = 0; i < types.items().size(); ++i) {
    const uint64_t count = types.items()[i].number();
    html += TableRow(types.names()[i], Cell(Count(count)), Share(count, total));
  }
  return html + "</tbody></table>\n";
}

std::string RenderFilter(const JsonValue& file) {
  const JsonValue& rates = file["filter"];
  if (rates.is_null()) {
    if (file["properties"].is_null()) return {};
    if (file["properties"]["filter_size"].number() == 0) {
      return Say(
          "The table has no filter: every lookup of an absent key reads "
          "a data block.");
    }
    return Say(
        "The filter was not measured: it holds no whole keys, the table "
        "is damaged, or its order of keys is not known.");
  }
  const uint64_t probes = rates["probes"].number();
  const uint64_t passed = rates["passed"].number();
  std::string html =
      "<dl class=\"facts\">\n<div><dt>bits per key</dt><dd>" +
      Fixed(rates["bits_per_key"].decimal(), 2) +
      "</dd></div>\n<div><dt>expected false-positive rate <small>(of a Bloom "
      "filter with as many bits)</small></dt><dd>" +
      Percent(rates["bloom_rate"].decimal(), 3) +
      "</dd></div>\n<div><dt>measured false-positive rate</dt><dd>";
  if (probes == 0) {
    html += "not measured";
  } else {
    html += Percent(Share(passed, probes), 3) + " <small>(" + Count(passed) +
            " of " + Count(probes) + " absent keys passed)</small>";
  }
  return html + "</dd></div>\n</dl>\n";
}

std::string RenderProperties(const JsonValue& file) {
  const JsonValue& properties = file["properties"];
  if (properties.is_null()) return {};
  constexpr uint64_t kMostUserProperties = 100;
  constexpr size_t kMostNameBytes = 120;
  constexpr size_t kMostValueBytes = 200;
  std::string html = "<table class=\"left\"><tbody>\n";
  const auto row = [&html](const std::string& name, const std::string& value) {
    html += "<tr><th scope=\"row\">" + ShortText(name, kMostNameBytes) +
            "</th><td>" + ShortText(value, kMostValueBytes) + "</td></tr>\n";
  };
  const auto text_of = [&](std::string_view name) {
    return TextOf(properties[name]);
  };
  for (const auto& [label, text] : LabelledProperties(text_of)) {
    row(label, PropertyText(label, text));
  }
  const JsonValue& user = properties["user"];
  uint64_t others = 0;
  for (size_t i = 0; i < user.items().size(); ++i) {
    const std::string name = NameOfJson(user.names()[i]);
    if (IsCollectedToo(name)) continue;
    if (others++ < kMostUserProperties) row(name, user.items()[i].bytes());
  }
  html += "</tbody></table>\n";
  if (others > kMostUserProperties) {
    html += Say("And " + Count(others - kMostUserProperties) +
                " more user properties.");
  }
  return html;
}

}  // namespace ashlar::tool
