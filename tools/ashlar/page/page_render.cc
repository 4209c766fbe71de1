#include "tools/ashlar/page/page_render.h"

#include <algorithm>
#include <vector>

#include "ashlar/table/block_kind.h"
#include "ashlar/util/checksum_type.h"
#include "ashlar/util/status.h"
#include "ashlar/util/version.h"
#include "tools/ashlar/page/html_text.h"

namespace ashlar::tool {
namespace {

constexpr size_t kMostMessageBytes = 400;

struct Verdict {
  const char* style;
  const char* word;
};

Verdict VerdictOf(const JsonValue& file) {
  const std::vector<JsonValue>& faults = file["faults"].items();
  if (faults.empty()) return {"ok", "The table is sound"};
  if (file["magic"].text() == TableMagicName(TableMagic::kUnknown)) {
    return {"bad", "Not an SST file, or its end is missing"};
  }
  const bool damaged =
      std::any_of(faults.begin(), faults.end(), [](const JsonValue& fault) {
        return fault["code"].text() ==
               StatusCodeName(Status::Code::kCorruption);
      });
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

std::string FormatText(const JsonValue& file) {
  if (file["format_version"].is_null()) return "unknown";
  std::string text = std::to_string(file["format_version"].number());
  const std::string& oldest = file["readable_by_rocksdb"].text();
  if (!oldest.empty()) {
    text += " (RocksDB " + HtmlText(oldest) + " or later reads it)";
  }
  return text;
}

std::string Facts(const JsonValue& file) {
  constexpr size_t kMost = 80;
  const uint64_t bytes = file["file_bytes"].number();
  std::string html = "<dl class=\"facts\">\n";
  html += Fact("file size",
               Bytes(bytes) + " <small>(" + Count(bytes) + " bytes)</small>");
  html += Fact("kind", HtmlText(file["magic"].text()));
  html += Fact("format version", FormatText(file));
  if (!file["checksum_type"].is_null()) {
    html += Fact("checksums", HtmlText(file["checksum_type"].text()));
  }
  const JsonValue& properties = file["properties"];
  if (!properties.is_null()) {
    const std::string& filter = properties["filter_policy_name"].text();
    html += Fact("entries", Count(properties["num_entries"].number()));
    html += Fact("compression",
                 ShortText(properties["compression_name"].text(), kMost));
    html += Fact("comparator",
                 ShortText(properties["comparator_name"].text(), kMost));
    html += Fact("filter", filter.empty() ? "none" : ShortText(filter, kMost));
  }
  return html + "</dl>\n";
}

std::string WhatWasRead(const JsonValue& file) {
  const uint64_t data_blocks = file["data_blocks"].number();
  const uint64_t decoded = file["decoded_blocks"].number();
  std::string text = Count(file["blocks_ok"].number()) + " blocks are sound, " +
                     Count(file["blocks_bad"].number()) + " are not. ";
  if (file["checksum_type"].text() ==
      ChecksumTypeName(ChecksumType::kNoChecksum)) {
    text += "The file has no checksums. ";
  } else {
    text += "The checksum of every block that can be reached was compared. ";
  }
  text += "Of " + Count(data_blocks) + " data blocks " +
          (decoded == data_blocks ? "all" : Count(decoded)) +
          " were decompressed and parsed.";
  if (decoded != data_blocks) {
    text +=
        " What this page says about entries, keys and sizes of data blocks is "
        "about these.";
  }
  return text;
}

std::string Faults(const JsonValue& file) {
  const std::vector<JsonValue>& faults = file["faults"].items();
  if (faults.empty()) return {};
  // The list scrolls, so it must be reachable with the keyboard.
  std::string html =
      "<ol class=\"faults\" tabindex=\"0\" aria-label=\"Faults\">\n";
  for (const JsonValue& fault : faults) {
    html += "<li><b>" + HtmlText(fault["block"].text()) + " block " +
            Count(fault["index"].number()) + "</b>, offset " +
            Count(fault["offset"].number()) + ", " +
            Count(fault["size"].number()) + " bytes<br/><small>" +
            ShortText(fault["code"].text() + ": " + fault["message"].text(),
                      kMostMessageBytes) +
            "</small></li>\n";
  }
  html += "</ol>\n";
  const uint64_t total = file["faults_total"].number();
  if (total > faults.size()) {
    html += "<p>And " + Count(total - faults.size()) +
            " more faults: <code>ashlar verify --max_errors=0</code> lists "
            "them all.</p>\n";
  }
  return html;
}

std::string Header(const JsonValue& file) {
  const Verdict verdict = VerdictOf(file);
  constexpr size_t kMostPathBytes = 4096;
  const std::string& path = file["path"].text();
  std::string html =
      "<header>\n<h1>" + ShortText(std::string(FileName(path)), 255) +
      "</h1>\n<p class=\"path\">" + ShortText(path, kMostPathBytes) + "</p>\n";
  html += "<div class=\"verdict " + std::string(verdict.style) +
          "\" id=\"verdict\"><h2>" + verdict.word + "</h2>\n<p>" +
          WhatWasRead(file) + "</p>\n" + Faults(file) + "</div>\n" +
          Facts(file) + "</header>\n";
  return html;
}

std::string Section(const char* id, const char* title,
                    const std::string& body) {
  if (body.empty()) return {};
  return "<section aria-labelledby=\"" + std::string(id) + "\"><h2 id=\"" + id +
         "\">" + title + "</h2>\n" + body + "</section>\n";
}

}  // namespace

std::string RenderPage(const JsonValue& file) {
  std::string html =
      "<!DOCTYPE html>\n"
      "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>" +
      ShortText(std::string(FileName(file["path"].text())), 255) +
      " - ashlar report</title>\n<style>\n";
  html += PageStyle();
  html += "</style>\n</head>\n<body>\n";
  html += Header(file);
  html += "<main>\n";
  html += Section("map", "Block map", RenderBlockMap(file));
  html += Section("kinds", "Bytes by kind of block", RenderBytesByKind(file));
  html += Section("types", "Entries by type", RenderEntryTypes(file));
  html += Section("keys", "Key space", RenderKeySpace(file));
  html += Section("sizes", "Sizes", RenderDistributions(file));
  html += Section("filter", "Filter", RenderFilter(file));
  html += Section("codecs", "Other codecs", RenderTrials(file));
  html += Section("properties", "Properties", RenderProperties(file));
  html += "</main>\n<footer><p>Made by ashlar " +
          HtmlText(std::string(LibraryVersion())) +
          ". This page loads nothing from anywhere.</p></footer>\n<script>\n";
  html += PageScript();
  html += "</script>\n</body>\n</html>\n";
  return html;
}

}  // namespace ashlar::tool
