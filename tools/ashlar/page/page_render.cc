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
    return {"bad", file["found_blocks"].number() == 0
                       ? "Not an SST file, or its end is missing"
                       : "The end of the table is damaged or missing"};
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

std::string TitleOf(const JsonValue& file) {
  const JsonValue& database = file["database"];
  constexpr size_t kMost = 255;
  return database.is_null()
             ? ShortText(std::string(FileName(file["path"].text())), kMost)
             : ShortText(database["name"].text(), kMost);
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

std::string WhatWasRead(const JsonValue& file) {
  std::string text = Count(file["blocks_ok"].number()) + " blocks are sound, " +
                     Count(file["blocks_bad"].number()) + " are not. ";
  if (file["checksum_type"].text() ==
      ChecksumTypeName(ChecksumType::kNoChecksum)) {
    text += "The file has no checksums. ";
  } else {
    text += "The checksum of every block that can be reached was compared. ";
  }
  text += DescribeDecoded(file);
  const JsonValue& found = file["found_blocks"];
  if (!found.is_null()) {
    text +=
        " Footer, metaindex or index is damaged, so blocks were looked for "
        "in the bytes of the file. " +
        Count(found.number()) +
        " of the data blocks were found in this way, and " +
        Bytes(file["lost_bytes_total"].number()) + " belong to no block.";
  }
  return text;
}

std::string FaultItem(const JsonValue& fault) {
  // A fault of a database says in which file it is.
  const JsonValue& of_table = fault["error"];
  const JsonValue& error = of_table.is_null() ? fault : of_table;
  std::string place;
  if (!of_table.is_null()) place = HtmlText(fault["file"].text());
  if (!error["block"].is_null()) {
    place += (place.empty() ? "" : ", ") + HtmlText(error["block"].text()) +
             " block " + Count(error["index"].number());
  }
  std::string html = "<li><b>" + place + "</b>";
  if (!error["block"].is_null()) {
    html += ", offset " + Count(error["offset"].number()) + ", " +
            Count(error["size"].number()) + " bytes";
  }
  return html + "<br/><small>" +
         ShortText(error["code"].text() + ": " + error["message"].text(),
                   kMostMessageBytes) +
         "</small></li>\n";
}

std::string Header(const JsonValue& file) {
  if (!file["database"].is_null()) return RenderDatabaseHeader(file);
  const Verdict verdict = VerdictOf(file);
  return RenderVerdict(verdict.style, verdict.word, WhatWasRead(file), file) +
         RenderFacts(file);
}

std::string Section(const char* id, const char* title,
                    const std::string& body) {
  if (body.empty()) return {};
  return "<section aria-labelledby=\"" + std::string(id) + "\"><h2 id=\"" + id +
         "\">" + title + "</h2>\n" + body + "</section>\n";
}

std::string TableSections(const JsonValue& file) {
  return Section("map", "Block map", RenderBlockMap(file)) +
         Section("kinds", "Bytes by kind of block", RenderBytesByKind(file)) +
         Section("types", "Entries by type", RenderEntryTypes(file)) +
         Section("keys", "Key space", RenderKeySpace(file)) +
         Section("sizes", "Sizes", RenderDistributions(file)) +
         Section("filter", "Filter", RenderFilter(file)) +
         Section("codecs", "Other codecs", RenderTrials(file)) +
         Section("properties", "Properties", RenderProperties(file));
}

std::string DatabaseSections(const JsonValue& file) {
  return Section("levels", "Levels", RenderLevels(file)) +
         Section("level-map", "Tables in the key space", RenderLevelMap(file)) +
         Section("kinds", "Bytes by kind of block", RenderBytesByKind(file)) +
         Section("types", "Entries by type", RenderEntryTypes(file)) +
         Section("sizes", "Sizes", RenderDistributions(file)) +
         Section("largest", "Largest tables", RenderLargestTables(file)) +
         Section("deletions", "Tables with the most deletions",
                 RenderMostDeletions(file)) +
         Section("properties", "Properties that all tables share",
                 RenderCommonProperties(file));
}

}  // namespace

