// The printers of `layout`.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "ashlar/util/checksum_type.h"
#include "ashlar/util/compression.h"
#include "tools/ashlar/print/color.h"
#include "tools/ashlar/print/print_json.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

uint64_t StoredBytes(const BlockInfo& block) {
  return block.kind == BlockKind::kFooter ? block.size
                                          : block.size + kBlockTrailerBytes;
}

std::string CodecName(const BlockInfo& block) {
  if (block.kind == BlockKind::kFooter) return "-";
  return std::string(CompressionTypeName(
      static_cast<CompressionType>(block.compression_type)));
}

std::string RatioText(const BlockInfo& block) {
  if (block.raw_size == 0 || block.size == 0) return "-";
  return Fixed(Share(block.raw_size, block.size), 2);
}

std::string ChecksumText(const BlockInfo& block) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", block.stored_checksum);
  return text;
}

std::string StateText(const BlockInfo& block) {
  if (block.status.ok()) return "ok";
  // A block that this build cannot decode need not be damaged.
  return block.status.IsNotSupported() ? "?" : "BAD";
}

TextRow BlockRow(const BlockInfo& block) {
  const bool footer = block.kind == BlockKind::kFooter;
  const bool has_keys = block.kind == BlockKind::kData && block.status.ok();
  return {std::to_string(block.offset),
          std::to_string(block.size),
          std::string(BlockKindName(block.kind)),
          CodecName(block),
          block.raw_size == 0 ? "-" : std::to_string(block.raw_size),
          RatioText(block),
          footer ? "-" : ChecksumText(block),
          StateText(block),
          has_keys ? KeyText(block.first_key) : ""};
}

TextRow SpaceRow(uint64_t offset, uint64_t size, const char* kind) {
  return {std::to_string(offset),
          std::to_string(size),
          kind,
          "-",
          "-",
          "-",
          "-",
          "-",
          ""};
}

std::vector<TextRow> Rows(const TableInspection& inspection) {
  std::vector<TextRow> rows = {{"offset", "size", "kind", "codec", "raw_size",
                                "ratio", "checksum", "ok", "first_key"}};
  uint64_t end = 0;
  for (const BlockInfo& block : inspection.blocks) {
    if (block.offset > end) {
      rows.push_back(SpaceRow(end, block.offset - end, "gap"));
    } else if (block.offset < end) {
      rows.push_back(SpaceRow(block.offset, end - block.offset, "OVERLAP"));
    }
    rows.push_back(BlockRow(block));
    end = std::max(end, block.offset + StoredBytes(block));
  }
  if (end < inspection.file_size) {
    rows.push_back(SpaceRow(end, inspection.file_size - end, "gap"));
  }
  return rows;
}

// Colors what a person looks for in long output.
std::optional<Color> ColorOf(const std::string& cell) {
  if (cell == "BAD" || cell == "OVERLAP") return Color::kBad;
  if (cell == "?" || cell == "gap") return Color::kDoubtful;
  return std::nullopt;
}

void PrintTotals(const TableInspection& inspection, Output* out) {
  struct Total {
    uint64_t blocks = 0;
    uint64_t bytes = 0;
  };
  std::map<BlockKind, Total> totals;
  for (const BlockInfo& block : inspection.blocks) {
    Total& total = totals[block.kind];
    ++total.blocks;
    total.bytes += StoredBytes(block);
  }
  for (const auto& [kind, total] : totals) {
    out->Append("total " + std::string(BlockKindName(kind)) + ": " +
                std::to_string(total.blocks) + " blocks, " +
                std::to_string(total.bytes) + " bytes\n");
  }
  out->Append("file size: " + std::to_string(inspection.file_size) + "\n");
}

}  // namespace

void PrintText(const Layout& table, Output* out) {
  // Words are aligned to the left, and numbers to the right.
  PrintColumns(Rows(table.inspection), "rrllrrrl", ColorOf, out);
  PrintTotals(table.inspection, out);
}

void WriteJson(const Layout& table, JsonWriter* json) {
  const TableInspection& inspection = table.inspection;
  json->ObjectsMember("blocks", inspection.blocks, [&](const BlockInfo& block) {
    json->NumberMember("offset", block.offset);
    json->NumberMember("size", block.size);
    json->Member("kind", BlockKindName(block.kind));
    json->Member("codec", CodecName(block));
    json->NumberMember("raw_size", block.raw_size);
    if (inspection.checksum_type) {
      json->Member("checksum_type",
                   ChecksumTypeName(*inspection.checksum_type));
    }
    json->Member("checksum", ChecksumText(block));
    if (!block.status.IsNotSupported()) {
      json->BoolMember("ok", block.status.ok());
    }
    if (block.kind == BlockKind::kData) {
      json->HexMember("first_key", block.first_key);
    }
  });
}

}  // namespace ashlar::tool
