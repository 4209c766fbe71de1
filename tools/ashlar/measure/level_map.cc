#include "tools/ashlar/measure/level_map.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ashlar/util/slice.h"

namespace ashlar::tool {
namespace {

using Tables = std::vector<const PlacedTable*>;

// Returns how many boxes each level may have. Levels with few tables leave
// their share to the others.
std::map<uint32_t, size_t> LimitsOf(const std::map<uint32_t, Tables>& levels) {
  std::vector<std::pair<size_t, uint32_t>> by_size;
  by_size.reserve(levels.size());
  for (const auto& [level, tables] : levels) {
    by_size.emplace_back(tables.size(), level);
  }
  std::sort(by_size.begin(), by_size.end());
  std::map<uint32_t, size_t> limits;
  size_t left = LevelMap::kMostBoxes;
  size_t levels_left = by_size.size();
  for (const auto& [size, level] : by_size) {
    const size_t share = std::max<size_t>(left / levels_left, 1);
    limits[level] = std::min(size, share);
    left -= std::min(left, limits[level]);
    --levels_left;
  }
  return limits;
}

TableBox BoxOf(const PlacedTable& table) {
  return {.level = table.level,
          .lane = 0,
          .begin = table.begin,
          .end = table.end,
          .number = table.number,
          .tables = 1,
          .bad_tables = table.is_bad ? uint64_t{1} : 0,
          .bytes = table.bytes,
          .smallest = table.smallest,
          .largest = table.largest};
}

// Requires: `next` does not begin before *box.
void Join(const TableBox& next, TableBox* box) {
  box->tables += next.tables;
  box->bad_tables += next.bad_tables;
  box->bytes += next.bytes;
  if (next.end <= box->end) return;
  box->end = next.end;
  box->largest = next.largest;
}

// Sets the lanes of boxes, which are in order.
std::vector<TableBox> IntoLanes(const std::vector<TableBox>& boxes) {
  std::vector<std::vector<TableBox>> lanes;
  for (const TableBox& box : boxes) {
    auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const auto& each) {
      return each.back().end <= box.begin;
    });
    if (lane == lanes.end() && lanes.size() == LevelMap::kMostLanes) {
      Join(box, &lanes.back().back());
      continue;
    }
    if (lane == lanes.end()) lane = lanes.emplace(lane);
    lane->push_back(box);
    lane->back().lane = static_cast<uint64_t>(lane - lanes.begin());
  }
  std::vector<TableBox> placed;
  for (const auto& lane : lanes) {
    placed.insert(placed.end(), lane.begin(), lane.end());
  }
  return placed;
}

void SortByPlace(Tables* tables) {
  std::sort(tables->begin(), tables->end(), [](const auto* a, const auto* b) {
    if (a->begin != b->begin) return a->begin < b->begin;
    return a->end != b->end ? a->end < b->end : a->number < b->number;
  });
}

}  // namespace

uint64_t PlaceTables(const Comparator& comparator,
                     std::vector<PlacedTable>* tables) {
  const auto less = [&](const Slice& a, const Slice& b) {
    return comparator.CompareWithoutTimestamp(a, b) < 0;
  };
  std::vector<Slice> keys;
  keys.reserve(2 * tables->size());
  for (const PlacedTable& table : *tables) {
    keys.emplace_back(table.smallest);
    keys.emplace_back(table.largest);
  }
  std::sort(keys.begin(), keys.end(), less);
  keys.erase(std::unique(keys.begin(), keys.end(),
                         [&](const Slice& a, const Slice& b) {
                           return comparator.CompareWithoutTimestamp(a, b) == 0;
                         }),
             keys.end());
  const auto place = [&](const std::string& key) {
    return 2 * static_cast<uint64_t>(std::lower_bound(keys.begin(), keys.end(),
                                                      Slice(key), less) -
                                     keys.begin());
  };
  for (PlacedTable& table : *tables) {
    table.begin = place(table.smallest);
    table.end = place(table.largest) + (table.largest_is_exclusive ? 0 : 1);
    // The MANIFEST may be wrong.
    table.end = std::max(table.end, table.begin + 1);
  }
  return 2 * keys.size();
}

std::vector<TableBox> MakeTableBoxes(const std::vector<PlacedTable>& tables) {
  std::map<uint32_t, Tables> levels;
  for (const PlacedTable& table : tables) {
    levels[table.level].push_back(&table);
  }
  std::vector<TableBox> boxes;
  const std::map<uint32_t, size_t> limits = LimitsOf(levels);
  for (auto& [level, of_level] : levels) {
    SortByPlace(&of_level);
    const size_t limit = limits.at(level);
    const size_t together = (of_level.size() + limit - 1) / limit;
    std::vector<TableBox> joined;
    for (size_t i = 0; i < of_level.size(); ++i) {
      TableBox box = BoxOf(*of_level[i]);
      if (i % together == 0) {
        joined.push_back(std::move(box));
      } else {
        Join(box, &joined.back());
      }
    }
    const std::vector<TableBox> placed = IntoLanes(joined);
    boxes.insert(boxes.end(), placed.begin(), placed.end());
  }
  return boxes;
}

uint64_t OverlappedBytes(const std::vector<const PlacedTable*>& upper,
                         std::vector<const PlacedTable*> lower) {
  SortByPlace(&lower);
  std::vector<uint64_t> bytes_before = {0};
  for (const PlacedTable* const table : lower) {
    bytes_before.push_back(bytes_before.back() + table->bytes);
  }
  uint64_t total = 0;
  for (const PlacedTable* const table : upper) {
    const auto first = std::partition_point(
        lower.begin(), lower.end(),
        [&](const auto* each) { return each->end <= table->begin; });
    const auto end = std::partition_point(
        first, lower.end(),
        [&](const auto* each) { return each->begin < table->end; });
    total += bytes_before[static_cast<size_t>(end - lower.begin())] -
             bytes_before[static_cast<size_t>(first - lower.begin())];
  }
  return total;
}

}  // namespace ashlar::tool
