// overlap: finds which of many tables have overlapping ranges of keys.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/measure/key_overlaps.h"
#include "tools/ashlar/print/print_text.h"

namespace ashlar::tool {
namespace {

// Whether one call of IngestExternalFile takes all the tables. kInOrder: it
// does, but they overlap, and for a key in several files the last file that is
// named wins.
enum class Batch : uint8_t { kYes, kInOrder, kNo };

// Finds the first and the last user key of the entries, by reading only both
// ends of the table.
Status FindPointBounds(const TableReader& table,
                       std::optional<KeyBounds>* bounds) {
  ReadOptions options = ReadOptionsFromFlags();
  options.ignore_range_deletions = true;
  // What is between the ends is not needed.
  options.readahead_size = 0;
  const size_t timestamp = table.comparator()->timestamp_size();
  Iterator it = table.NewIterator(options);
  it.SeekToFirst();
  if (!it.Valid()) return it.status();
  KeyBounds found;
  found.smallest = WithoutTimestamp(it.user_key(), timestamp).ToString();
  it.SeekToLast();
  if (!it.Valid()) return it.status();
  found.largest = WithoutTimestamp(it.user_key(), timestamp).ToString();
  *bounds = std::move(found);
  return Status();
}

void AddRangeDeletions(const TableReader& table,
                       std::optional<KeyBounds>* bounds) {
  const Comparator& order = *table.comparator();
  const size_t timestamp = order.timestamp_size();
  for (const RangeDeletion& deletion : table.RangeDeletions()) {
    KeyBounds range;
    range.smallest = WithoutTimestamp(deletion.begin, timestamp).ToString();
    range.largest = WithoutTimestamp(deletion.end, timestamp).ToString();
    range.largest_is_exclusive = true;
    // The range deletion covers nothing.
    if (order.CompareWithoutTimestamp(range.smallest, range.largest) >= 0) {
      continue;
    }
    if (!*bounds) {
      *bounds = std::move(range);
      continue;
    }
    KeyBounds& all = **bounds;
    if (order.CompareWithoutTimestamp(range.smallest, all.smallest) < 0) {
      all.smallest = std::move(range.smallest);
    }
    if (CompareEnds(all, range, order) < 0) {
      all.largest = std::move(range.largest);
      all.largest_is_exclusive = true;
    }
  }
}

std::string KeyText(const std::string& key, ByteStyle style) {
  // Raw bytes might break the lines of the output.
  return style == ByteStyle::kHex ? ToHex(key, HexCase::kUpper) : Escape(key);
}

std::string BoundsText(const KeyBounds& bounds, ByteStyle style) {
  return "'" + KeyText(bounds.smallest, style) +
         (bounds.largest_is_exclusive ? "' to before '" : "' to '") +
         KeyText(bounds.largest, style) + "'";
}

std::string CountText(uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) +
         (count == 1 ? "" : "s");
}

void WriteBounds(const KeyBounds& bounds, JsonWriter* json) {
  json->HexMember("smallest", bounds.smallest);
  json->HexMember("largest", bounds.largest);
  json->BoolMember("largest_is_exclusive", bounds.largest_is_exclusive);
}

class Overlaps {
 public:
  void Look(const std::string& path, Report* report) {
    const auto table = OpenTable(path, false, report);
    if (table == nullptr) return;
    std::optional<KeyBounds> bounds;
    const Status status = FindPointBounds(*table, &bounds);
    if (!status.ok()) {
      report->AddFault(status);
      return;
    }
    AddRangeDeletions(*table, &bounds);
    PrintKeys(table->comparator()->Name(), bounds, report);
    if (!table->properties().external_sst_file_version) ++not_external_;
    ++files_;
    if (bounds) {
      tables_[table->comparator()].push_back({path, std::move(*bounds)});
    } else {
      empty_.push_back(path);
    }
  }

