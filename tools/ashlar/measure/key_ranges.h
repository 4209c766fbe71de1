// Key ranges: data blocks in the order of their keys, cut into ranges of about
// as many bytes each.
//
// For `space`. Told by the index alone: a block has keys up to its separator.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_RANGES_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_RANGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/util/comparator.h"

namespace ashlar::tool {

struct KeySpaceRange {
  std::string last;  // no key of it is larger; those of the next are
  uint64_t blocks = 0;
  uint64_t bytes = 0;
};

// Cuts what is sorted by `last`. 0: as often as keys differ.
std::vector<KeySpaceRange> CutIntoRanges(std::vector<KeySpaceRange> blocks,
                                         uint64_t ranges);

// By `last`, where they are of several files.
void SortRanges(const Comparator& comparator,
                std::vector<KeySpaceRange>* ranges);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_RANGES_H_
