// SetDeeperFiles: what a compaction may take from the metadata of the files
// that are deeper than its outputs.

#include <algorithm>
#include <memory>
#include <utility>

#include "ashlar/table/compaction.h"
#include "table/format/plain_order.h"

namespace ashlar {

namespace {

using internal::PlainOrder;

// The first and the last key of all inputs.
struct InputRange {
  bool is_known = false;  // false: an input has no bounds, or there is none
  Slice first;
  Slice last;
};

InputRange RangeOf(const PlainOrder& order,
                   const std::vector<CompactionRun>& runs) {
  InputRange range;
  for (const CompactionRun& run : runs) {
    for (const CompactionInput& input : run) {
      if (input.smallest.empty() || input.largest.empty()) return {};
      const Slice first = order.KeyOf(input.smallest);
      const Slice last = order.KeyOf(input.largest);
      if (!range.is_known || order.IsBefore(first, range.first)) {
        range.first = first;
      }
      if (!range.is_known || order.IsBefore(range.last, last)) {
        range.last = last;
      }
      range.is_known = true;
    }
  }
  return range;
}

// Leaves out the files that the inputs do not reach.
void KeepOverlapping(const PlainOrder& order, const InputRange& range,
                     std::vector<FileRange>* files) {
  if (!range.is_known) return;
  std::erase_if(*files, [&](const FileRange& file) {
    return order.IsBefore(order.KeyOf(file.largest), range.first) ||
           order.IsBefore(range.last, order.KeyOf(file.smallest));
  });
}

}  // namespace

void SetDeeperFiles(std::vector<std::vector<FileRange>> levels,
                    const std::vector<CompactionRun>& runs,
                    CompactionOptions* options) {
  const PlainOrder order(options->iterator.comparator);
  const InputRange range = RangeOf(order, runs);
  for (std::vector<FileRange>& files : levels) {
    KeepOverlapping(order, range, &files);
  }
  std::erase_if(levels, [](const auto& files) { return files.empty(); });
  options->iterator.bottommost = levels.empty();
  options->cutter.grandparents =
      levels.empty() ? std::vector<FileRange>() : levels.front();
  const auto older = std::make_shared<const OlderFiles>(
      options->iterator.comparator, std::move(levels));
  options->iterator.may_exist_deeper = [older](const Slice& user_key) {
    return older->MayHave(user_key);
  };
  options->range_may_exist_deeper = [older](const Slice& begin,
                                            const Slice& end) {
    return older->MayHaveRange(begin, end);
  };
}

}  // namespace ashlar