std::string RenderFacts(const JsonValue& file) {
  constexpr size_t kMost = 80;
  std::string html = "<dl class=\"facts\">\n";
  html += RenderBytesFact("file size", file["file_bytes"].number());
  html += RenderFact("kind", HtmlText(file["magic"].text()));
  html += RenderFact("format version", FormatText(file));
  if (!file["checksum_type"].is_null()) {
    html += RenderFact("checksums", HtmlText(file["checksum_type"].text()));
  }
  const JsonValue& properties = file["properties"];
  if (!properties.is_null()) {
    const auto fact = [&](const char* label, const char* name,
                          const char* otherwise) {
      const std::string& text = properties[name].text();
      html +=
          RenderFact(label, text.empty() ? otherwise : ShortText(text, kMost));
    };
    html += RenderFact("entries", Count(properties["num_entries"].number()));
    fact("compression", "compression_name", "");
    fact("comparator", "comparator_name", "");
    fact("filter", "filter_policy_name", "none");
  }
  return html + "</dl>\n";
}

std::string RenderFaults(const JsonValue& file) {
  const std::vector<JsonValue>& faults = file["faults"].items();
  if (faults.empty()) return {};
  // The list scrolls, so it must be reachable with the keyboard.
  std::string html =
      "<ol class=\"faults\" tabindex=\"0\" aria-label=\"Faults\">\n";
  for (const JsonValue& fault : faults) html += FaultItem(fault);
  html += "</ol>\n";
  const uint64_t total = file["faults_total"].number();
  if (total > faults.size()) {
    html += "<p>And " + Count(total - faults.size()) +
            " more faults: <code>ashlar verify --max_errors=0</code> lists "
            "them all.</p>\n";
  }
  return html;
}

std::string RenderFact(std::string_view name, const std::string& value) {
  return "<div><dt>" + std::string(name) + "</dt><dd>" + value +
         "</dd></div>\n";
}

std::string RenderBytesFact(std::string_view name, uint64_t bytes) {
  return RenderFact(
      name, Bytes(bytes) + " <small>(" + Count(bytes) + " bytes)</small>");
}

std::string DescribeDecoded(const JsonValue& file) {
  const uint64_t data_blocks = file["data_blocks"].number();
  const uint64_t decoded = file["decoded_blocks"].number();
  std::string text = "Of " + Count(data_blocks) + " data blocks " +
                     (decoded == data_blocks ? "all" : Count(decoded)) +
                     " were decompressed and parsed.";
  if (decoded != data_blocks) {
    text += " Entry, key and block-size figures come from this sample.";
  }
  return text;
}

std::string RenderVerdict(const std::string& style, const std::string& words,
                          const std::string& what_was_read,
                          const JsonValue& file) {
  return "<div class=\"verdict " + style + "\" id=\"verdict\"><h2>" + words +
         "</h2>\n<p>" + what_was_read + "</p>\n" + RenderFaults(file) +
         "</div>\n";
}

std::string RenderPage(const JsonValue& file) {
  constexpr size_t kMostPathBytes = 4096;
  std::string html =
      "<!DOCTYPE html>\n"
      "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>" +
      TitleOf(file) + " - ashlar report</title>\n<style>\n";
  html += PageStyle();
  html += "</style>\n</head>\n<body>\n<header>\n<h1>" + TitleOf(file) +
          "</h1>\n<p class=\"path\">" +
          ShortText(file["path"].text(), kMostPathBytes) + "</p>\n";
  html += Header(file);
  html += "</header>\n<main>\n";
  html +=
      file["database"].is_null() ? TableSections(file) : DatabaseSections(file);
  html += "</main>\n<footer><p>Made by ashlar " +
          HtmlText(std::string(LibraryVersion())) +
          ". This page loads nothing from anywhere.</p></footer>\n<script>\n";
  html += PageScript();
  html += "</script>\n</body>\n</html>\n";
  return html;
}

}  // namespace ashlar::tool
