// The block map: a row of cells that wraps. Each cell is as wide as its blocks
// are large.
#include <algorithm>
#include <string>

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

double Ratio(const MapCell& cell) {
  return static_cast<double>(cell.raw_bytes) /
         static_cast<double>(cell.stored_bytes);
}

const char* ShadeOf(const MapCell& cell) {
  if (cell.bad_blocks != 0) return "bad";
  if (cell.blocks == 0) return "gap";
  if (cell.stored_bytes == 0) return "no";
  const double ratio = Ratio(cell);
  for (const Shade& shade : kShades) {
    if (ratio < shade.below) return shade.style;
  }
  return kShades[std::size(kShades) - 1].style;
}

std::string Blocks(const MapCell& cell) {
  std::string text(BlockKindName(cell.kind));
  if (cell.mixed_kinds) text += " and other";
  if (cell.blocks == 1) return text + " block " + Count(cell.first_index);
  text += " blocks";
  if (cell.mixed_kinds) return Count(cell.blocks) + " " + text;
  return text + " " + Count(cell.first_index) + " to " +
         Count(cell.first_index + cell.blocks - 1);
}

std::string Details(const MapCell& cell) {
  constexpr size_t kMostMessageBytes = 160;
  std::string text = cell.blocks == 0 ? "no block" : HtmlText(Blocks(cell));
  text += ", offset " + Count(cell.offset) + ", " + Bytes(cell.bytes);
  if (cell.stored_bytes != 0) text += ", ratio " + Fixed(Ratio(cell), 2);
  if (cell.bad_blocks == 0) return text;
  text += cell.blocks == 1 ? ", DAMAGED: "
                           : ", DAMAGED " + Count(cell.bad_blocks) + " of " +
                                 Count(cell.blocks) + ": ";
  return text + ShortText(cell.first_fault, kMostMessageBytes);
}

std::string Legend(const BlockMap& map) {
  std::string html = "<ul class=\"legend\">\n<li>ratio:</li>\n";
  for (const Shade& shade : kShades) {
    html += "<li><i class=\"c " + std::string(shade.style) + "\"></i>" +
            shade.words + "</li>\n";
  }
  html +=
      "<li><i class=\"c no\"></i>not decoded</li>\n"
      "<li><i class=\"c r2 meta\"></i>not data</li>\n";
  if (map.gap_bytes != 0) {
    html += "<li><i class=\"c gap\"></i>no block (" + Bytes(map.gap_bytes) +
            ")</li>\n";
  }
  return html + "<li><i class=\"c bad\"></i>damaged</li>\n</ul>\n";
}

}  // namespace

std::string RenderBlockMap(const BlockMap& map) {
  if (map.cells.empty()) return {};
  uint64_t total = 0;
  for (const MapCell& cell : map.cells) total += cell.bytes;
  // A cell is about this wide. The style widens the smallest ones.
  constexpr double kUsualWidth = 13;
  constexpr double kLeastTotal = 800;
  const double width = std::max(
      kUsualWidth * static_cast<double>(map.cells.size()), kLeastTotal);
  std::string html =
      "<p>The file from its first byte to its last; a wider cell has more "
      "bytes. Point at a cell, or move with the arrow keys.</p>\n" +
      Legend(map) +
      "<div class=\"map\" id=\"cells\" role=\"group\" aria-label=\"Blocks in "
      "file order\">\n";
  for (const MapCell& cell : map.cells) {
    const bool meta = cell.blocks != 0 && cell.kind != BlockKind::kData;
    html += "<button type=\"button\" class=\"c " + std::string(ShadeOf(cell)) +
            (meta ? " meta" : "") + "\" style=\"width:" +
            Coordinate(width * static_cast<double>(cell.bytes) /
                       static_cast<double>(std::max<uint64_t>(total, 1))) +
            "px\" title=\"" + Details(cell) + "\"></button>";
  }
  return html +
         "\n</div>\n<p class=\"detail\" id=\"detail\" aria-live=\"polite\">"
         "</p>\n";
}

}  // namespace ashlar::tool
