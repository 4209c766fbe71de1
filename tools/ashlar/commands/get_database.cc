#include "tools/ashlar/commands/get_database.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "ashlar/table/merging_iterator.h"
#include "ashlar/table/range_deletion.h"
#include "ashlar/util/comparator.h"
#include "tools/ashlar/commands/key_batches.h"
#include "tools/ashlar/commands/key_lookup.h"
#include "tools/ashlar/inputs/database.h"
#include "tools/ashlar/inputs/equal_numbers.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/print/print_text.h"

namespace ashlar::tool {
namespace {

std::string NameOf(const TableReader& table) {
  const std::string path = table.file().name();
  return path.substr(path.rfind('/') + 1);
}

// Adds the entries of the key in one table, and the range deletions over it.
Status AddVersions(const TableReader& table, size_t level, LookedUp* found) {
  const Comparator& comparator = *table.comparator();
  const size_t timestamp_size = comparator.timestamp_size();
  const std::string file = NameOf(table);
  const auto plain = [&](const Slice& key) {
    return WithoutTimestamp(key, timestamp_size);
  };
  for (const RangeDeletion& deletion : table.RangeDeletions()) {
    if (comparator.CompareWithoutTimestamp(plain(deletion.begin), found->key) <=
            0 &&
        comparator.CompareWithoutTimestamp(found->key, plain(deletion.end)) <
            0) {
      found->versions.push_back(
          {file, level, deletion.sequence, ValueType::kTypeRangeDeletion, 0});
    }
  }
  ReadOptions options = ReadOptionsFromFlags();
  options.ignore_range_deletions = true;
  Iterator it = table.NewIterator(options);
  for (it.Seek(found->key);
       it.Valid() && plain(it.user_key()) == Slice(found->key); it.Next()) {
    found->versions.push_back(
        {file, level, it.sequence(), it.type(), it.value().size()});
  }
  return it.status();
}

bool Covers(const TableRange& range, const Slice& key,
            const Comparator& comparator) {
  const int last = comparator.CompareWithoutTimestamp(key, range.largest);
  return comparator.CompareWithoutTimestamp(range.smallest, key) <= 0 &&
         (range.excludes_largest ? last < 0 : last <= 0);
}

Status FindVersions(const OpenedTables& tables, const Database& database,
                    LookedUp* found) {
  const Comparator& comparator = *database.comparator();
  found->has_versions = true;
  const std::span<const TableLevel> levels = tables.levels();
  for (size_t level = 0; level < levels.size(); ++level) {
    for (const TableRange& range : levels[level].tables) {
      if (!Covers(range, found->key, comparator)) continue;
      Status status = AddVersions(*range.table, level, found);
      if (!status.ok()) return status;
    }
  }
  if (!database.has_manifest()) {
    // The newest first, as far as numbers tell.
    std::stable_sort(
        found->versions.begin(), found->versions.end(),
        [](const auto& a, const auto& b) { return a.sequence > b.sequence; });
  }
  return {};
}

void ShowKeys(const Database& database, const OpenedTables& tables,
              std::span<const std::string> keys, EqualNumbers* equal,
              Report* report) {
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<LookedUp> found(keys.size());
  std::vector<Status> statuses(keys.size());
  LookUpInDatabase(database, tables, slices, found, statuses, equal);
  for (size_t i = 0; i < keys.size() && !report->MustStop(); ++i) {
    if (statuses[i].ok()) {
      statuses[i] = FindVersions(tables, database, &found[i]);
    }
    ShowLookedUp(found[i], statuses[i], report);
  }
}

void ShowNamedKeys(std::span<const std::string> keys, Database* database,
                   EqualNumbers* equal, Report* report) {
  const std::vector<Slice> slices(keys.begin(), keys.end());
  const auto tables = database->OpenFor(slices);
  if (!tables.ok() && keys.size() > 1) {
    // Only keys that need the table have no answer.
    for (size_t i = 0; i < keys.size() && !report->MustStop(); ++i) {
      ShowNamedKeys(keys.subspan(i, 1), database, equal, report);
    }
    return;
  }
  if (!tables.ok()) {
    report->AddFault(
        tables.status().WithPrefix("key '" + KeyText(keys[0]) + "'"));
    return;
  }
  ShowKeys(*database, *tables, keys, equal, report);
}

// Shows all keys of the range that have an entry. Returns how many.
uint64_t ShowRange(const KeyRange& range, uint64_t most, Database* database,
                   EqualNumbers* equal, Report* report) {
  const auto tables = database->OpenRange(range);
  if (!tables.ok()) {
    report->AddFault(tables.status());
    return 0;
  }
  const Comparator& comparator = *database->comparator();
  MergingIterator it = MergedEntries(*tables, &comparator);
  const uint64_t shown =
      TakeKeysOfRange(range, comparator, SizeOf(*tables), most, report, &it,
                      [&](std::span<const std::string> keys) {
                        ShowKeys(*database, *tables, keys, equal, report);
                      });
  if (!it.status().ok()) report->AddFault(it.status());
  return shown;
}

}  // namespace

uint64_t GetFromDatabase(const std::string& folder,
                         std::span<const std::string> keys,
                         const KeyRange& range, uint64_t most, Report* report) {
  const auto opened = Database::Open(folder);
  if (!opened.ok()) {
    report->AddFault(opened.status());
    return 0;
  }
  Database& database = **opened;
  database.WarnOfTheRest();
  report->BeginList("results");
  EqualNumbers equal;
  uint64_t shown = 0;
  if (keys.empty()) {
    shown = ShowRange(range, most, &database, &equal, report);
  } else {
    std::vector<std::string> wanted;
    for (const std::string& key : keys) {
      if (wanted.size() == most) break;
      if (range.Contains(key, *database.comparator())) wanted.push_back(key);
    }
    std::span<const std::string> left = wanted;
    while (!left.empty() && !report->MustStop()) {
      const size_t count = std::min(left.size(), kKeysTogether);
      ShowNamedKeys(left.first(count), &database, &equal, report);
      left = left.subspan(count);
    }
    shown = wanted.size();
  }
  equal.WarnOfThem(folder);
  report->EndList();
  return shown;
}

}  // namespace ashlar::tool
