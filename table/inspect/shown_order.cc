#include "table/inspect/shown_order.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

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

// Leaves out copies of blocks: an internal key is in a table once. The first
// one of the file stays. keys: the first key of each block, by its number.
void DropCopies(const DataBlockInputs& inputs,
                const std::vector<std::string>& keys,
                std::vector<size_t>* numbers) {
  const size_t indexed = inputs.index.data_blocks.size();
  std::set<std::pair<std::string_view, uint64_t>> seen;
  std::erase_if(*numbers, [&](size_t i) {
    const std::string& key = keys[i - indexed];
    return !key.empty() && !seen.insert({key, inputs.HandleOf(i).size}).second;
  });
}

// Puts the numbers of found blocks in the order of their first keys, unless
// most of them are in another order: then that of keys is not known.
void SortByFirstKey(const DataBlockInputs& inputs,
                    const std::vector<std::string>& keys,
                    std::vector<size_t>* numbers) {
  // A comparator that is not known has an order that is not known.
  if (!inputs.facts.order.has_value() && inputs.facts.index_levels_known) {
    return;
  }
  const Comparator* const given = inputs.options.comparator;
  const KeyOrder order = inputs.facts.order.value_or(
      KeyOrder(given != nullptr ? given : BytewiseComparator()));
  const size_t indexed = inputs.index.data_blocks.size();
  size_t wrong = 0;
  for (size_t n = 1; n < numbers->size(); ++n) {
    const std::string& before = keys[(*numbers)[n - 1] - indexed];
    const std::string& key = keys[(*numbers)[n] - indexed];
    if (!before.empty() && !key.empty() && order.Compare(before, key) >= 0) {
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

// For a file in which a block is sound wherever it is.
void OrderByFirstKeys(const DataBlockInputs& inputs, PassReads* reads,
                      std::vector<size_t>* numbers) {
  reads->BeginStep();
  std::vector<std::string> keys;
  keys.reserve(numbers->size());
  for (const size_t i : *numbers) {
    keys.push_back(
        FirstKeyOf({BlockKind::kData, inputs.HandleOf(i), i}, reads));
  }
  DropCopies(inputs, keys, numbers);
  SortByFirstKey(inputs, keys, numbers);
}

}  // namespace

std::vector<BlockHandle> KnownBlocks(const IndexItems& indexed,
                                     const std::vector<BlockInfo>& blocks,
                                     Damaged damaged) {
  std::vector<BlockHandle> known;
  known.reserve(indexed.size() + blocks.size());
  for (const IndexItem& item : indexed) known.push_back(item.handle);
  for (const BlockInfo& block : blocks) {
    // A sound block of another kind may have been taken for what it is not.
    const bool is_damaged = block.stored_checksum != block.computed_checksum;
    if (!block.contents_sound && (!is_damaged || damaged == Damaged::kNo)) {
      continue;
    }
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
    OrderByFirstKeys(inputs, reads, &found);
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