  // To be called after the last table.
  void Finish(Report* report) {
    all_sound_ = report->AllSound();
    for (auto& [comparator, tables] : tables_) {
      found_.emplace_back(comparator, FindKeyOverlaps(std::move(tables),
                                                      *comparator, FLAGS_top));
      for (const auto& group : found_.back().second.groups) {
        const size_t count = group.end - group.begin;
        if (count == 1) continue;
        ++groups_;
        overlapping_ += count;
      }
      pairs_ += found_.back().second.pairs_total;
    }
    if (report->text()) {
      Print(report->out());
    } else {
      Write(report->json());
    }
  }

 private:
  struct ByName {
    bool operator()(const Comparator* a, const Comparator* b) const {
      return a->Name() < b->Name();
    }
  };
  using Found = std::vector<std::pair<const Comparator*, KeyOverlaps>>;

  void PrintKeys(std::string_view comparator,
                 const std::optional<KeyBounds>& bounds, Report* report) const {
    if (report->text()) {
      report->out()->Append(bounds
                                ? "keys: " + BoundsText(*bounds, style_) + "\n"
                                : std::string("keys: none\n"));
      return;
    }
    report->json()->Member("comparator", comparator);
    if (bounds) WriteBounds(*bounds, report->json());
  }

  Batch OneBatch() const {
    if (!all_sound_ || files_ == 0 || !empty_.empty() || found_.size() > 1) {
      return Batch::kNo;
    }
    if (overlapping_ == 0) return Batch::kYes;
    return found_[0].first->timestamp_size() == 0 ? Batch::kInOrder
                                                  : Batch::kNo;
  }

  // --- Text -----------------------------------------------------------------

  void Print(Output* out) const {
    for (const auto& [comparator, overlaps] : found_) {
      if (found_.size() > 1) {
        out->Append("comparator " + std::string(comparator->Name()) + ":\n");
      }
      PrintGroups(overlaps, out);
      PrintPairs(overlaps, out);
    }
    if (!empty_.empty()) {
      out->Append("no entries: " + CountText(empty_.size(), "file") + "\n");
      for (const std::string& path : empty_)
        out->Append("  " + PrintableText(path) + "\n");
    }
    out->Append(
        "files: " + std::to_string(files_) +
        ", of them without overlap: " + std::to_string(files_ - overlapping_) +
        ", groups that overlap: " + std::to_string(groups_) +
        ", pairs: " + std::to_string(pairs_) + "\n");
    if (!FLAGS_quiet && files_ != 0) PrintBatch(out);
  }

  void PrintGroups(const KeyOverlaps& overlaps, Output* out) const {
    uint64_t alone = 0;
    for (const KeyOverlaps::Group& group : overlaps.groups) {
      const size_t count = group.end - group.begin;
      if (count == 1) {
        ++alone;
        continue;
      }
      out->Append("overlap: " + CountText(count, "file") + ", " +
                  BoundsText(group.bounds, style_) + "\n");
      PrintTables(overlaps, group, out);
    }
    if (alone == 0) return;
    out->Append("no overlap: " + CountText(alone, "file") + "\n");
    for (const KeyOverlaps::Group& group : overlaps.groups) {
      if (group.end - group.begin == 1) PrintTables(overlaps, group, out);
    }
  }

  void PrintTables(const KeyOverlaps& overlaps, const KeyOverlaps::Group& group,
                   Output* out) const {
    for (size_t i = group.begin; i < group.end; ++i) {
      const BoundedTable& table = overlaps.tables[i];
      out->Append("  " + PrintableText(table.path) + ": " +
                  BoundsText(table.bounds, style_) + "\n");
    }
  }

  void PrintPairs(const KeyOverlaps& overlaps, Output* out) const {
    if (overlaps.pairs.empty()) return;
    out->Append("pairs that overlap: " + std::to_string(overlaps.pairs_total) +
                "\n");
    for (const KeyOverlaps::Pair& pair : overlaps.pairs) {
      out->Append("  " + PrintableText(overlaps.tables[pair.first].path) +
                  " and " + PrintableText(overlaps.tables[pair.second].path) +
                  ": " + BoundsText(pair.common, style_) + "\n");
    }
    const uint64_t hidden = overlaps.pairs_total - overlaps.pairs.size();
    if (hidden == 0) return;
    out->Append("  " + std::to_string(hidden) + " more not shown (--top)\n");
  }

