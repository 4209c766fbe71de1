// The printers of `overlap`.
#include <string>
#include <string_view>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/print_json.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

std::string BoundsText(const KeyBounds& bounds) {
  return "'" + KeyText(bounds.smallest) +
         (bounds.largest_is_exclusive ? "' to before '" : "' to '") +
         KeyText(bounds.largest) + "'";
}

std::string CountText(uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) +
         (count == 1 ? "" : "s");
}

void PrintTables(const KeyOverlaps& overlaps, const KeyOverlaps::Group& group,
                 Output* out) {
  for (size_t i = group.begin; i < group.end; ++i) {
    const BoundedTable& table = overlaps.tables[i];
    out->Append("  " + PrintableText(table.path) + ": " +
                BoundsText(table.bounds) + "\n");
  }
}

void PrintGroups(const KeyOverlaps& overlaps, Output* out) {
  uint64_t alone = 0;
  for (const KeyOverlaps::Group& group : overlaps.groups) {
    const size_t count = group.end - group.begin;
    if (count == 1) {
      ++alone;
      continue;
    }
    out->Append("overlap: " + CountText(count, "file") + ", " +
                BoundsText(group.bounds) + "\n");
    PrintTables(overlaps, group, out);
  }
  if (alone == 0) return;
  out->Append("no overlap: " + CountText(alone, "file") + "\n");
  for (const KeyOverlaps::Group& group : overlaps.groups) {
    if (group.end - group.begin == 1) PrintTables(overlaps, group, out);
  }
}

void PrintPairs(const KeyOverlaps& overlaps, Output* out) {
  if (overlaps.pairs.empty()) return;
  out->Append("pairs that overlap: " + std::to_string(overlaps.pairs_total) +
              "\n");
  for (const KeyOverlaps::Pair& pair : overlaps.pairs) {
    out->Append("  " + PrintableText(overlaps.tables[pair.first].path) +
                " and " + PrintableText(overlaps.tables[pair.second].path) +
                ": " + BoundsText(pair.common) + "\n");
  }
  const uint64_t hidden = overlaps.pairs_total - overlaps.pairs.size();
  if (hidden == 0) return;
  out->Append("  " + std::to_string(hidden) + " more not shown (--top)\n");
}

std::string BatchLine(const OverlapResult& tables) {
  std::string line = "one call of IngestExternalFile: ";
  switch (tables.one_batch) {
    case OverlapResult::Batch::kYes:
      line += "yes";
      break;
    case OverlapResult::Batch::kInOrder:
      line += "yes, but they overlap: of a key the last file named wins";
      break;
    case OverlapResult::Batch::kNo:
      line += "no";
      if (!tables.all_sound) line += ", not all could be read";
      if (!tables.empty.empty()) line += ", some have no entries";
      if (tables.found.size() > 1) line += ", their comparators differ";
      if (tables.overlapping != 0) line += ", they overlap";
      break;
  }
  if (tables.not_external != 0) {
    line += "; " + CountText(tables.not_external, "file") +
            " not made for it (allow_db_generated_files)";
  }
  return line + "\n";
}

void WriteBounds(const KeyBounds& bounds, JsonWriter* json) {
  json->HexMember("smallest", bounds.smallest);
  json->HexMember("largest", bounds.largest);
  json->BoolMember("largest_is_exclusive", bounds.largest_is_exclusive);
}

template <typename Visit>
void ForEachGroup(const OverlapResult& tables, const Visit& visit) {
  for (const auto& [comparator, overlaps] : tables.found) {
    for (const KeyOverlaps::Group& group : overlaps.groups) {
      visit(*comparator, overlaps, group);
    }
  }
}

void WriteGroups(const OverlapResult& tables, JsonWriter* json) {
  json->Key("groups");
  json->BeginArray();
  ForEachGroup(tables, [&](const auto& comparator, const auto& overlaps,
                           const KeyOverlaps::Group& group) {
    if (group.end - group.begin == 1) return;
    json->BeginObject();
    json->Member("comparator", comparator.Name());
    WriteBounds(group.bounds, json);
    json->Key("files");
    json->BeginArray();
    for (size_t i = group.begin; i < group.end; ++i) {
      json->String(overlaps.tables[i].path);
    }
    json->EndArray();
    json->EndObject();
  });
  json->EndArray();
  json->Key("alone");
  json->BeginArray();
  ForEachGroup(tables, [&](const auto&, const auto& overlaps,
                           const KeyOverlaps::Group& group) {
    if (group.end - group.begin == 1) {
      json->String(overlaps.tables[group.begin].path);
    }
  });
  json->EndArray();
}

}  // namespace

void PrintText(const TableKeys& keys, Output* out) {
  out->Append("keys: " + (keys.bounds ? BoundsText(*keys.bounds) : "none") +
              "\n");
}

void WriteJson(const TableKeys& keys, JsonWriter* json) {
  json->Member("comparator", keys.comparator);
  if (keys.bounds) WriteBounds(*keys.bounds, json);
}

void PrintText(const OverlapResult& tables, Output* out) {
  for (const auto& [comparator, overlaps] : tables.found) {
    if (tables.found.size() > 1) {
      out->Append("comparator " + std::string(comparator->Name()) + ":\n");
    }
    PrintGroups(overlaps, out);
    PrintPairs(overlaps, out);
  }
  if (!tables.empty.empty()) {
    out->Append("no entries: " + CountText(tables.empty.size(), "file") + "\n");
    for (const std::string& path : tables.empty)
      out->Append("  " + PrintableText(path) + "\n");
  }
  out->Append("files: " + std::to_string(tables.files) +
              ", of them without overlap: " +
              std::to_string(tables.files - tables.overlapping) +
              ", groups that overlap: " + std::to_string(tables.groups) +
              ", pairs: " + std::to_string(tables.pairs) + "\n");
  if (!FLAGS_quiet && tables.files != 0) out->Append(BatchLine(tables));
}

void WriteJson(const OverlapResult& tables, JsonWriter* json) {
  constexpr std::string_view kBatchNames[] = {"yes", "in_order", "no"};
  json->ObjectMember("overlap", [&] {
    json->Member("one_batch",
                 kBatchNames[static_cast<size_t>(tables.one_batch)]);
    json->NumberMember("not_external", tables.not_external);
    WriteGroups(tables, json);
    json->ArrayMember("empty", tables.empty,
                      [&](const std::string& path) { json->String(path); });
    json->Key("pairs");
    json->BeginArray();
    for (const auto& [comparator, overlaps] : tables.found) {
      for (const KeyOverlaps::Pair& pair : overlaps.pairs) {
        json->BeginObject();
        json->Member("first", overlaps.tables[pair.first].path);
        json->Member("second", overlaps.tables[pair.second].path);
        WriteBounds(pair.common, json);
        json->EndObject();
      }
    }
    json->EndArray();
    json->NumberMember("pairs_total", tables.pairs);
  });
}

}  // namespace ashlar::tool
