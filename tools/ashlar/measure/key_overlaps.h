// Finds tables whose ranges of keys overlap, from the ends of the ranges alone.
//
// For `overlap`. All tables must have the same comparator. Takes O(n log n)
// time for n tables.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_OVERLAPS_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_OVERLAPS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/util/comparator.h"

namespace ashlar::tool {

// The first and the last user key of a table, without timestamps.
struct KeyBounds {
  std::string smallest;
  std::string largest;
  // `largest` is the end of a range deletion, and not itself in the range.
  bool largest_is_exclusive = false;
};

// Returns < 0 if `a` ends before `b`, 0 if both end at the same key, and > 0
// otherwise.
int CompareEnds(const KeyBounds& a, const KeyBounds& b,
                const Comparator& comparator);

struct BoundedTable {
  std::string path;
  KeyBounds bounds;
};

struct KeyOverlaps {
  // Consecutive tables that are connected by overlaps: each overlaps with
  // another one of the group. They are tables[begin] to tables[end - 1].
  struct Group {
    size_t begin = 0;
    size_t end = 0;
    KeyBounds bounds;
  };
  struct Pair {
    size_t first = 0;  // index in `tables`
    size_t second = 0;
    KeyBounds common;
  };
  // Sorted by their smallest keys. Tables with equal smallest keys keep the
  // order in which they were given.
  std::vector<BoundedTable> tables;
  // All groups, including those of one table.
  std::vector<Group> groups;
  // The first pairs, ordered by the index of the second table. pairs_total
  // counts all pairs.
  std::vector<Pair> pairs;
  uint64_t pairs_total = 0;
};

KeyOverlaps FindKeyOverlaps(std::vector<BoundedTable> tables,
                            const Comparator& comparator, uint64_t most_pairs);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_OVERLAPS_H_
