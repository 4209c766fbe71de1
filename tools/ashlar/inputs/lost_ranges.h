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
  uint64_t size = 0;  // 0: it is not known where the block was
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

// Bytes of the file in which the inspection found no block, and the user keys
// on both sides, as far as they are known. What was there are entries between
// them, perhaps other versions of these keys too, or no entries at all.
struct LostBytes {
  uint64_t offset = 0;
  uint64_t size = 0;
  std::optional<std::string> after;
  std::optional<std::string> before;
};

// Collects lost ranges during an inspection, whose callbacks call these
// functions in their order. For one thread at a time.
class LostRanges {
 public:
  // Requires: the inspection, which is under way, outlives this.
  explicit LostRanges(const TableInspection* inspection)
      : inspection_(*inspection) {}

  void OnBlock(const BlockInfo& block);
  // To be called after the last block.
  void Finish();
  void OnEntry(const BlockInfo& block, const Slice& key);

  const std::vector<LostRange>& ranges() const { return ranges_; }
  // In file order.
  const std::vector<LostBytes>& bytes() const { return bytes_; }

 private:
  static LostRange RangeOf(const BlockInfo& block);
  void Lose(const BlockInfo& block, const std::vector<std::string>& separators,
            uint64_t ordinal);
  void BeginDataBlock(const BlockInfo& block);
  void OnDataKey(const Slice& key);
  void TakeLostBytes();
  void CountRangeDeletions();

  const TableInspection& inspection_;
  // The separators of the index block: the ends of its partitions, or of the
  // data blocks.
  std::vector<std::string> top_;
  // The separators of all index partitions, in order.
  std::vector<std::string> partitions_;
  bool has_partitions_ = false;
  bool has_index_ = false;
  uint64_t range_deletions_ = 0;  // that were shown
  std::vector<LostRange> ranges_;
  std::vector<LostBytes> bytes_;
  // How many of bytes_ begin before the data block that is shown.
  size_t bytes_passed_ = 0;
  size_t bytes_ended_ = 0;  // of these, how many the next key has ended
  uint64_t last_offset_ = 0;
  // Whether data blocks are shown in the order in which they are stored.
  bool in_file_order_ = true;
  std::optional<std::string> last_key_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_LOST_RANGES_H_