  void PrintBatch(Output* out) const {
    std::string line = "one call of IngestExternalFile: ";
    switch (OneBatch()) {
      case Batch::kYes:
        line += "yes";
        break;
      case Batch::kInOrder:
        line += "yes, but they overlap: of a key the last file named wins";
        break;
      case Batch::kNo:
        line += "no";
        if (!all_sound_) line += ", not all could be read";
        if (!empty_.empty()) line += ", some have no entries";
        if (found_.size() > 1) line += ", their comparators differ";
        if (overlapping_ != 0) line += ", they overlap";
        break;
    }
    if (not_external_ != 0) {
      line += "; " + CountText(not_external_, "file") +
              " not made for it (allow_db_generated_files)";
    }
    out->Append(line + "\n");
  }

  // --- JSON -----------------------------------------------------------------

  void Write(JsonWriter* json) const {
    constexpr std::string_view kBatchNames[] = {"yes", "in_order", "no"};
    json->Key("overlap");
    json->BeginObject();
    json->Member("one_batch", kBatchNames[static_cast<size_t>(OneBatch())]);
    json->NumberMember("not_external", not_external_);
    json->Key("groups");
    json->BeginArray();
    ForEachGroup([&](const auto& comparator, const auto& overlaps,
                     const KeyOverlaps::Group& group) {
      if (group.end - group.begin != 1) {
        WriteGroup(comparator, overlaps, group, json);
      }
    });
    json->EndArray();
    json->Key("alone");
    json->BeginArray();
    ForEachGroup([&](const auto&, const auto& overlaps,
                     const KeyOverlaps::Group& group) {
      if (group.end - group.begin == 1) {
        json->String(overlaps.tables[group.begin].path);
      }
    });
    json->EndArray();
    json->Key("empty");
    json->BeginArray();
    for (const std::string& path : empty_) json->String(path);
    json->EndArray();
    WritePairs(json);
    json->EndObject();
  }

  template <typename Visit>
  void ForEachGroup(const Visit& visit) const {
    for (const auto& [comparator, overlaps] : found_) {
      for (const KeyOverlaps::Group& group : overlaps.groups) {
        visit(*comparator, overlaps, group);
      }
    }
  }

  static void WriteGroup(const Comparator& comparator,
                         const KeyOverlaps& overlaps,
                         const KeyOverlaps::Group& group, JsonWriter* json) {
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
  }

  void WritePairs(JsonWriter* json) const {
    json->Key("pairs");
    json->BeginArray();
    for (const auto& [comparator, overlaps] : found_) {
      for (const KeyOverlaps::Pair& pair : overlaps.pairs) {
        json->BeginObject();
        json->Member("first", overlaps.tables[pair.first].path);
        json->Member("second", overlaps.tables[pair.second].path);
        WriteBounds(pair.common, json);
        json->EndObject();
      }
    }
    json->EndArray();
    json->NumberMember("pairs_total", pairs_);
  }

  const ByteStyle style_ = ChosenByteStyle();
  std::map<const Comparator*, std::vector<BoundedTable>, ByName> tables_;
  std::vector<std::string> empty_;
  bool all_sound_ = false;
  uint64_t files_ = 0;
  uint64_t not_external_ = 0;
  Found found_;
  uint64_t groups_ = 0;
  uint64_t overlapping_ = 0;
  uint64_t pairs_ = 0;
};

}  // namespace

int RunOverlap(const CommandLine& line) {
  const std::string error = CheckComparatorFlag();
  if (!error.empty()) return UsageError(error);
  Overlaps overlaps;
  return RunOverFiles(
      line, "overlap",
      [&overlaps](const std::string& path, Report* report) {
        overlaps.Look(path, report);
      },
      [&overlaps](Report* report) { overlaps.Finish(report); });
}

}  // namespace ashlar::tool
