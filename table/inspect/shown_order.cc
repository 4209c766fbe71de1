#include "table/inspect/shown_order.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "table/block/block.h"
#include "table/inspect/found_table.h"

namespace ashlar::internal {

namespace {

// Returns the order of keys by which blocks can be put in order. A comparator
// that is not known has an order that is not known.
std::optional<KeyOrder> OrderOf(const DataBlockInputs& inputs) {
  if (inputs.facts.order.has_value()) return inputs.facts.order;
  if (inputs.facts.index_levels_known) return std::nullopt;
  const Comparator* const given = inputs.options.comparator;
  return KeyOrder(given != nullptr ? given : BytewiseComparator());
}

// Returns the first key of data block i, or an empty string if there is none
// that can be compared.
std::string FirstKeyOf(const DataBlockInputs& inputs, size_t i,
                       PassReads* reads) {
  const BlockPlace place{BlockKind::kData, inputs.HandleOf(i), i};
  Slice contents;
  BlockView view;
  if (!reads->Peek(place, &contents) ||
      !ParseBlock(contents, place, &view).ok()) {
    return {};
  }
  std::string first = FirstPlainKey(view, place).value_or("");
  const auto order = OrderOf(inputs);
  const size_t smallest =
      order.has_value() ? order->smallest_key() : kInternalKeyTailBytes;
  return first.size() < smallest ? std::string() : first;
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
  const auto order = OrderOf(inputs);
  if (!order.has_value()) return;
  const size_t indexed = inputs.index.data_blocks.size();
  size_t wrong = 0;
  for (size_t n = 1; n < numbers->size(); ++n) {
    const std::string& before = keys[(*numbers)[n - 1] - indexed];
    const std::string& key = keys[(*numbers)[n] - indexed];
    if (!before.empty() && !key.empty() && order->Compare(before, key) >= 0) {
      ++wrong;
    }
  }
  if (wrong == 0 || 2 * wrong > numbers->size()) return;
  std::stable_sort(numbers->begin(), numbers->end(), [&](size_t a, size_t b) {
    const std::string& left = keys[a - indexed];
    const std::string& right = keys[b - indexed];
    if (left.empty() || right.empty()) return left.size() < right.size();
    return order->Compare(left, right) < 0;
  });
}

// Puts found blocks in order by themselves, where the index does not say where
// they belong.
void OrderByFirstKeys(const DataBlockInputs& inputs, PassReads* reads,
                      std::vector<size_t>* numbers) {
  std::vector<std::string> keys;
  keys.reserve(numbers->size());
  for (const size_t i : *numbers) {
    keys.push_back(FirstKeyOf(inputs, i, reads));
  }
  DropCopies(inputs, keys, numbers);
  SortByFirstKey(inputs, keys, numbers);
}

// A data block that is not where the index has its keys.
struct Stray {
  size_t number;
  size_t place;     // the number of the indexed block before which it belongs
  std::string key;  // its first one; empty if it has none
  bool is_copy = false;
};

// Places blocks by their first keys among those that the index names. For files
// in which a block is sound wherever it is.
class StrayBlocks {
 public:
  // Requires: separators are IsAscending in this order.
  StrayBlocks(const DataBlockInputs& inputs, const KeyOrder& order,
              PassReads* reads)
      : inputs_(inputs),
        items_(inputs.index.data_blocks),
        order_(order),
        separators_(order_, inputs.index.form.user_keys),
        reads_(*reads) {}

  static bool IsAscending(const IndexedBlocks& index, const KeyOrder& order);
  // Returns false to give up.
  bool Find();
  ShownOrder Order();

 private:
  size_t PlaceOfKey(const std::string& key);
  size_t PlaceOfOffset(uint64_t offset) const;
  bool IsAtHome(size_t number, size_t place) const;
  void FindCopies();

  const DataBlockInputs& inputs_;
  const IndexItems& items_;
  const KeyOrder order_;
  const SeparatorOrder separators_;
  PassReads& reads_;
  std::vector<Stray> strays_;
  std::string whole_;  // kept for its memory
};

bool StrayBlocks::IsAscending(const IndexedBlocks& index,
                              const KeyOrder& order) {
  // A single separator does not show an order.
  const IndexItems& items = index.data_blocks;
  if (items.size() < 2) return false;
  const SeparatorOrder separators(order, index.form.user_keys);
  const size_t smallest =
      index.form.user_keys ? order.timestamp_size() : order.smallest_key();
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].separator.size() < smallest) return false;
    if (i > 0 &&
        separators.Compare(items[i - 1].separator, items[i].separator) >= 0) {
      return false;
    }
  }
  return true;
}

size_t StrayBlocks::PlaceOfKey(const std::string& key) {
  const Slice read = inputs_.facts.AsRead(key, &whole_);
  const auto next = std::partition_point(
      items_.begin(), items_.end(), [&](const IndexItem& item) {
        return separators_.CompareToKey(item.separator, read) < 0;
      });
  return static_cast<size_t>(next - items_.begin());
}

// Returns whether an indexed block is where its first key belongs. In an order
// that is only guessed, versions of one key that go on in the next block may
// seem to belong next door.
bool StrayBlocks::IsAtHome(size_t number, size_t place) const {
  const size_t distance = std::max(number, place) - std::min(number, place);
  const bool is_guess =
      !inputs_.facts.order.has_value() && inputs_.options.comparator == nullptr;
  return distance <= (is_guess ? 1 : 0);
}

