// IndexItems: the entries of index blocks, kept in memory.
//
// For the inspection, which has those of a whole index at once. The keys are
// stored end to end in a few large pieces of memory, so that an item needs no
// allocation of its own. Thread-safe to read.
#ifndef ASHLAR_TABLE_INSPECT_INDEX_ITEMS_H_
#define ASHLAR_TABLE_INSPECT_INDEX_ITEMS_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ashlar/util/slice.h"
#include "table/format/block_handle.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

struct IndexItem {
  BlockHandle handle;
  Slice separator;
  Slice first_key;  // index type 3 only
};

class IndexItems {
 public:
  // How much it holds, for GoBack.
  struct Mark {
    size_t items;
    size_t pieces;
    size_t bytes;  // of the last piece
  };

  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  const IndexItem& operator[](size_t i) const { return items_[i]; }
  const IndexItem& back() const { return items_.back(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

  // Makes room for about n more items. A partitioned index calls it for each
  // partition, so room grows at least in proportion to what is there.
  void Expect(size_t n) {
    const size_t wanted = items_.size() + std::min(n, kMostExpected);
    if (wanted > items_.capacity()) {
      items_.reserve(std::max(wanted, 2 * items_.capacity()));
    }
  }
  // Adds an item, and copies its keys.
  void Add(const BlockHandle& handle, const Slice& separator,
           const Slice& first_key) {
    items_.push_back({handle, Keep(separator), Keep(first_key)});
  }

  Mark mark() const {
    return {items_.size(), keys_.size(),
            keys_.empty() ? 0 : keys_.back().size()};
  }
  // Drops what was added after mark().
  void GoBack(const Mark& mark) {
    items_.resize(mark.items);
    keys_.resize(mark.pieces);
    if (!keys_.empty()) keys_.back().Truncate(mark.bytes);
  }

 private:
  static constexpr size_t kMostExpected = size_t{1} << 16;
  static constexpr size_t kPieceBytes = size_t{1} << 18;

  Slice Keep(const Slice& key) {
    if (key.empty()) return {};
    if (keys_.empty() ||
        keys_.back().capacity() - keys_.back().size() < key.size()) {
      // The first is small: most indexes are.
      keys_.emplace_back().Reserve(std::max(
          keys_.size() == 1 ? kPieceBytes / 64 : kPieceBytes, key.size()));
    }
    Buffer& piece = keys_.back();
    const Slice kept(piece.end(), key.size());
    piece.Append(key);
    return kept;
  }

  std::vector<IndexItem> items_;
  std::vector<Buffer> keys_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_INDEX_ITEMS_H_
