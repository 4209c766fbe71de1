#include "table/compaction/part_borders.h"

#include <algorithm>

#include "util/mem/memory_limit.h"

namespace ashlar::internal {

namespace {

constexpr uint64_t kAnchorsOfTable = 128;

// Takes out the anchors outside of (start, end).
void KeepBetween(const CompactionOptions& options,
                 std::vector<KeyAnchor>* anchors) {
  const Comparator& order = *options.iterator.comparator;
  const auto compare = [&order](const Slice& a, const Slice& b) {
    return order.CompareWithoutTimestamp(a, b);
  };
  std::erase_if(*anchors, [&](const KeyAnchor& anchor) {
    return (!options.start.empty() &&
            compare(anchor.user_key, options.start) <= 0) ||
           (!options.end.empty() && compare(anchor.user_key, options.end) >= 0);
  });
  std::sort(anchors->begin(), anchors->end(),
            [&](const KeyAnchor& a, const KeyAnchor& b) {
              return compare(a.user_key, b.user_key) < 0;
            });
}

uint64_t NumberOfParts(const CompactionOptions& options, uint64_t bytes) {
  const uint64_t most =
      std::min(options.max_subcompactions, kMostSubcompactions);
  const uint64_t target = options.cutter.target_file_size;
  if (!options.cuts_outputs || target == OutputCutterOptions::kNoLimit) {
    return most;
  }
  return std::min(most, bytes / std::max<uint64_t>(target, 1));
}

}  // namespace

Status ChoosePartBorders(const CompactionOptions& options,
                         const std::vector<CompactionRun>& runs,
                         std::vector<std::string>* borders) {
  borders->clear();
  return OrMemoryLimit([&]() -> Status {
    std::vector<KeyAnchor> anchors;
    for (const CompactionRun& run : runs) {
      for (const CompactionInput& input : run) {
        Status added = input.table->ApproximateKeyAnchors(
            options.read, kAnchorsOfTable, &anchors);
        if (!added.ok()) return added;
      }
    }
    KeepBetween(options, &anchors);
    uint64_t bytes = 0;
    for (const KeyAnchor& anchor : anchors) bytes += anchor.bytes;
    const uint64_t parts = NumberOfParts(options, bytes);
    if (parts < 2) return {};
    uint64_t so_far = 0;
    // The last anchor is behind all keys, or the bytes behind it are few.
    for (size_t i = 0; i + 1 < anchors.size(); ++i) {
      so_far += anchors[i].bytes;
      // As a bound, the empty key means that there is none.
      if (anchors[i].user_key.empty()) continue;
      const uint64_t wanted =
          bytes / parts * (static_cast<uint64_t>(borders->size()) + 1);
      if (so_far < wanted || borders->size() + 1 == parts) continue;
      // Several anchors may be one key.
      if (!borders->empty() &&
          options.iterator.comparator->CompareWithoutTimestamp(
              borders->back(), anchors[i].user_key) == 0) {
        continue;
      }
      borders->push_back(anchors[i].user_key);
    }
    return {};
  });
}

}  // namespace ashlar::internal