// For blocks that cannot be read, of which only the offset is known.
size_t StrayBlocks::PlaceOfOffset(uint64_t offset) const {
  const auto next = std::partition_point(
      items_.begin(), items_.end(),
      [offset](const IndexItem& item) { return item.handle.offset < offset; });
  return static_cast<size_t>(next - items_.begin());
}

bool StrayBlocks::Find() {
  // A small block may hold a long key.
  KeyBudget budget(inputs_.file.footer().offset);
  for (size_t i = 0; i < inputs_.num_blocks(); ++i) {
    if (!reads_.GoesOnToBlock(i, 0)) return false;
    std::string key = FirstKeyOf(inputs_, i, &reads_);
    size_t place = key.empty() ? i : PlaceOfKey(key);
    if (inputs_.IsIndexed(i) && IsAtHome(i, place)) continue;
    if (!budget.Take(key.size())) key.clear();
    if (key.empty()) {
      if (inputs_.IsIndexed(i)) continue;
      place = PlaceOfOffset(inputs_.HandleOf(i).offset);
    }
    strays_.push_back({i, place, std::move(key)});
  }
  std::stable_sort(strays_.begin(), strays_.end(),
                   [this](const Stray& a, const Stray& b) {
                     if (a.place != b.place) return a.place < b.place;
                     if (a.key.empty() || b.key.empty()) {
                       return a.key.size() < b.key.size();
                     }
                     return order_.Compare(a.key, b.key) < 0;
                   });
  return true;
}

// Of blocks with the same first key and size, the one that is where it belongs
// stays, or else the first one. Strays of one place come one after the other.
void StrayBlocks::FindCopies() {
  std::set<std::pair<std::string_view, uint64_t>> seen;
  size_t place = items_.size();
  std::string key_there;  // of the block at `place`
  for (Stray& stray : strays_) {
    if (stray.key.empty()) continue;
    const uint64_t size = inputs_.HandleOf(stray.number).size;
    if (stray.place < items_.size() &&
        items_[stray.place].handle.size == size) {
      if (place != stray.place) {
        place = stray.place;
        key_there = FirstKeyOf(inputs_, place, &reads_);
      }
      stray.is_copy = key_there == stray.key;
    }
    const bool is_new = seen.insert({stray.key, size}).second;
    stray.is_copy = stray.is_copy || !is_new;
  }
}

ShownOrder StrayBlocks::Order() {
  FindCopies();
  ShownOrder shown;
  std::vector<bool> is_elsewhere(items_.size());
  for (const Stray& stray : strays_) {
    if (!inputs_.IsIndexed(stray.number)) continue;
    is_elsewhere[stray.number] = !stray.is_copy;
    if (stray.is_copy) shown.copies.insert(stray.number);
  }
  auto next = strays_.begin();
  for (size_t place = 0; place <= items_.size(); ++place) {
    bool has_own_keys = false;
    for (; next != strays_.end() && next->place == place; ++next) {
      if (next->is_copy) continue;
      shown.numbers.push_back(next->number);
      has_own_keys = has_own_keys || !next->key.empty();
    }
    if (place == items_.size()) break;
    if (!is_elsewhere[place]) {
      shown.numbers.push_back(place);
    } else if (!has_own_keys) {
      shown.overwritten.insert(place);
    }
  }
  return shown;
}

// Returns whether each entry is to be shown, so that it is worth while to read
// all blocks once more.
bool ShowsAllEntries(const InspectOptions& options) {
  return LooksForBlocks(options) && options.on_entry && options.decode &&
         !options.decodes_block;
}

// Returns found and indexed blocks in file order, but found ones by their first
// keys if a block is sound wherever it is.
ShownOrder FileOrder(const DataBlockInputs& inputs, PassReads* reads) {
  const auto indexed = static_cast<ptrdiff_t>(inputs.index.data_blocks.size());
  std::vector<size_t> all(inputs.num_blocks());
  std::iota(all.begin(), all.end(), size_t{0});
  if (inputs.found.empty()) return {std::move(all), {}};
  std::vector<size_t> found(all.begin() + indexed, all.end());
  if (inputs.file.footer().base_context_checksum == 0) {
    OrderByFirstKeys(inputs, reads, &found);
  }
  ShownOrder shown;
  shown.numbers.reserve(all.size());
  std::merge(all.begin(), all.begin() + indexed, found.begin(), found.end(),
             std::back_inserter(shown.numbers), [&inputs](size_t a, size_t b) {
               return inputs.HandleOf(a).offset < inputs.HandleOf(b).offset;
             });
  return shown;
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

std::vector<ByteRange> InBoth(const std::vector<ByteRange>& a,
                              const std::vector<ByteRange>& b) {
  std::vector<ByteRange> both;
  auto of_b = b.begin();
  for (const ByteRange& range : a) {
    while (of_b != b.end() && of_b->end <= range.begin) ++of_b;
    // The last one may go on in the next range.
    for (auto next = of_b; next != b.end() && next->begin < range.end; ++next) {
      of_b = next;
      both.push_back(
          {std::max(range.begin, next->begin), std::min(range.end, next->end)});
    }
  }
  return both;
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

bool OrderToShow(const DataBlockInputs& inputs, PassReads* reads,
                 ShownOrder* shown) {
  reads->BeginStep();
  const auto order = OrderOf(inputs);
  if (inputs.file.footer().base_context_checksum != 0 ||
      !ShowsAllEntries(inputs.options) || !order.has_value() ||
      !StrayBlocks::IsAscending(inputs.index, *order)) {
    *shown = FileOrder(inputs, reads);
    return true;
  }
  StrayBlocks strays(inputs, *order, reads);
  if (!strays.Find()) return false;
  *shown = strays.Order();
  return true;
}

}  // namespace ashlar::internal
