// The chart that shows where the tables of each level are in the key space.
#include <algorithm>
#include <string>
#include <vector>

#include "tools/ashlar/page/html_text.h"
#include "tools/ashlar/page/page_render.h"

namespace ashlar::tool {
namespace {

// Short, since there may be many boxes.
constexpr size_t kMostTitleKeyBytes = 24;
constexpr size_t kMostEndBytes = 60;
constexpr uint64_t kLaneHeight = 14;  // pixels

std::string BoxTitle(const JsonValue& box) {
  const uint64_t tables = box["tables"].number();
  const uint64_t bad = box["bad_tables"].number();
  std::string text = HtmlText(box["file"].text());
  if (tables != 1) {
    text += " and " + Count(tables - 1) + (tables == 2 ? " other" : " others");
  }
  text += ", level " + Count(box["level"].number()) + ", " +
          Bytes(box["file_bytes"].number()) + ", " +
          ShortText(box["smallest"].bytes(), kMostTitleKeyBytes) + " to " +
          ShortText(box["largest"].bytes(), kMostTitleKeyBytes);
  if (bad == 0) return text;
  return text + (tables == 1
                     ? ", DAMAGED"
                     : ", DAMAGED " + Count(bad) + " of " + Count(tables));
}

std::string BoxItem(const JsonValue& box, double places) {
  const double left = 100 * box["begin"].decimal() / places;
  const double width = 100 * box["end"].decimal() / places - left;
  std::string style = box["bad_tables"].number() != 0 ? " bad" : "";
  if (box["tables"].number() != 1) style += " many";
  return "<i class=\"box" + style + "\" style=\"left:" + Coordinate(left) +
         "%;width:" + Coordinate(width) +
         "%;top:" + Count(kLaneHeight * box["lane"].number()) +
         "px\" title=\"" + BoxTitle(box) + "\"></i>";
}

std::string BoxRow(const std::string& boxes, uint64_t level, uint64_t lanes) {
  return "<div class=\"level\"><span>L" + Count(level) +
         "</span><div style=\"height:" + std::to_string(kLaneHeight * lanes) +
         "px\">" + boxes + "</div></div>\n";
}

std::string BoxLegend(bool bad, bool many) {
  if (!bad && !many) return {};
  std::string html = "<ul class=\"legend\">";
  if (many) html += "<li><i class=\"c box many\"></i>several tables</li>";
  if (bad) html += "<li><i class=\"c box bad\"></i>damaged</li>";
  return html + "</ul>\n";
}

}  // namespace

std::string RenderLevelMap(const JsonValue& file) {
  const JsonValue& map = file["level_map"];
  const std::vector<JsonValue>& boxes = map["boxes"].items();
  if (boxes.empty()) return {};
  const double places = std::max(map["places"].decimal(), 1.0);
  const JsonValue* first = boxes.data();
  const JsonValue* last = boxes.data();
  std::string rows;
  std::string row;
  uint64_t lanes = 1;
  bool bad = false;
  bool many = false;
  for (size_t i = 0; i < boxes.size(); ++i) {
    const JsonValue& box = boxes[i];
    row += BoxItem(box, places);
    lanes = std::max(lanes, box["lane"].number() + 1);
    if (box["begin"].number() < (*first)["begin"].number()) first = &box;
    if (box["end"].number() > (*last)["end"].number()) last = &box;
    bad = bad || box["bad_tables"].number() != 0;
    many = many || box["tables"].number() != 1;
    const uint64_t level = box["level"].number();
    if (i + 1 == boxes.size() || boxes[i + 1]["level"].number() != level) {
      rows += BoxRow(row, level, lanes);
      row.clear();
      lanes = 1;
    }
  }
  return "<p>From the first key of all tables to the last one; a box is a "
         "table. Keys are placed by their rank among the first and the last "
         "keys of tables, so widths say nothing about bytes. Point at a box to "
         "see which table it is.</p>\n" +
         BoxLegend(bad, many) +
         "<div class=\"levels\" role=\"img\" aria-label=\"Tables of each level "
         "in the key space\">\n" +
         rows + "</div>\n<div class=\"ends\"><code>" +
         ShortText((*first)["smallest"].bytes(), kMostEndBytes) +
         "</code><code>" +
         ShortText((*last)["largest"].bytes(), kMostEndBytes) +
         "</code></div>\n";
}

}  // namespace ashlar::tool
