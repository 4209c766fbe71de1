// layout: prints one line per block, in file order.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ashlar/util/checksum_type.h"
#include "ashlar/util/compression.h"
#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/print/color.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/progress.h"

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
  char text[32];
  std::snprintf(
      text, sizeof text, "%.2f",
      static_cast<double>(block.raw_size) / static_cast<double>(block.size));
  return text;
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

// The number of columns without the last, which needs no padding.
constexpr size_t kColumns = 8;
struct LayoutRow {
  std::array<std::string, kColumns> cells;
  std::string first_key;
};

LayoutRow BlockRow(const BlockInfo& block, ByteStyle style) {
  const bool footer = block.kind == BlockKind::kFooter;
  const std::string raw_size =
      block.raw_size == 0 ? "-" : std::to_string(block.raw_size);
  LayoutRow row = {
      {std::to_string(block.offset), std::to_string(block.size),
       std::string(BlockKindName(block.kind)), CodecName(block), raw_size,
       RatioText(block), footer ? "-" : ChecksumText(block), StateText(block)},
      {}};
  if (block.kind == BlockKind::kData && block.status.ok()) {
    // Raw bytes might break the lines of the output.
    row.first_key = style == ByteStyle::kHex
                        ? ToHex(block.first_key, HexCase::kUpper)
                        : Escape(block.first_key);
  }
  return row;
}

LayoutRow SpaceRow(uint64_t offset, uint64_t size, const char* kind) {
  return {{std::to_string(offset), std::to_string(size), kind, "-", "-", "-",
           "-", "-"},
          {}};
}

std::vector<LayoutRow> Rows(const TableInspection& inspection) {
  const ByteStyle style = ChosenByteStyle();
  std::vector<LayoutRow> rows = {{{"offset", "size", "kind", "codec",
                                   "raw_size", "ratio", "checksum", "ok"},
                                  "first_key"}};
  uint64_t end = 0;
  for (const BlockInfo& block : inspection.blocks) {
    if (block.offset > end) {
      rows.push_back(SpaceRow(end, block.offset - end, "gap"));
    } else if (block.offset < end) {
      rows.push_back(SpaceRow(block.offset, end - block.offset, "OVERLAP"));
    }
    rows.push_back(BlockRow(block, style));
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

std::string Padded(const std::string& cell, size_t width, bool left) {
  const std::string padding(width - cell.size(), ' ');
  const std::optional<Color> color = ColorOf(cell);
  const std::string shown = color ? Colored(cell, *color) : cell;
  return left ? shown + padding : padding + shown;
}

void PrintLayout(const std::vector<LayoutRow>& rows, Output* out) {
  std::array<size_t, kColumns> widths = {};
  for (const LayoutRow& row : rows) {
    for (size_t i = 0; i < kColumns; ++i) {
      widths[i] = std::max(widths[i], row.cells[i].size());
    }
  }
  // Words are aligned to the left, and numbers to the right.
  constexpr std::array<bool, kColumns> kLeft = {false, false, true,  true,
                                                false, false, false, true};
  for (const LayoutRow& row : rows) {
    std::string line;
    for (size_t i = 0; i < kColumns; ++i) {
      line += Padded(row.cells[i], widths[i], kLeft[i]) + "  ";
    }
    line += row.first_key;
    line.resize(line.find_last_not_of(' ') + 1);
    if (&row == rows.data()) line = Colored(line, Color::kHeading);
    out->Append(line + "\n");
  }
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

void WriteLayout(const TableInspection& inspection, JsonWriter* json) {
  json->Key("blocks");
  json->BeginArray();
  for (const BlockInfo& block : inspection.blocks) {
    json->BeginObject();
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
    json->EndObject();
  }
  json->EndArray();
}

void ShowLayout(const std::string& path, Report* report) {
  InspectOptions options =
      InspectOptionsFromFlags(InspectOptions::DataBlocks::kRead);
  options.first_keys = true;
  std::optional<TableInspection> inspection;
  {
    Progress progress(path);
    options.on_progress = [&progress](uint64_t done, uint64_t total) {
      return progress.Update(done, total);
    };
    inspection = Inspect(path, options, report);
  }
  if (!inspection) return;
  if (inspection->magic == TableMagic::kUnknown) {
    report->SetFileStatus("not_sst");
  } else if (inspection->format_version) {
    report->Opened(*inspection);
  }
  WarnOfUnknownOrder(*inspection, *report);
  if (report->text()) {
    PrintLayout(Rows(*inspection), report->out());
    PrintTotals(*inspection, report->out());
  } else {
    WriteLayout(*inspection, report->json());
  }
  for (const TableFault& fault : inspection->faults) report->AddFault(fault);
}

}  // namespace

int RunLayout(const CommandLine& line) {
  return RunOverFiles(line, "layout", ShowLayout);
}

}  // namespace ashlar::tool
