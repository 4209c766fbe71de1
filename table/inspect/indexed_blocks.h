// IndexedBlocks: the data blocks of a table, as its index names them.
//
// The index pass fills it in (index_pass.h). The meta pass and the data pass
// read it. Until it is filled in, it names no blocks, and has the form of the
// index that the properties say. Thread-safe to read.
#ifndef ASHLAR_TABLE_INSPECT_INDEXED_BLOCKS_H_
#define ASHLAR_TABLE_INSPECT_INDEXED_BLOCKS_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "table/format/key_order.h"
#include "table/index/index_block.h"
#include "table/inspect/index_items.h"
#include "table/inspect/table_facts.h"

namespace ashlar::internal {

// How separators compare with each other and with keys. Requires: the order
// outlives this.
class SeparatorOrder {
 public:
  SeparatorOrder(const KeyOrder& order, bool user_keys)
      : order_(order), user_keys_(user_keys) {}

  int Compare(const Slice& a, const Slice& b) const {
    return user_keys_ ? order_.CompareUserKeys(a, b) : order_.Compare(a, b);
  }
  // Returns < 0 if the separator is before the internal key. A separator that
  // is a user key counts as after all versions of it.
  int CompareToKey(const Slice& separator, const Slice& key) const {
    if (!user_keys_) return order_.Compare(separator, key);
    const int order = order_.CompareUserKeys(separator, UserKeyOf(key));
    return order != 0 ? order : 1;
  }

 private:
  const KeyOrder& order_;
  const bool user_keys_;
};

struct IndexedBlocks {
  explicit IndexedBlocks(const TableFacts& facts)
      : form(facts.index_form), form_known(facts.index_form_known) {}

  IndexForm form;
  bool form_known;
  // Whether the index was read, and is sound.
  bool complete = false;
  IndexItems data_blocks;
  // For a partitioned index: its top level; and for each partition, how many of
  // data_blocks come before those that it names.
  IndexItems top_level;
  std::vector<size_t> partition_begins;

  // Returns the order of the separators, if order can be checked.
  std::optional<SeparatorOrder> Order(const TableFacts& facts) const {
    if (!facts.order.has_value()) return std::nullopt;
    return SeparatorOrder(*facts.order, form.user_keys);
  }
  // Returns the separator before data block i. Requires: i > 0. The rule is the
  // same as the reader's, which looks for a key in the top level first: before
  // the first block of a partition comes the separator of the partition before.
  Slice SeparatorBefore(size_t i) const {
    const auto next =
        std::upper_bound(partition_begins.begin(), partition_begins.end(), i);
    const auto part = static_cast<size_t>(next - partition_begins.begin());
    return part >= 2 && partition_begins[part - 1] == i
               ? top_level[part - 2].separator
               : data_blocks[i - 1].separator;
  }
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_INDEXED_BLOCKS_H_
