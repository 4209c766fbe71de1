// The sections with columns: the key space and the distributions of sizes.
#include <algorithm>
#include <string>
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

std::string LabelOf(const JsonValue& number) {
  return number.kind() == JsonValue::Kind::kDecimal ? Fixed(number.decimal(), 2)
                                                    : Count(number.number());
}

std::string Distribution(const std::string& title, const JsonValue& sizes,
                         const std::vector<JsonValue>& bins) {
  if (sizes.is_null()) return {};
  double highest = 0;
  for (const JsonValue& bin : bins) {
    highest = std::max(highest, bin["count"].decimal());
  }
  const std::string min = LabelOf(sizes["min"]);
  const std::string max = LabelOf(sizes["max"]);
  std::string html =
      "<figure><figcaption>" + title +
      "</figcaption>\n<div class=\"hist\" role=\"img\" aria-label=\"" + title +
      " from " + min + " to " + max + "\">";
  for (const JsonValue& bin : bins) {
    const std::string low = LabelOf(bin["low"]);
    const bool one_size = bin["low"].decimal() == bin["high"].decimal();
    html += Column("", Height(bin["count"].decimal(), highest),
                   (one_size ? low : low + " to " + LabelOf(bin["high"])) +
                       ": " + Count(bin["count"].number()));
  }
  html += "</div>\n<div class=\"ends\"><span>" + min + "</span><span>" + max +
          "</span></div>\n";
  html += "<table class=\"percentiles\"><thead><tr><th scope=\"col\">min</th>";
  std::string cells = "<td>" + min + "</td>";
  for (const char* const percent : {"50", "90", "99"}) {
    html += "<th scope=\"col\">" + std::string(percent) + " %</th>";
    cells += "<td>" + LabelOf(sizes["p" + std::string(percent)]) + "</td>";
  }
  return html + "<th scope=\"col\">max</th></tr></thead><tbody><tr>" + cells +
         "<td>" + max + "</td></tr></tbody></table></figure>\n";
}

std::string PartTitle(const JsonValue& part, size_t number, size_t parts) {
  std::string title = "part " + std::to_string(number + 1) + " of " +
                      std::to_string(parts) + ": ";
  const double bytes = part["bytes"].decimal();
  title += bytes <= 0 ? "no data" : Bytes(static_cast<uint64_t>(bytes));
  if (part["bad"].yes()) title += ", damaged";
  if (part["deleted"].yes()) title += ", a range deletion";
  if (!part["first_key"].is_null()) {
    title += ", from " + ShortText(part["first_key"].bytes(), kMostKeyBytes);
  }
  return title;
}

}  // namespace

std::string RenderKeySpace(const JsonValue& file) {
  const JsonValue& space = file["key_space"];
  const std::vector<JsonValue>& parts = space["parts"].items();
  if (parts.empty()) return {};
  double highest = 0;
  bool bad = false;
  bool deleted = false;
  for (const JsonValue& part : parts) {
    highest = std::max(highest, part["bytes"].decimal());
    bad = bad || part["bad"].yes();
    deleted = deleted || part["deleted"].yes();
  }
  const auto share = [&](const char* name) {
    return Percent(Share(space[name].number(), parts.size()), 0);
  };
  std::string html =
      "<p>Bytes of data blocks in " + std::to_string(parts.size()) +
      " equal parts of the space between the first key and the last: " +
      share("used_parts") + " of it hold data, and half of the data lie in " +
      share("half_parts") +
      ". A key's place follows from the eight bytes after the prefix that all "
      "keys share.</p>\n<div class=\"hist keys\" role=\"img\" "
      "aria-label=\"Bytes over the key space\">";
  for (size_t i = 0; i < parts.size(); ++i) {
    const JsonValue& part = parts[i];
    std::string style = part["bad"].yes() ? "bad" : "";
    if (part["deleted"].yes()) style += style.empty() ? "deleted" : " deleted";
    // A lost block may have a size of 0.
    const double height = Height(part["bytes"].decimal(), highest);
    html += Column(style, height, PartTitle(part, i, parts.size()));
  }
  html +=
      "</div>\n<div class=\"ends\"><code>" +
      ShortText(space["first_key"].bytes(), kMostKeyBytes) + "</code><code>" +
      ShortText(space["last_key"].bytes(), kMostKeyBytes) + "</code></div>\n";
  if (bad || deleted) {
    html += "<ul class=\"legend\">";
    if (bad) html += "<li><i class=\"c tick\"></i>damaged blocks</li>";
    if (deleted) html += "<li><i class=\"c del\"></i>range deletions</li>";
    html += "</ul>\n";
  }
  return html;
}

std::string RenderDistributions(const JsonValue& file) {
  constexpr struct {
    const char* title;
    const char* name;
  } kMeasures[] = {
      {"Key size, bytes", "key_size"},
      {"Value size, bytes", "value_size"},
      {"Entries per data block", "entries_per_block"},
      {"Data block before compression, bytes", "raw_size"},
      {"Data block as stored, bytes", "stored_size"},
      {"Data block, compression ratio", "ratio"},
  };
  std::string figures;
  for (const auto& [title, name] : kMeasures) {
    figures +=
        Distribution(title, file[name], file["histograms"][name].items());
  }
  if (figures.empty()) return {};
  return "<div class=\"figures\">\n" + figures + "</div>\n";
}

}  // namespace ashlar::tool
