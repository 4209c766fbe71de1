#include "table/read/level_search.h"

#include "table/read/reader_access.h"

namespace ashlar::internal {

namespace {

const KeyOrder& OrderOf(const TableRange& range) {
  return ReaderAccess::TableOf(*range.table).order_without_timestamps;
}

// Returns whether the range ends before the key.
bool EndsBefore(const KeyOrder& order, const TableRange& range,
                const Slice& key) {
  const int at = order.CompareUserKeys(range.largest, key);
  return at < 0 || (at == 0 && range.excludes_largest);
}

}  // namespace

void Candidates::Add(const TableLevel& level, uint32_t level_number,
                     size_t table, size_t key) {
  for (size_t i = size_; i > 0; --i) {
    if (all_[i - 1].number == table) return all_[i - 1].keys.Add(key);
  }
  Candidate& added = all_[size_++];
  added.table = &ReaderAccess::TableOf(*level.tables[table].table);
  added.level = level_number;
  added.number = static_cast<uint32_t>(table);
  added.keys = KeySet();
  added.keys.Add(key);
}

// A reader that does not know the order of keys contains all of them: each gets
// the error that it has for reads.
bool LevelSearch::Contains(const KeyOrder& order, const TableRange& range,
                           const Slice& key) {
  if (!order.known()) [[unlikely]]
    return true;
  return order.CompareUserKeys(range.smallest, key) <= 0 &&
         !EndsBefore(order, range, key);
}

bool LevelSearch::Next(const KeySet& keys, Candidates* found) {
  found->Clear();
  for (; level_ < levels_.size(); ++level_, table_ = 0) {
    const TableLevel& level = levels_[level_];
    if (level.sorted) {
      FindInSorted(level_, keys, found);
    } else {
      while (found->empty() && table_ < level.tables.size()) {
        FindInTable(level_, table_++, keys, found);
      }
      if (!found->empty()) return true;
    }
    if (!found->empty()) {
      ++level_;
      return true;
    }
  }
  return false;
}

// For a table of a level that is not sorted.
void LevelSearch::FindInTable(uint32_t level, uint32_t table,
                              const KeySet& keys, Candidates* found) const {
  const TableRange& range = levels_[level].tables[table];
  const KeyOrder& order = OrderOf(range);
  keys.ForEach([&](size_t k) {
    if (FirstIn(level, k) > table) return;
    if (Contains(order, range, user_keys_[k])) {
      found->Add(levels_[level], level, table, k);
    }
  });
}

void LevelSearch::FindInSorted(uint32_t level, const KeySet& keys,
                               Candidates* found) const {
  const std::span<const TableRange> tables = levels_[level].tables;
  if (tables.empty()) return;
  const KeyOrder& order = OrderOf(tables[0]);
  keys.ForEach([&](size_t k) {
    size_t low = FirstIn(level, k);
    if (order.known()) [[likely]] {
      // The first table that does not end before the key.
      size_t high = tables.size();
      while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (EndsBefore(order, tables[middle], user_keys_[k])) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
    }
    if (low < tables.size() && Contains(order, tables[low], user_keys_[k])) {
      found->Add(levels_[level], level, low, k);
    }
  });
}

bool LevelSearch::MayFollow(uint32_t level, const KeySet& keys,
                            Candidates* found) const {
  found->Clear();
  const std::span<const TableRange> tables = levels_[level].tables;
  if (!levels_[level].sorted) return false;
  keys.ForEach([&](size_t k) {
    const size_t next = FirstIn(level, k);
    if (next < tables.size() &&
        Contains(OrderOf(tables[next]), tables[next], user_keys_[k])) {
      found->Add(levels_[level], level, next, k);
    }
  });
  return !found->empty();
}

}  // namespace ashlar::internal
