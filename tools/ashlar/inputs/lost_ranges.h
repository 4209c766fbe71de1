// LostRanges: finds which keys are lost with the blocks that cannot be read,
// either in them or below them in the index.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_LOST_RANGES_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_LOST_RANGES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/util/slice.h"

namespace ashlar::tool {

struct LostRange {
  BlockKind kind = BlockKind::kData;
  uint64_t index = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  // The user keys that are lost are between `begin` and `last`. If `begin` is
  // absent, the range starts at the first key; if `last` is absent, it ends at
  // the last one. If the index has user keys as separators, no version of
  // `begin` is lost, and all versions of `last` are. Otherwise, some versions
  // of either may be lost.
  std::optional<std::string> begin;
  std::optional<std::string> last;
  // No entries are lost, only range deletions, of unknown keys.
  bool only_range_deletions = false;
};

// Collects lost ranges during an inspection, whose callbacks call these
// functions in their order. For one thread at a time.
class LostRanges {
 public:
  void OnBlock(const BlockInfo& block);
  // To be called after the last block.
  void Finish();
  void OnEntry(const BlockInfo& block, const Slice& key);

  const std::vector<LostRange>& ranges() const { return ranges_; }

 private:
  static LostRange RangeOf(const BlockInfo& block);
  void Lose(const BlockInfo& block, const std::vector<std::string>& separators,
            uint64_t ordinal);

  // The separators of the index block: the ends of its partitions, or of the
  // data blocks.
  std::vector<std::string> top_;
  // The separators of all index partitions, in order.
  std::vector<std::string> partitions_;
  bool has_partitions_ = false;
  bool has_index_ = false;
  std::vector<LostRange> ranges_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_LOST_RANGES_H_
