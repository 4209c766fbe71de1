// The printers of `space`.
#include <string>
#include <utility>
#include <vector>

#include "tools/ashlar/print/print_json.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

std::string ShareText(uint64_t part, uint64_t whole) {
  return whole == 0 ? "-" : Percent(Share(part, whole), 2);
}

std::string QuotedKey(const std::string& key) {
  return "'" + KeyText(key) + "'";
}

void PrintRanges(const SpaceResult& space, Output* out) {
  std::vector<TextRow> rows = {{"blocks", "bytes", "share", "keys up to"}};
  for (const KeySpaceRange& range : space.ranges) {
    rows.push_back({std::to_string(range.blocks), std::to_string(range.bytes),
                    ShareText(range.bytes, space.data_bytes),
                    QuotedKey(range.last)});
  }
  PrintColumns(rows, "rrr", nullptr, out);
}

TextRow PrefixRow(const SpaceTaken& taken, uint64_t bytes, std::string name) {
  return {
      std::to_string(taken.entries),        std::to_string(taken.key_bytes),
      std::to_string(taken.value_bytes),    std::to_string(taken.stored_bytes),
      ShareText(taken.stored_bytes, bytes), std::move(name)};
}

void PrintPrefixes(const SpaceResult& space, Output* out) {
  uint64_t bytes = space.others.stored_bytes;
  for (const auto& [prefix, taken] : space.prefixes) {
    bytes += taken.stored_bytes;
  }
  std::vector<TextRow> rows = {{"entries", "key bytes", "value bytes",
                                "stored bytes", "share", "prefix"}};
  for (const auto& [prefix, taken] : space.prefixes) {
    rows.push_back(PrefixRow(taken, bytes, QuotedKey(prefix)));
  }
  if (space.others.entries != 0) {
    rows.push_back(PrefixRow(space.others, bytes, "others"));
  }
  PrintColumns(rows, "rrrrr", nullptr, out);
}

void WriteTaken(const SpaceTaken& taken, JsonWriter* json) {
  json->NumberMember("entries", taken.entries);
  json->NumberMember("key_bytes", taken.key_bytes);
  json->NumberMember("value_bytes", taken.value_bytes);
  json->NumberMember("stored_bytes", taken.stored_bytes);
}

}  // namespace

void PrintText(const SpaceResult& space, Output* out) {
  if (space.by_prefix) {
    PrintPrefixes(space, out);
  } else if (!space.ranges.empty()) {
    PrintRanges(space, out);
  }
  out->Append("total: " + std::to_string(space.data_blocks) + " data blocks, " +
              std::to_string(space.data_bytes) + " bytes of " +
              std::to_string(space.file_bytes) + "\n");
}

void WriteJson(const SpaceResult& space, JsonWriter* json) {
  json->NumberMember("data_blocks", space.data_blocks);
  json->NumberMember("data_bytes", space.data_bytes);
  json->NumberMember("file_bytes", space.file_bytes);
  if (!space.by_prefix) {
    json->ObjectsMember("ranges", space.ranges, [&](const auto& range) {
      json->HexMember("last", range.last);
      json->NumberMember("blocks", range.blocks);
      json->NumberMember("bytes", range.bytes);
    });
    return;
  }
  json->ObjectsMember("prefixes", space.prefixes, [&](const auto& row) {
    json->HexMember("prefix", row.first);
    WriteTaken(row.second, json);
  });
  json->ObjectMember("others", [&] { WriteTaken(space.others, json); });
}

void PrintText(const DatabaseSpace& database, Output* out) {
  const SpaceResult& all = database.space;
  std::vector<TextRow> rows = {
      {"level", "files", "data blocks", "data bytes", "file bytes", "share"}};
  for (const LevelSpace& level : database.levels) {
    rows.push_back({std::to_string(level.level), std::to_string(level.files),
                    std::to_string(level.data_blocks),
                    std::to_string(level.data_bytes),
                    std::to_string(level.file_bytes),
                    ShareText(level.file_bytes, all.file_bytes)});
  }
  PrintColumns(rows, "rrrrr", nullptr, out);
  PrintText(all, out);
}

void WriteJson(const DatabaseSpace& database, JsonWriter* json) {
  json->ObjectsMember("levels", database.levels, [&](const auto& level) {
    json->NumberMember("level", level.level);
    json->NumberMember("files", level.files);
    json->NumberMember("data_blocks", level.data_blocks);
    json->NumberMember("data_bytes", level.data_bytes);
    json->NumberMember("file_bytes", level.file_bytes);
  });
  WriteJson(database.space, json);
}

void PrintText(const TotalSpace& total, Output* out) {
  if (!total.is_of_several_inputs) return;
  out->Append("All " + std::to_string(total.files) + " files\n");
  if (total.orders_differ && !total.space.by_prefix) {
    out->Append("no ranges: comparators differ or are not known\n");
  }
  PrintText(total.space, out);
}

void WriteJson(const TotalSpace& total, JsonWriter* json) {
  json->ObjectMember("space", [&] { WriteJson(total.space, json); });
}

}  // namespace ashlar::tool
