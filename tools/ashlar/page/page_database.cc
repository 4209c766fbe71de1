// The header of a database's page, and its sections that are tables.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/util/status.h"
#include "tools/ashlar/page/html_text.h"
#include "tools/ashlar/page/page_render.h"
#include "tools/ashlar/print/print_text.h"

namespace ashlar::tool {
namespace {

constexpr size_t kMostNameBytes = 80;
constexpr size_t kMostListedKeyBytes = 40;

std::string CountOf(uint64_t number, std::string_view thing) {
  return Count(number) + " " + std::string(thing) + (number == 1 ? "" : "s");
}

bool IsDamage(const JsonValue& fault) {
  // A table that cannot be read is as bad as one that is damaged.
  const std::string& code = fault["error"]["code"].text();
  return code == StatusCodeName(Status::Code::kCorruption) ||
         code == StatusCodeName(Status::Code::kIOError);
}

std::string WhatWasReadOfTables(const JsonValue& file) {
  std::string text = "The tables have " + Count(file["blocks_ok"].number()) +
                     " blocks that are sound, and " +
                     Count(file["blocks_bad"].number()) + " that are not. ";
  text += file["lacks_checksums"].yes()
              ? "Some tables have no checksums. "
              : "The checksum of every block that can be reached was "
                "compared. ";
  text += DescribeDecoded(file);
  const uint64_t logs = file["database"]["write_ahead_logs"].number();
  if (logs != 0) {
    text += " Newer entries may be in " + CountOf(logs, "write-ahead log") +
            ", which this page knows nothing of.";
  }
  return text;
}

std::string DatabaseVerdict(const JsonValue& file) {
  const uint64_t tables = file["tables"].number();
  const uint64_t bad = file["bad_tables"].number();
  const std::vector<JsonValue>& faults = file["faults"].items();
  if (faults.empty()) {
    return RenderVerdict(
        "ok", tables == 0 ? "It has no tables" : "All live tables are sound",
        WhatWasReadOfTables(file), file);
  }
  const std::string of_them = Count(bad) + " of " + CountOf(tables, "table");
  const bool damaged = std::any_of(faults.begin(), faults.end(), IsDamage);
  const std::string verb = bad == 1 ? " is " : " are ";
  return damaged
             ? RenderVerdict("bad", of_them + verb + "damaged",
                             WhatWasReadOfTables(file), file)
             : RenderVerdict("odd", of_them + " cannot be read by this program",
                             WhatWasReadOfTables(file), file);
}

std::string LogsText(const JsonValue& logs) {
  if (logs.is_null()) return "not counted";
  return logs.number() == 0 ? "none that matter"
                            : Count(logs.number()) +
                                  " <small>(not read)"
                                  "</small>";
}

std::string BlobsText(const JsonValue& database) {
  const uint64_t files = database["blob_files"].number();
  if (files == 0) return "none";
  return CountOf(files, "file") + ", " +
         Bytes(database["blob_bytes"].number()) + " <small>(" +
         Bytes(database["blob_garbage_bytes"].number()) +
         " of it garbage; not read)</small>";
}

uint64_t SumOver(const JsonValue& levels, std::string_view member) {
  uint64_t sum = 0;
  for (const JsonValue& level : levels.items()) sum += level[member].number();
  return sum;
}

// Returns a cell. On narrow screens, it shows its name.
std::string NamedCell(std::string_view name, const std::string& text) {
  return "<td class=\"n\" data-name=\"" + std::string(name) + "\">" + text +
         "</td>";
}

std::string LevelRow(const JsonValue& level, const std::string& name,
                     uint64_t bytes) {
  const uint64_t files = level["files"].number();
  const uint64_t file_bytes = level["file_bytes"].number();
  const uint64_t entries = level["entries"].number();
  const uint64_t deletions = level["deletions"].number();
  const uint64_t data_bytes = level["data_bytes"].number();
  const bool known = level["without_properties"].number() != files;
  const JsonValue& below = level["overlapped_bytes"];
  const double share = Share(file_bytes, bytes);
  return "<tr><th scope=\"row\">" + name + "</th>" +
         NamedCell("tables", Count(files)) +
         NamedCell("bytes", Bytes(file_bytes)) +
         NamedCell("of all bytes", Percent(share, 1)) + BarCell(share) +
         NamedCell("entries", known ? Count(entries) : "-") +
         NamedCell("deletions", known ? Count(deletions) : "-") +
         NamedCell(
             "ratio",
             data_bytes == 0
                 ? "-"
                 : Fixed(Share(level["raw_bytes"].number(), data_bytes), 2)) +
         NamedCell("overlap",
                   below.is_null() || file_bytes == 0
                       ? "-"
                       : Fixed(Share(below.number(), file_bytes), 2)) +
         "</tr>\n";
}

std::string TableList(const JsonValue& tables) {
  if (tables.items().empty()) return {};
  std::string html =
      "<table class=\"cards\"><thead><tr><th scope=\"col\">table</th><th "
      "scope=\"col\">level</th><th scope=\"col\">bytes</th><th "
      "scope=\"col\">entries</th><th scope=\"col\">deletions</th><th "
      "scope=\"col\">of its entries</th><th scope=\"col\" class=\"key\">first "
      "key</th><th scope=\"col\" class=\"key\">last key</th></tr></thead>"
      "<tbody>\n";
  for (const JsonValue& table : tables.items()) {
    const uint64_t entries = table["entries"].number();
    const uint64_t deletions = table["deletions"].number();
    const auto key = [&](const char* name, const char* member) {
      return "<td class=\"key\" data-name=\"" + std::string(name) +
             "\"><code>" +
             ShortText(table[member].bytes(), kMostListedKeyBytes) +
             "</code></td>";
    };
    html += "<tr><th scope=\"row\">" + HtmlText(table["file"].text()) +
            "</th>" + NamedCell("level", Count(table["level"].number())) +
            NamedCell("bytes", Bytes(table["file_bytes"].number())) +
            NamedCell("entries", Count(entries)) +
            NamedCell("deletions", Count(deletions)) +
            NamedCell("of its entries", Percent(Share(deletions, entries), 1)) +
            key("first key", "smallest") + key("last key", "largest") +
            "</tr>\n";
  }
  return html + "</tbody></table>\n";
}

}  // namespace

std::string RenderDatabaseHeader(const JsonValue& file) {
  const JsonValue& database = file["database"];
  const JsonValue& levels = file["levels"];
  std::string html = DatabaseVerdict(file) + "<dl class=\"facts\">\n";
  const auto fact = [&](const char* name, const std::string& value) {
    html += RenderFact(name, value);
  };
  fact("column family",
       ShortText(database["column_family"].text(), kMostNameBytes) +
           " <small>(of " + Count(database["column_families"].number()) +
           ")</small>");
  fact("comparator", ShortText(database["comparator"].text(), kMostNameBytes));
  fact("tables", Count(file["tables"].number()) + " <small>on " +
                     CountOf(levels.items().size(), "level") + "</small>");
  html += RenderBytesFact("bytes of the tables", file["file_bytes"].number());
  fact("entries", Count(SumOver(levels, "entries")));
  fact("last sequence number", Count(database["last_sequence"].number()));
  const std::string& manifest = database["manifest"].text();
  fact("manifest", manifest.empty() ? "none: without a CURRENT, all tables "
                                      "count as one level"
                                    : HtmlText(manifest));
  fact("write-ahead logs", LogsText(database["write_ahead_logs"]));
  fact("blob files", BlobsText(database));
  if (!database["db_id"].text().empty()) {
    fact("database identity",
         ShortText(database["db_id"].text(), kMostNameBytes));
  }
  return html + "</dl>\n";
}

std::string RenderLevels(const JsonValue& file) {
  const JsonValue& levels = file["levels"];
  if (levels.items().empty()) return {};
  std::string html =
      "<p>Entries and deletions are those that the properties of the tables "
      "count. The ratio is that of keys and values to data blocks as stored. "
      "Overlap is how many bytes of the next level have keys in the range of "
      "a table, for each byte of this level.</p>\n"
      "<table class=\"cards\"><thead><tr><th scope=\"col\">level</th><th "
      "scope=\"col\">tables</th><th scope=\"col\">bytes</th><th "
      "scope=\"col\">of all bytes</th><th></th><th scope=\"col\">entries</th>"
      "<th scope=\"col\">deletions</th><th scope=\"col\">ratio</th><th "
      "scope=\"col\">overlap</th></tr></thead><tbody>\n";
  const uint64_t bytes = file["file_bytes"].number();
  for (const JsonValue& level : levels.items()) {
    html += LevelRow(level, "level " + Count(level["level"].number()), bytes);
  }
  html += "</tbody></table>\n";
  const uint64_t unknown = SumOver(levels, "without_properties");
  if (unknown != 0) {
    html +=
        "<p>Without properties, and so not counted in entries, deletions "
        "and ratio: " +
        CountOf(unknown, "table") + ".</p>\n";
  }
  return html;
}

std::string RenderLargestTables(const JsonValue& file) {
  return TableList(file["largest_tables"]);
}

std::string RenderMostDeletions(const JsonValue& file) {
  return TableList(file["most_deletions"]);
}

std::string RenderCommonProperties(const JsonValue& file) {
  constexpr size_t kMostValueBytes = 200;
  const std::vector<JsonValue>& common = file["common_properties"].items();
  if (common.empty()) return {};
  std::string html = "<table class=\"left\"><tbody>\n";
  for (const JsonValue& property : common) {
    html += "<tr><th scope=\"row\">" +
            ShortText(property["label"].text(), kMostNameBytes) + "</th><td>" +
            ShortText(
                PropertyText(property["label"].text(), property["text"].text()),
                kMostValueBytes) +
            "</td></tr>\n";
  }
  html += "</tbody></table>\n";
  std::string others;
  for (const JsonValue& label : file["differing_properties"].items()) {
    others += (others.empty() ? "" : ", ") + HtmlText(label.text());
  }
  if (!others.empty()) html += "<p>They differ in: " + others + ".</p>\n";
  return html;
}

}  // namespace ashlar::tool
