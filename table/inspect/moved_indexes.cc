#include "table/inspect/moved_indexes.h"

#include <algorithm>

#include "table/inspect/parse_index.h"
#include "table/meta/plain_block.h"

namespace ashlar::internal {

bool MovedIndexes::Guess(const BlockView& view, const BlockPlace& place,
                         IndexForm* form, IndexItems* items) const {
  // Its handles may be those of a file that was longer.
  constexpr uint64_t kFarthest = uint64_t{1} << 62;
  Footer footer = inspected_.footer();
  footer.offset = kFarthest;
  const IndexParser parser(footer, 0);
  // The bytes of one form may be those of another, with handles of anything. So
  // a form counts first if a block that it names was found. No block is empty.
  const auto names_blocks = [](const IndexItems& parsed) {
    return !parsed.empty() &&
           std::all_of(parsed.begin(), parsed.end(), [](const IndexItem& item) {
             return item.handle.size != 0;
           });
  };
  const auto names_found = [&](const IndexItems& parsed) {
    return names_blocks(parsed) &&
           std::any_of(parsed.begin(), parsed.end(), [this](const auto& item) {
             bool matches = false;
             return IsPlausible(item.handle, &matches) && matches;
           });
  };
  return parser.Guess(view, place, form, items, names_found).ok() ||
         parser.Guess(view, place, form, items, names_blocks).ok();
}

bool MovedIndexes::IsExact(const BlockView& view, const BlockPlace& place,
                           const IndexForm& form) {
  if (form.delta_handles) return true;
  const auto check = [&](const Slice&, const Slice& value) {
    Decoder decoder(value);
    BlockHandle handle;
    bool is_handle = handle.DecodeFrom(&decoder);
    if (is_handle && !decoder.empty()) {  // the first key, whatever the form
      uint32_t size;
      Slice key;
      is_handle = decoder.Varint32(&size) && decoder.Bytes(size, &key) &&
                  key.size() >= kInternalKeyTailBytes;
    }
    return is_handle && decoder.empty()
               ? Status()
               : place.Corruption("bad index entry", "more than a handle");
  };
  return ForEachPlainEntry(view, place, check).ok();
}

bool MovedIndexes::IsPlausible(const BlockHandle& handle, bool* matches) const {
  const auto next =
      std::upper_bound(blocks_.begin(), blocks_.end(), handle.offset,
                       [](uint64_t offset, const FoundBlock& block) {
                         return offset < block.handle.offset;
                       });
  if (next != blocks_.end() && handle.End() > next->handle.offset) return false;
  if (next == blocks_.begin()) return true;
  const BlockHandle& before = (next - 1)->handle;
  if (before == handle) *matches = true;
  return before == handle || before.End() <= handle.offset;
}

bool MovedIndexes::HasSizeOfBlock(uint64_t size) {
  if (sizes_.empty()) {
    for (size_t i = 0; i < blocks_.size(); ++i) {
      const BlockHandle& handle = blocks_[i].handle;
      const uint64_t next =
          i + 1 < blocks_.size() ? blocks_[i + 1].handle.offset : 0;
      sizes_.emplace_back(handle.size, next - handle.offset);
    }
    std::sort(sizes_.begin(), sizes_.end());
  }
  const auto found = std::lower_bound(sizes_.begin(), sizes_.end(),
                                      std::pair(size, uint64_t{0}));
  return found != sizes_.end() && found->first == size;
}

// Returns whether this is an index whose blocks are elsewhere than it says,
// since bytes were inserted or cut out: most of its handles begin where the one
// before ends, or as far from it as the block after one of that size; or each
// has the size of a block that was found.
bool MovedIndexes::HasDistances(const IndexItems& items) {
  constexpr size_t kEnoughSizes = 16;
  // Of a table with one data block, which is the first of these.
  constexpr size_t kFewBlocks = 8;
  if (items.size() == 1 && blocks_.size() > kFewBlocks) return false;
  BlockHandle before;
  uint64_t end = 0;
  size_t follow = 0;
  size_t of_a_size = 0;
  for (const IndexItem& item : items) {
    const BlockHandle& handle = item.handle;
    if (handle.offset < end) return false;
    of_a_size += HasSizeOfBlock(handle.size);
    follow += handle.offset == end ||
              std::binary_search(
                  sizes_.begin(), sizes_.end(),
                  std::pair(before.size, handle.offset - before.offset));
    before = handle;
    end = handle.End();
  }
  const size_t apart = items.size() - follow;
  const bool is_chain = of_a_size != 0 && follow != 0 && apart <= follow / 3;
  return is_chain ||
         (items.size() >= kEnoughSizes && of_a_size == items.size());
}

// Returns the block that ends where this one begins, or null.
const BlockHandle* MovedIndexes::BlockBefore(const BlockPlace& place,
                                             bool* has_form) const {
  const auto here =
      std::lower_bound(blocks_.begin(), blocks_.end(), place.handle.offset,
                       [](const FoundBlock& block, uint64_t offset) {
                         return block.handle.offset < offset;
                       });
  if (here == blocks_.begin()) return nullptr;
  const FoundBlock& before = *(here - 1);
  *has_form = before.has_form;
  return before.handle.End() == place.handle.offset ? &before.handle : nullptr;
}

// Returns whether this is the top level of such an index or of such a filter.
// The last handle of a top level has the size of the block right before it,
// because that block is the last partition.
bool MovedIndexes::IsTopLevel(const IndexItems& items,
                              const BlockPlace& place) {
  bool has_form = false;
  const BlockHandle* const before = BlockBefore(place, &has_form);
  if (before == nullptr || before->size != items.back().handle.size) {
    return false;
  }
  if (!has_form) return true;
  const BlockPlace partition{BlockKind::kIndexPartition, *before, 0};
  Slice contents;
  BlockView view;
  IndexForm form;
  IndexItems of_partition;
  return inspected_.Peek(partition, thread_, &contents) &&
         ParseBlock(contents, partition, &view).ok() && !view.separated &&
         Guess(view, partition, &form, &of_partition) &&
         HasDistances(of_partition);
}

// Returns whether this block is in the form of an index. *names_found: whether
// all blocks that it names have sizes of blocks that were found.
bool MovedIndexes::CanBePartition(const BlockHandle& handle,
                                  bool* names_found) {
  const BlockPlace partition{BlockKind::kIndexPartition, handle, 0};
  Slice contents;
  BlockView view;
  IndexForm form;
  IndexItems items;
  if (!inspected_.Peek(partition, thread_, &contents) ||
      !ParseBlock(contents, partition, &view).ok() || view.separated ||
      !Guess(view, partition, &form, &items)) {
    return false;
  }
  const auto is_of_block = [this](const IndexItem& item) {
    return HasSizeOfBlock(item.handle.size);
  };
  *names_found = std::all_of(items.begin(), items.end(), is_of_block);
  return true;
}

// If this index is a top level, its last partition is right before it, and says
// where the others are. A partition of one handle does not look like an index,
// so all of those that were found must look like partitions, and most of them
// name blocks that were found too.
void MovedIndexes::ExpectPartitions(const IndexItems& items,
                                    const BlockPlace& place) {
  bool has_form = false;
  const BlockHandle* const before = BlockBefore(place, &has_form);
  if (before == nullptr || before->size != items.back().handle.size) return;
  const uint64_t move = before->offset - items.back().handle.offset;
  std::set<uint64_t> partitions;
  size_t unfounded = 0;
  for (size_t i = items.size(); i > 0; --i) {
    BlockHandle handle = items[i - 1].handle;
    handle.offset += move;
    bool matches = false;
    if (!IsPlausible(handle, &matches)) return;
    if (!matches) continue;
    bool names_found = false;
    if (!CanBePartition(handle, &names_found)) return;
    unfounded += !names_found;
    partitions.insert(handle.offset);
  }
  if (partitions.size() > 1 && unfounded <= partitions.size() / 4) {
    partitions_ = std::move(partitions);
  }
}

}  // namespace ashlar::internal
