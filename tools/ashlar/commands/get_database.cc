#include "tools/ashlar/commands/get_database.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "ashlar/table/multi_table_get.h"
#include "ashlar/table/range_deletion.h"
#include "ashlar/util/comparator.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/inputs/database.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/print/output.h"
#include "tools/ashlar/print/print_text.h"

namespace ashlar::tool {
namespace {

constexpr size_t kMostTogether = 64;  // keys whose values are in memory at once

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
  // The newest timestamp comes first.
  for (it.Seek(found->key + std::string(timestamp_size, '\xff'));
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

Status FindVersions(const OpenedTables& tables, const Comparator& comparator,
                    LookedUp* found) {
  found->has_versions = true;
  const std::span<const TableLevel> levels = tables.levels();
  for (size_t level = 0; level < levels.size(); ++level) {
    for (const TableRange& range : levels[level].tables) {
      if (!Covers(range, found->key, comparator)) continue;
      Status status = AddVersions(*range.table, level, found);
      if (!status.ok()) return status;
    }
  }
  return {};
}

// Fills in the result and the operands of each key.
void LookUpKeys(const OpenedTables& tables, std::span<const Slice> keys,
                std::span<LookedUp> found, std::span<Status> statuses) {
  std::vector<GetResult> results(keys.size());
  MultiGetFromTables(
      ReadOptionsFromFlags(), tables.levels(), keys, FLAGS_snapshot, results,
      statuses,
      [found](size_t key, const Slice& operand, SequenceNumber sequence) {
        found[key].operands.push_back({operand.ToString(), sequence});
        return true;
      });
  for (size_t i = 0; i < keys.size(); ++i) {
    found[i].key = keys[i].ToString();
    found[i].result = std::move(results[i]);
  }
}

void LookUpTogether(std::span<const std::string> keys, Database* database,
                    Report* report) {
  const std::vector<Slice> slices(keys.begin(), keys.end());
  const auto tables = database->OpenFor(slices);
  if (!tables.ok() && keys.size() > 1) {
    // Only keys that need the table have no answer.
    for (size_t i = 0; i < keys.size() && !report->MustStop(); ++i) {
      LookUpTogether(keys.subspan(i, 1), database, report);
    }
    return;
  }
  if (!tables.ok()) {
    report->AddFault(
        tables.status().WithPrefix("key '" + KeyText(keys[0]) + "'"));
    return;
  }
  std::vector<LookedUp> found(keys.size());
  std::vector<Status> statuses(keys.size());
  LookUpKeys(*tables, slices, found, statuses);
  for (size_t i = 0; i < keys.size() && !report->MustStop(); ++i) {
    if (statuses[i].ok()) {
      statuses[i] = FindVersions(*tables, *database->comparator(), &found[i]);
    }
    ShowLookedUp(found[i], statuses[i], report);
  }
}

}  // namespace

void ShowLookedUp(const LookedUp& found, const Status& status, Report* report) {
  if (!status.ok()) {
    report->AddFault(status);
    return;
  }
  report->Show(found);
  if (found.result.state == GetResult::State::kNotFound) {
    report->RaiseExitCode(kExitFault);
    if (!report->text()) return;
    report->out()->Flush();
    PrintFault(
        {report->path() + ": ", "NotFound", ": '" + KeyText(found.key) + "'"});
  }
}

Status LookUpOperands(const OpenedTables& tables, const Slice& user_key,
                      size_t timestamp_size, LookedUp* found) {
  const Slice key = WithoutTimestamp(user_key, timestamp_size);
  Status status;
  LookUpKeys(tables, {&key, 1}, {found, 1}, {&status, 1});
  return status;
}

void GetFromDatabase(const std::string& folder,
                     std::span<const std::string> keys, Report* report) {
  const auto database = Database::Open(folder);
  if (!database.ok()) return report->AddFault(database.status());
  (*database)->WarnOfTheRest();
  report->BeginList("results");
  while (!keys.empty() && !report->MustStop()) {
    const size_t count = std::min(keys.size(), kMostTogether);
    LookUpTogether(keys.first(count), database->get(), report);
    keys = keys.subspan(count);
  }
  report->EndList();
}

}  // namespace ashlar::tool
