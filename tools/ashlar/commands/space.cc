// space: shows bytes by range of keys, or by prefix.
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/key_prefix.h"
#include "tools/ashlar/inputs/key_range.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/measure/file_space.h"
#include "tools/ashlar/print/print_text.h"

namespace ashlar::tool {
namespace {

// --- Text -------------------------------------------------------------------

std::string PercentOf(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %%",
                100 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

std::string QuotedKey(const std::string& key, ByteStyle style) {
  // Raw bytes might break the lines of the output.
  return "'" +
         (style == ByteStyle::kHex ? ToHex(key, HexCase::kUpper)
                                   : Escape(key)) +
         "'";
}

// Aligns numbers to the right. The last column needs no padding.
using Row = std::vector<std::string>;
void PrintColumns(const std::vector<Row>& rows, Output* out) {
  std::vector<size_t> widths(rows[0].size() - 1);
  for (const Row& row : rows) {
    for (size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < widths.size(); ++i) {
      line += std::string(widths[i] - row[i].size(), ' ') + row[i] + "  ";
    }
    out->Append(line + row.back() + "\n");
  }
}

void PrintRanges(const std::vector<KeySpaceRange>& ranges, uint64_t bytes,
                 Output* out) {
  const ByteStyle style = ChosenByteStyle();
  std::vector<Row> rows = {{"blocks", "bytes", "share", "keys up to"}};
  for (const KeySpaceRange& range : ranges) {
    rows.push_back({std::to_string(range.blocks), std::to_string(range.bytes),
                    PercentOf(range.bytes, bytes),
                    QuotedKey(range.last, style)});
  }
  PrintColumns(rows, out);
}

Row PrefixRow(const SpaceTaken& taken, uint64_t bytes, std::string name) {
  return {
      std::to_string(taken.entries),        std::to_string(taken.key_bytes),
      std::to_string(taken.value_bytes),    std::to_string(taken.stored_bytes),
      PercentOf(taken.stored_bytes, bytes), std::move(name)};
}

void PrintPrefixes(const PrefixSpace& prefixes, Output* out) {
  const ByteStyle style = ChosenByteStyle();
  const uint64_t bytes = prefixes.Total().stored_bytes;
  std::vector<Row> rows = {{"entries", "key bytes", "value bytes",
                            "stored bytes", "share", "prefix"}};
  SpaceTaken others;
  for (const auto& [prefix, taken] : prefixes.Largest(FLAGS_top, &others)) {
    rows.push_back(PrefixRow(taken, bytes, QuotedKey(prefix, style)));
  }
  if (others.entries != 0) rows.push_back(PrefixRow(others, bytes, "others"));
  PrintColumns(rows, out);
}

// --- JSON -------------------------------------------------------------------

void WriteRanges(const std::vector<KeySpaceRange>& ranges, JsonWriter* json) {
  json->Key("ranges");
  json->BeginArray();
  for (const KeySpaceRange& range : ranges) {
    json->BeginObject();
    json->HexMember("last", range.last);
    json->NumberMember("blocks", range.blocks);
    json->NumberMember("bytes", range.bytes);
    json->EndObject();
  }
  json->EndArray();
}

void WriteTaken(const SpaceTaken& taken, JsonWriter* json) {
  json->NumberMember("entries", taken.entries);
  json->NumberMember("key_bytes", taken.key_bytes);
  json->NumberMember("value_bytes", taken.value_bytes);
  json->NumberMember("stored_bytes", taken.stored_bytes);
}

void WritePrefixes(const PrefixSpace& prefixes, JsonWriter* json) {
  SpaceTaken others;
  json->Key("prefixes");
  json->BeginArray();
  for (const auto& [prefix, taken] : prefixes.Largest(FLAGS_top, &others)) {
    json->BeginObject();
    json->HexMember("prefix", prefix);
    WriteTaken(taken, json);
    json->EndObject();
  }
  json->EndArray();
  json->Key("others");
  json->BeginObject();
  WriteTaken(others, json);
  json->EndObject();
}

class Space {
 public:
  std::string Prepare(const CommandLine& line) {
    if (line.Given("ranges") && WantsPrefixes()) {
      return "--ranges goes with neither --prefix_length nor "
             "--prefix_separator";
    }
    return range_.Parse(line);
  }

  void Show(const std::string& path, Report* report) {
    FileSpace space;
    if (!ReadFileSpace(path, range_, &space, report)) return;
    AddToTotal(space);
    PrintSpace(std::move(space), report);
  }

  // To be called after the last file.
  void Finish(Report* report) {
    if (report->text() && files_ < 2) return;
    if (orders_differ_) {
      all_.blocks.clear();
    } else if (all_.order != nullptr) {
      SortRanges(*all_.order, &all_.blocks);
    }
    if (report->text()) {
      report->out()->Append("All " + std::to_string(files_) + " files\n");
      if (orders_differ_ && !WantsPrefixes()) {
        report->out()->Append(
            "no ranges: comparators differ or are not known\n");
      }
      PrintSpace(std::move(all_), report);
      return;
    }
    report->json()->Key("space");
    report->json()->BeginObject();
    PrintSpace(std::move(all_), report);
    report->json()->EndObject();
  }

 private:
  void AddToTotal(const FileSpace& space) {
    // A limit of ranges per file, so that memory suffices. It is enough for any
    // chart.
    constexpr uint64_t kMostOfFile = 1024;
    ++files_;
    all_.data_blocks += space.data_blocks;
    all_.data_bytes += space.data_bytes;
    all_.file_bytes += space.file_bytes;
    all_.prefixes.Merge(space.prefixes);
    orders_differ_ = orders_differ_ || space.order == nullptr ||
                     (all_.order != nullptr && all_.order != space.order);
    all_.order = space.order;
    if (orders_differ_) return;
    for (KeySpaceRange& range : CutIntoRanges(space.blocks, kMostOfFile)) {
      all_.blocks.push_back(std::move(range));
    }
  }

  static void PrintSpace(FileSpace space, Report* report) {
    if (report->text()) {
      Output* const out = report->out();
      if (WantsPrefixes()) {
        PrintPrefixes(space.prefixes, out);
      } else if (!space.blocks.empty()) {
        PrintRanges(CutIntoRanges(std::move(space.blocks), FLAGS_ranges),
                    space.data_bytes, out);
      }
      out->Append("total: " + std::to_string(space.data_blocks) +
                  " data blocks, " + std::to_string(space.data_bytes) +
                  " bytes of " + std::to_string(space.file_bytes) + "\n");
      return;
    }
    JsonWriter* const json = report->json();
    json->NumberMember("data_blocks", space.data_blocks);
    json->NumberMember("data_bytes", space.data_bytes);
    json->NumberMember("file_bytes", space.file_bytes);
    if (WantsPrefixes()) {
      WritePrefixes(space.prefixes, json);
    } else {
      WriteRanges(CutIntoRanges(std::move(space.blocks), FLAGS_ranges), json);
    }
  }

  KeyRange range_;
  FileSpace all_;
  uint64_t files_ = 0;
  bool orders_differ_ = false;
};

}  // namespace

int RunSpace(const CommandLine& line) {
  Space space;
  const std::string error = space.Prepare(line);
  if (!error.empty()) return UsageError(error);
  return RunOverFiles(
      line, "space",
      [&space](const std::string& path, Report* report) {
        space.Show(path, report);
      },
      [&space](Report* report) { space.Finish(report); });
}

}  // namespace ashlar::tool
