#include "tools/ashlar/page/page_render.h"

#include <algorithm>

#include "ashlar/table/entry/rocksdb_release.h"
#include "ashlar/util/checksum_type.h"
#include "ashlar/util/version.h"
#include "tools/ashlar/page/html_text.h"

namespace ashlar::tool {
namespace {

constexpr size_t kMostFaults = 200;
constexpr size_t kMostMessageBytes = 400;

struct Verdict {
  const char* style;
  const char* word;
};

Verdict VerdictOf(const TableInspection& inspection) {
  if (inspection.faults.empty()) return {"ok", "The table is sound"};
  if (inspection.magic == TableMagic::kUnknown) {
    return {"bad", "Not an SST file, or its end is missing"};
  }
  const bool damaged = std::any_of(
      inspection.faults.begin(), inspection.faults.end(),
      [](const auto& fault) { return fault.status.IsCorruption(); });
  if (damaged) return {"bad", "The table is damaged"};
  return {"odd", "Some of the table cannot be read by this program"};
}

std::string_view FileName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string Fact(std::string_view name, const std::string& value) {
  return "<div><dt>" + std::string(name) + "</dt><dd>" + value +
         "</dd></div>\n";
}

std::string FormatText(const TableInspection& inspection) {
  if (!inspection.format_version) return "unknown";
  std::string text = std::to_string(*inspection.format_version);
  const auto oldest = OldestRocksDBFor(
      *inspection.format_version, inspection.checksum_type,
      inspection.properties ? &*inspection.properties : nullptr);
  if (oldest) text += " (RocksDB " + ToString(*oldest) + " or later reads it)";
  return text;
}

std::string Facts(const TableReport& table) {
  const TableInspection& inspection = table.inspection;
  std::string html = "<dl class=\"facts\">\n";
  html +=
      Fact("file size", Bytes(inspection.file_size) + " <small>(" +
                            Count(inspection.file_size) + " bytes)</small>");
  html += Fact("kind", HtmlText(std::string(TableMagicName(inspection.magic))));
  html += Fact("format version", FormatText(inspection));
  if (inspection.checksum_type) {
    html += Fact(
        "checksums",
        HtmlText(std::string(ChecksumTypeName(*inspection.checksum_type))));
  }
  if (inspection.properties) {
    const TableProperties& properties = *inspection.properties;
    constexpr size_t kMost = 80;
    html += Fact("entries", Count(properties.num_entries));
    html += Fact("compression", ShortText(properties.compression_name, kMost));
    html += Fact("comparator", ShortText(properties.comparator_name, kMost));
    html +=
        Fact("filter", properties.filter_policy_name.empty()
                           ? "none"
                           : ShortText(properties.filter_policy_name, kMost));
  }
  return html + "</dl>\n";
}

std::string WhatWasRead(const TableReport& table) {
  const TableInspection& inspection = table.inspection;
  std::string text = Count(inspection.blocks_ok) + " blocks are sound, " +
                     Count(inspection.blocks_bad) + " are not. ";
  if (inspection.checksum_type == ChecksumType::kNoChecksum) {
    text += "The file has no checksums. ";
  } else {
    text += "The checksum of every block that can be reached was compared. ";
  }
  text += "Of " + Count(table.data_blocks) + " data blocks " +
          (table.whole() ? std::string("all") : Count(table.decoded_blocks)) +
          " were decompressed and parsed.";
  if (!table.whole()) {
    text +=
        " What this page says about entries, keys and sizes of data blocks is "
        "about these.";
  }
  return text;
}

std::string Faults(const TableInspection& inspection) {
  if (inspection.faults.empty()) return {};
  // The list scrolls, so it must be reachable with the keyboard.
  std::string html =
      "<ol class=\"faults\" tabindex=\"0\" aria-label=\"Faults\">\n";
  const size_t shown = std::min(inspection.faults.size(), kMostFaults);
  for (size_t i = 0; i < shown; ++i) {
    const TableFault& fault = inspection.faults[i];
    html += "<li><b>" + HtmlText(std::string(BlockKindName(fault.kind))) +
            " block " + Count(fault.index) + "</b>, offset " +
            Count(fault.offset) + ", " + Count(fault.size) +
            " bytes<br/><small>" +
            ShortText(fault.status.ToString(), kMostMessageBytes) +
            "</small></li>\n";
  }
  html += "</ol>\n";
  if (shown < inspection.faults.size()) {
    html += "<p>And " + Count(inspection.faults.size() - shown) +
            " more faults: <code>ashlar verify --max_errors=0</code> lists "
            "them all.</p>\n";
  }
  return html;
}

std::string Header(const TableReport& table) {
  const Verdict verdict = VerdictOf(table.inspection);
  constexpr size_t kMostPathBytes = 4096;
  std::string html = "<header>\n<h1>" +
                     ShortText(std::string(FileName(table.path)), 255) +
                     "</h1>\n<p class=\"path\">" +
                     ShortText(table.path, kMostPathBytes) + "</p>\n";
  html += "<div class=\"verdict " + std::string(verdict.style) +
          "\" id=\"verdict\"><h2>" + verdict.word + "</h2>\n<p>" +
          WhatWasRead(table) + "</p>\n" + Faults(table.inspection) +
          "</div>\n" + Facts(table) + "</header>\n";
  return html;
}

std::string Section(const char* id, const char* title,
                    const std::string& body) {
  if (body.empty()) return {};
  return "<section aria-labelledby=\"" + std::string(id) + "\"><h2 id=\"" + id +
         "\">" + title + "</h2>\n" + body + "</section>\n";
}

}  // namespace

std::string RenderPage(const TableReport& table) {
  std::string html =
      "<!DOCTYPE html>\n"
      "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>" +
      ShortText(std::string(FileName(table.path)), 255) +
      " - ashlar report</title>\n<style>\n";
  html += PageStyle();
  html += "</style>\n</head>\n<body>\n";
  html += Header(table);
  html += "<main>\n";
  html += Section("map", "Block map", RenderBlockMap(table.map));
  html += Section("kinds", "Bytes by kind of block", RenderBytesByKind(table));
  html += Section("types", "Entries by type", RenderEntryTypes(table));
  html += Section("keys", "Key space", RenderKeySpace(table.key_space));
  html += Section("sizes", "Sizes", RenderDistributions(table.stats));
  html += Section("filter", "Filter", RenderFilter(table));
  html += Section("codecs", "Other codecs", RenderTrials(table.trials));
  html +=
      Section("properties", "Properties", RenderProperties(table.inspection));
  html += "</main>\n<footer><p>Made by ashlar " +
          HtmlText(std::string(LibraryVersion())) +
          ". This page loads nothing from anywhere.</p></footer>\n<script>\n";
  html += PageScript();
  html += "</script>\n</body>\n</html>\n";
  return html;
}

}  // namespace ashlar::tool
