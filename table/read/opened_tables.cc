// OpenedTables: the readers of a version.

#include <algorithm>

#include "ashlar/table/table_version.h"
#include "table/format/plain_order.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace {

using internal::PlainOrder;

// Marks the tables of a level that may have the key.
void MarkTablesOf(const Slice& key, const VersionLevel& level, bool is_sorted,
                  const PlainOrder& order, std::vector<bool>* marked) {
  auto at = level.begin();
  if (is_sorted) {
    at = std::partition_point(at, level.end(), [&](const auto& file) {
      return order.IsBefore(order.KeyOf(file->range().largest), key);
    });
  }
  for (; at != level.end(); ++at) {
    const FileRange& range = (*at)->range();
    const bool begins_behind = order.IsBefore(key, order.KeyOf(range.smallest));
    if (is_sorted && begins_behind) break;
    if (!begins_behind && !order.IsBefore(order.KeyOf(range.largest), key)) {
      (*marked)[static_cast<size_t>(at - level.begin())] = true;
    }
  }
}

}  // namespace

Result<OpenedTables> OpenedTables::OpenMarked(
    const TableVersion& version, TableCache* cache,
    const std::function<std::vector<bool>(size_t level)>& mark) {
  OpenedTables opened;
  opened.ranges_.resize(version.levels.size());
  for (size_t i = 0; i < version.levels.size(); ++i) {
    const std::vector<bool> marked = mark(i);
    for (size_t j = 0; j < marked.size(); ++j) {
      if (!marked[j]) continue;
      const VersionFile& file = *version.levels[i][j];
      auto table = cache->Find(file.number());
      if (!table.ok()) return table.status();
      opened.Add(std::move(table).value(), file.range(), i,
                 version.comparator()->timestamp_size());
    }
    opened.levels_.push_back({opened.ranges_[i], /*sorted=*/i > 0});
  }
  return opened;
}

void OpenedTables::Add(TableHandle table, const FileRange& range, size_t level,
                       size_t timestamp_size) {
  // The end of a range deletion does not belong to it.
  ranges_[level].push_back(
      {table.get(), WithoutTimestamp(UserKeyOf(range.smallest), timestamp_size),
       WithoutTimestamp(UserKeyOf(range.largest), timestamp_size),
       IsRangeDeletionEnd(range.largest)});
  tables_.push_back({std::move(table), &range, level});
}

Result<OpenedTables> OpenedTables::Open(const TableVersion& version,
                                        TableCache* cache) {
  return internal::OrMemoryLimit([&] {
    return OpenMarked(version, cache, [&](size_t level) {
      return std::vector<bool>(version.levels[level].size(), true);
    });
  });
}

Result<OpenedTables> OpenedTables::OpenFor(std::span<const Slice> user_keys,
                                           const TableVersion& version,
                                           TableCache* cache) {
  const PlainOrder order(version.comparator());
  return internal::OrMemoryLimit([&] {
    return OpenMarked(version, cache, [&](size_t level) {
      const VersionLevel& files = version.levels[level];
      std::vector<bool> marked(files.size());
      for (const Slice& key : user_keys) {
        MarkTablesOf(key, files, /*is_sorted=*/level > 0, order, &marked);
      }
      return marked;
    });
  });
}

std::vector<UserIteratorTable> OpenedTables::ForIterator() const {
  std::vector<UserIteratorTable> tables;
  tables.reserve(tables_.size());
  for (const OneTable& each : tables_) {
    tables.push_back(
        {each.handle.get(), each.range->smallest, each.range->largest});
  }
  return tables;
}

std::vector<CompactionRun> OpenedTables::Runs() const {
  std::vector<CompactionRun> runs;
  size_t last_level = 0;
  for (const OneTable& each : tables_) {
    if (each.level == 0 || each.level != last_level) runs.emplace_back();
    last_level = each.level;
    runs.back().push_back(
        {each.handle.get(), each.range->smallest, each.range->largest});
  }
  return runs;
}

}  // namespace ashlar
