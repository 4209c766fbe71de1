// LostRanges: which keys the blocks that cannot be read would hold or lead to.
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
  // User keys from `begin` to `last`. Absent: from the first key on, to the
  // last. Where the separators of the index are user keys, nothing is lost of
  // `begin`, and all of `last`; else some versions of either may be.
  std::optional<std::string> begin;
  std::optional<std::string> last;
  // Entries are not lost, only range deletions, of any keys.
  bool only_range_deletions = false;
};

// Fed with what an inspection meets, in its order. One thread at a time.
class LostRanges {
 public:
  void OnBlock(const BlockInfo& block);
  // There are no more.
  void Finish();
  void OnEntry(const BlockInfo& block, const Slice& key);

  const std::vector<LostRange>& ranges() const { return ranges_; }

 private:
  static LostRange RangeOf(const BlockInfo& block);
  void Lose(const BlockInfo& block, const std::vector<std::string>& separators,
            uint64_t ordinal);

  // Of the index: where its parts end, or the data blocks.
  std::vector<std::string> top_;
  // Of its partitions, one after the other.
  std::vector<std::string> partitions_;
  bool has_partitions_ = false;
  bool has_index_ = false;
  std::vector<LostRange> ranges_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_LOST_RANGES_H_
