// Key ranges: groups data blocks, in the order of their keys, into ranges of
// about equal size in bytes.
//
// For `space`. It uses the index only: a block has keys up to its separator.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_RANGES_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_RANGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/util/comparator.h"

namespace ashlar::tool {

struct KeySpaceRange {
  std::string last;  // its keys are not larger; those of the next are
  uint64_t blocks = 0;
  uint64_t bytes = 0;
};

// Groups blocks that are sorted by `last` into `ranges` ranges. If `ranges` is
// 0, there is a range for each different `last`.
std::vector<KeySpaceRange> CutIntoRanges(std::vector<KeySpaceRange> blocks,
                                         uint64_t ranges);

// Sorts ranges of several files by `last`.
void SortRanges(const Comparator& comparator,
                std::vector<KeySpaceRange>* ranges);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_RANGES_H_
