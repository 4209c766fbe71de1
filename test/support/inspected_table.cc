#include "test/support/inspected_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ashlar::testing {

namespace {

bool Before(const Entry& a, const Entry& b) {
  return a.key != b.key ? a.key < b.key : a.value < b.value;
}

}  // namespace

Inspected Inspect(const std::string& table, bool find_blocks) {
  Inspected result;
  InspectOptions options;
  options.find_blocks = find_blocks;
  options.on_block = [&result](const BlockInfo& block) {
    if (block.kind == BlockKind::kData) result.data.push_back({block, {}});
  };
  options.on_entry = [&result](const BlockInfo& block, const Slice& key,
                               const Slice& value) {
    Entry entry{key.ToString(), value.ToString()};
    if (block.kind == BlockKind::kData) {
      result.data.back().entries.push_back(std::move(entry));
    } else if (block.kind == BlockKind::kRangeDeletion) {
      result.range_deletions.push_back(std::move(entry));
    }
  };
  Require(InspectTable(*NewMemoryFile("t.sst", table), options, &result.found));
  return result;
}

uint64_t EndOfData(const Inspected& sound) {
  uint64_t end = 0;
  for (const InspectedBlock& block : sound.data) {
    end = std::max(end, block.end());
  }
  return end;
}

bool Has(const Inspected& sound, BlockKind kind) {
  return std::any_of(sound.found.blocks.begin(), sound.found.blocks.end(),
                     [kind](const BlockInfo& b) { return b.kind == kind; });
}

bool NeedsDictionary(const Inspected& sound) {
  return Has(sound, BlockKind::kDictionary);
}

std::vector<Entry> Missing(std::vector<Entry> expected,
                           std::vector<Entry> found) {
  std::sort(expected.begin(), expected.end(), Before);
  std::sort(found.begin(), found.end(), Before);
  std::vector<Entry> missing;
  std::set_difference(expected.begin(), expected.end(), found.begin(),
                      found.end(), std::back_inserter(missing), Before);
  return missing;
}

}  // namespace ashlar::testing
