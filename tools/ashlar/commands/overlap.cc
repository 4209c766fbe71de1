// overlap: finds which of many tables have overlapping ranges of keys.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/measure/key_overlaps.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

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
    report->Show(TableKeys{table->comparator()->Name(), bounds});
    if (!table->properties().external_sst_file_version) {
      ++result_.not_external;
    }
    ++result_.files;
    if (bounds) {
      tables_[table->comparator()].push_back({path, std::move(*bounds)});
    } else {
      result_.empty.push_back(path);
    }
  }

  // To be called after the last table.
  void Finish(Report* report) {
    result_.all_sound = report->AllSound();
    for (auto& [comparator, tables] : tables_) {
      result_.found.push_back(
          {comparator,
           FindKeyOverlaps(std::move(tables), *comparator, FLAGS_top)});
      const KeyOverlaps& overlaps = result_.found.back().overlaps;
      for (const auto& group : overlaps.groups) {
        const size_t count = group.end - group.begin;
        if (count == 1) continue;
        ++result_.groups;
        result_.overlapping += count;
      }
      result_.pairs += overlaps.pairs_total;
    }
    result_.one_batch = OneBatch();
    report->Show(result_);
  }

 private:
  using Batch = OverlapResult::Batch;
  struct ByName {
    bool operator()(const Comparator* a, const Comparator* b) const {
      return a->Name() < b->Name();
    }
  };

  Batch OneBatch() const {
    if (!result_.all_sound || result_.files == 0 || !result_.empty.empty() ||
        result_.found.size() > 1) {
      return Batch::kNo;
    }
    if (result_.overlapping == 0) return Batch::kYes;
    return result_.found[0].comparator->timestamp_size() == 0 ? Batch::kInOrder
                                                              : Batch::kNo;
  }

  std::map<const Comparator*, std::vector<BoundedTable>, ByName> tables_;
  OverlapResult result_;
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
