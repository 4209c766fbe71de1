// The block map: a row of cells that wraps. Each cell is as wide as its blocks
// are large.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/block_kind.h"
#include "tools/ashlar/page/html_text.h"
#include "tools/ashlar/page/page_render.h"

namespace ashlar::tool {
namespace {

// The classes of colour, by compression ratio.
struct Shade {
  double below;
  const char* style;
  const char* words;
};
constexpr Shade kShades[] = {
    {1.1, "r0", "below 1.1"}, {1.5, "r1", "1.1 to 1.5"},
    {2, "r2", "1.5 to 2"},    {3, "r3", "2 to 3"},
    {5, "r4", "3 to 5"},      {1e300, "r5", "5 and above"},
};

double Ratio(const JsonValue& cell) {
  return Share(cell["raw_bytes"].number(), cell["stored_bytes"].number());
}

const char* ShadeOf(const JsonValue& cell) {
  if (cell["bad_blocks"].number() != 0) return "bad";
  if (cell["blocks"].number() == 0) return "gap";
  if (cell["stored_bytes"].number() == 0) return "no";
  const double ratio = Ratio(cell);
  for (const Shade& shade : kShades) {
    if (ratio < shade.below) return shade.style;
  }
  return kShades[std::size(kShades) - 1].style;
}

std::string Blocks(const JsonValue& cell) {
  const uint64_t blocks = cell["blocks"].number();
  const uint64_t first = cell["first_index"].number();
  std::string text = cell["kind"].text();
  if (cell["mixed_kinds"].yes()) {
    return (blocks == 1 ? text + " and other block " + Count(first)
                        : Count(blocks) + " " + text + " and other blocks");
  }
  if (blocks == 1) return text + " block " + Count(first);
  return text + " blocks " + Count(first) + " to " + Count(first + blocks - 1);
}

std::string Details(const JsonValue& cell) {
  constexpr size_t kMostMessageBytes = 160;
  const uint64_t blocks = cell["blocks"].number();
  const uint64_t bad = cell["bad_blocks"].number();
  std::string text = blocks == 0 ? "no block" : HtmlText(Blocks(cell));
  text += ", offset " + Count(cell["offset"].number()) + ", " +
          Bytes(cell["bytes"].number());
  if (cell["stored_bytes"].number() != 0) {
    text += ", ratio " + Fixed(Ratio(cell), 2);
  }
  if (bad == 0) return text;
  text += blocks == 1
              ? ", DAMAGED: "
              : ", DAMAGED " + Count(bad) + " of " + Count(blocks) + ": ";
  return text + ShortText(cell["first_fault"].text(), kMostMessageBytes);
}

std::string Legend(uint64_t gap_bytes) {
  std::string html = "<ul class=\"legend\">\n<li>ratio:</li>\n";
  for (const Shade& shade : kShades) {
    html += "<li><i class=\"c " + std::string(shade.style) + "\"></i>" +
            shade.words + "</li>\n";
  }
  html +=
      "<li><i class=\"c no\"></i>not decoded</li>\n"
      "<li><i class=\"c r2 meta\"></i>not data</li>\n";
  if (gap_bytes != 0) {
    html +=
        "<li><i class=\"c gap\"></i>no block (" + Bytes(gap_bytes) + ")</li>\n";
  }
  return html + "<li><i class=\"c bad\"></i>damaged</li>\n</ul>\n";
}

}  // namespace

std::string RenderBlockMap(const JsonValue& file) {
  const std::vector<JsonValue>& cells = file["map"]["cells"].items();
  if (cells.empty()) return {};
  uint64_t total = 0;
  for (const JsonValue& cell : cells) total += cell["bytes"].number();
  // A cell is about this wide. The style widens the smallest ones.
  constexpr double kUsualWidth = 13;
  constexpr double kLeastTotal = 800;
  const double width =
      std::max(kUsualWidth * static_cast<double>(cells.size()), kLeastTotal);
  std::string html =
      "<p>The file from its first byte to its last; a wider cell has more "
      "bytes.</p>\n" +
      Legend(file["map"]["gap_bytes"].number()) +
      "<div class=\"map\" id=\"cells\" role=\"group\" aria-label=\"Blocks in "
      "file order\">\n";
  for (const JsonValue& cell : cells) {
    const bool meta = cell["blocks"].number() != 0 &&
                      cell["kind"].text() != BlockKindName(BlockKind::kData);
    html += "<button type=\"button\" class=\"c " + std::string(ShadeOf(cell)) +
            (meta ? " meta" : "") + "\" style=\"width:" +
            Coordinate(width * cell["bytes"].decimal() /
                       static_cast<double>(std::max<uint64_t>(total, 1))) +
            "px\" title=\"" + Details(cell) + "\"></button>";
  }
  return html +
         "\n</div>\n<p class=\"detail\" id=\"detail\" aria-live=\"polite\">"
         "Point at a cell, or move with the arrow keys, to read here what it "
         "is.</p>\n";
}

}  // namespace ashlar::tool
