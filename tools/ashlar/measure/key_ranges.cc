#include "tools/ashlar/measure/key_ranges.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ashlar::tool {

std::vector<KeySpaceRange> CutIntoRanges(std::vector<KeySpaceRange> blocks,
                                         uint64_t ranges) {
  double total = 0;
  for (const KeySpaceRange& block : blocks) {
    total += static_cast<double>(block.bytes);
  }
  const double wanted = ranges == 0 ? 0 : total / static_cast<double>(ranges);
  std::vector<KeySpaceRange> cut;
  double met = 0;
  double end = wanted;
  bool open = false;
  for (KeySpaceRange& block : blocks) {
    // If the versions of a key are in several blocks, these blocks stay
    // together.
    if (!open && (cut.empty() || cut.back().last != block.last)) {
      cut.emplace_back();
    }
    KeySpaceRange& range = cut.back();
    range.last = std::move(block.last);
    range.blocks += block.blocks;
    range.bytes += block.bytes;
    met += static_cast<double>(block.bytes);
    open = met < end;
    // A large block may reach over several ends of ranges.
    if (!open && wanted > 0) end = wanted * (std::floor(met / wanted) + 1);
  }
  return cut;
}

void SortRanges(const Comparator& comparator,
                std::vector<KeySpaceRange>* ranges) {
  std::stable_sort(
      ranges->begin(), ranges->end(),
      [&comparator](const KeySpaceRange& a, const KeySpaceRange& b) {
        return comparator.CompareWithoutTimestamp(a.last, b.last) < 0;
      });
}

}  // namespace ashlar::tool
