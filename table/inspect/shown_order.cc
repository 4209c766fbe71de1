#include "table/inspect/shown_order.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>

namespace ashlar::internal {

namespace {

// Returns the first key of a block, or an empty string.
std::string FirstKeyOf(const BlockPlace& place, PassReads* reads) {
  Slice contents;
  BlockView view;
  if (!reads->Peek(place, &contents) ||
      !ParseBlock(contents, place, &view).ok()) {
    return {};
  }
  std::string first = FirstPlainKey(view, place).value_or("");
  return first.size() < kInternalKeyTailBytes ? std::string() : first;
}

// Puts the numbers of found blocks in the order of their first keys, unless
// most of them are in another order: then that of keys is not known.
void SortByFirstKey(const DataBlockInputs& inputs, PassReads* reads,
                    std::vector<size_t>* numbers) {
  // A comparator that is not known has an order that is not known.
  if (!inputs.facts.order.has_value() && inputs.facts.index_levels_known) {
    return;
  }
  const Comparator* const given = inputs.options.comparator;
  const KeyOrder order = inputs.facts.order.value_or(
      KeyOrder(given != nullptr ? given : BytewiseComparator()));
  reads->BeginStep();
  const size_t indexed = inputs.index.data_blocks.size();
  std::vector<std::string> keys;
  size_t wrong = 0;
  for (size_t i : *numbers) {
    keys.push_back(
        FirstKeyOf({BlockKind::kData, inputs.HandleOf(i), i}, reads));
    const size_t n = keys.size();
    if (n > 1 && !keys[n - 2].empty() && !keys[n - 1].empty() &&
        order.Compare(keys[n - 2], keys[n - 1]) >= 0) {
      ++wrong;
    }
  }
  if (wrong == 0 || 2 * wrong > numbers->size()) return;
  std::stable_sort(numbers->begin(), numbers->end(), [&](size_t a, size_t b) {
    const std::string& left = keys[a - indexed];
    const std::string& right = keys[b - indexed];
    if (left.empty() || right.empty()) return left.size() < right.size();
    return order.Compare(left, right) < 0;
  });
}

}  // namespace

std::vector<BlockHandle> KnownBlocks(const IndexedBlocks& index,
                                     const std::vector<BlockInfo>& blocks) {
  std::vector<BlockHandle> known;
  known.reserve(index.data_blocks.size() + blocks.size());
  for (const IndexItem& item : index.data_blocks) known.push_back(item.handle);
  for (const BlockInfo& block : blocks) {
    // A sound block of another kind may have been taken for what it is not.
    const bool is_damaged = block.stored_checksum != block.computed_checksum;
    if (!block.contents_sound && !is_damaged) continue;
    known.push_back({block.offset, block.size});
  }
  std::sort(known.begin(), known.end(),
            [](const BlockHandle& a, const BlockHandle& b) {
              return a.offset < b.offset;
            });
  return known;
}

std::vector<ByteRange> PartsBetween(const std::vector<BlockHandle>& known,
                                    uint64_t end) {
  std::vector<ByteRange> parts;
  uint64_t at = 0;
  for (const BlockHandle& handle : known) {
    if (!handle.FitsBelow(end)) continue;
    if (handle.offset > at) parts.push_back({at, handle.offset});
    at = std::max(at, handle.End());
  }
  if (at < end) parts.push_back({at, end});
  return parts;
}

bool IsKnown(const std::vector<BlockHandle>& known, const ByteRange& range) {
  const auto next =
      std::upper_bound(known.begin(), known.end(), range.begin,
                       [](uint64_t offset, const BlockHandle& handle) {
                         return offset < handle.offset;
                       });
  if (next == known.begin()) return false;
  const BlockHandle& before = *std::prev(next);
  return range.begin - before.offset < before.size + kBlockTrailerSize;
}

std::vector<size_t> OrderToShow(const DataBlockInputs& inputs,
                                PassReads* reads) {
  const size_t indexed = inputs.index.data_blocks.size();
  std::vector<size_t> all(inputs.num_blocks());
  std::iota(all.begin(), all.end(), size_t{0});
  if (inputs.found.empty()) return all;
  std::vector<size_t> found(all.begin() + static_cast<ptrdiff_t>(indexed),
                            all.end());
  if (inputs.file.footer().base_context_checksum == 0) {
    SortByFirstKey(inputs, reads, &found);
  }
  std::vector<size_t> order;
  order.reserve(all.size());
  std::merge(all.begin(), all.begin() + static_cast<ptrdiff_t>(indexed),
             found.begin(), found.end(), std::back_inserter(order),
             [&inputs](size_t a, size_t b) {
               return inputs.HandleOf(a).offset < inputs.HandleOf(b).offset;
             });
  return order;
}

}  // namespace ashlar::internal
