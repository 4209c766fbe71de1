// Shows where the tables of each level are in the key space of a database.
//
// Keys are placed by their rank among the smallest and the largest keys of all
// tables, so the chart needs no distance between keys. For `report`. Pure
// functions; they take O(n log n) time for n tables.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_LEVEL_MAP_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_LEVEL_MAP_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/util/comparator.h"

namespace ashlar::tool {

// A table with its first and last user key, without timestamps.
struct PlacedTable {
  uint64_t number = 0;  // of its file name
  uint32_t level = 0;
  std::string smallest;
  std::string largest;
  // `largest` is the end of a range deletion, and not itself in the range.
  bool largest_is_exclusive = false;
  uint64_t bytes = 0;  // of the file
  uint64_t entries = 0;
  uint64_t deletions = 0;
  bool is_bad = false;
  // The places that it takes: from `begin` up to, but not including, `end`.
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Sets `begin` and `end` of all tables. Returns the number of all places. A key
// takes two places, so that a table that ends before a key is not the
// neighbour of one that begins after it.
uint64_t PlaceTables(const Comparator& comparator,
                     std::vector<PlacedTable>* tables);

// One table, or neighbouring ones that were joined.
struct TableBox {
  uint32_t level = 0;
  // Tables of a level that overlap are in different lanes, from 0.
  uint64_t lane = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t number = 0;  // of the first table
  uint64_t tables = 0;
  uint64_t bad_tables = 0;
  uint64_t bytes = 0;
  std::string smallest;
  std::string largest;  // of the table that ends last
};

struct LevelMap {
  // The limits, for any number of tables. A level with more tables or more
  // overlaps has its neighbours joined.
  static constexpr size_t kMostBoxes = 1000;
  static constexpr size_t kMostLanes = 20;
};

// Returns the boxes by level, and in a level by lane. Requires: PlaceTables was
// called. There are at most kMostBoxes, or one per level.
std::vector<TableBox> MakeTableBoxes(const std::vector<PlacedTable>& tables);

// Returns the bytes that the tables of `upper` meet in the tables of `lower`:
// for each table of `upper`, the bytes of those that share keys with it. A
// compaction of all of `upper`, table by table, would read that. Requires: the
// tables of `lower` do not overlap each other.
uint64_t OverlappedBytes(const std::vector<const PlacedTable*>& upper,
                         std::vector<const PlacedTable*> lower);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_LEVEL_MAP_H_
