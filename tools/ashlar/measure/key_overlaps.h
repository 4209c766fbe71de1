// Which tables have keys between the same ends, told by the ends alone.
//
// For `overlap`. Any number of tables of one comparator, in O(n log n).
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_OVERLAPS_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_OVERLAPS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/util/comparator.h"

namespace ashlar::tool {

// User keys without timestamps.
struct KeyBounds {
  std::string smallest;
  std::string largest;
  // The end of a range deletion: no key of the table.
  bool largest_is_exclusive = false;
};

// < 0, 0 or > 0: where `a` ends before `b` does.
int CompareEnds(const KeyBounds& a, const KeyBounds& b,
                const Comparator& comparator);

struct BoundedTable {
  std::string path;
  KeyBounds bounds;
};

struct KeyOverlaps {
  // Neighbours in `tables`, each of which overlaps with another of them, by
  // way of which all hang together.
  struct Group {
    size_t begin = 0;
    size_t end = 0;
    KeyBounds bounds;
  };
  struct Pair {
    size_t first = 0;  // in `tables`
    size_t second = 0;
    KeyBounds common;
  };
  // By their smallest keys, and where these are equal, as they were given.
  std::vector<BoundedTable> tables;
  // Groups of one table too.
  std::vector<Group> groups;
  // The first of them, by the second table's place.
  std::vector<Pair> pairs;
  uint64_t pairs_total = 0;
};

KeyOverlaps FindKeyOverlaps(std::vector<BoundedTable> tables,
                            const Comparator& comparator, uint64_t most_pairs);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_OVERLAPS_H_
