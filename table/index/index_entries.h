// IndexEntries: the entries of one index block, whole and next to each other.
//
// A ParsedIndex is made of them: the block is walked once, all entries are
// checked, and then their packed size is known. The memory is needed only
// during that time; a thread keeps it for the next block, unless it has grown
// large.
//
// Checks. The walk only branches on structure. What else may be wrong with an
// entry is collected, and looked at once at the end. If anything is wrong, a
// second walk, FindFault, goes entry by entry through the same checks and makes
// the message. So a block without faults pays for no message.
//
// One thread uses each object.
#ifndef ASHLAR_TABLE_INDEX_INDEX_ENTRIES_H_
#define ASHLAR_TABLE_INDEX_INDEX_ENTRIES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/format/block_handle.h"
#include "table/format/block_place.h"
#include "table/format/key_order.h"
#include "table/index/index_block.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

// What entries are compared with.
struct IndexChecks {
  KeyOrder order;
  IndexForm form;
  uint64_t file_limit = 0;  // where the last block must end
  // Whether a separator may equal the one before it. Filters may be cut between
  // the versions of a key: of equal separators the first one counts.
  bool allows_equal = false;

  // Compares two separators.
  int Compare(const Slice& a, const Slice& b) const {
    return form.user_keys ? order.CompareUserKeys(a, b) : order.Compare(a, b);
  }
  // Compares a separator with an internal key: < 0 if it sorts before the key.
  // A separator that is a user key counts as after all versions of it.
  int CompareWithKey(const Slice& separator, const Slice& internal_key) const;
  // Returns whether b may follow a as the next separator.
  bool Ascends(const Slice& a, const Slice& b) const {
    return Compare(a, b) < (allows_equal ? 1 : 0);
  }
  // Size in bytes of the shortest separator.
  size_t smallest_separator() const {
    return order.smallest_key() - (form.user_keys ? kInternalKeyTailBytes : 0);
  }
};

class IndexEntries {
 public:
  // Takes all entries of the block. Returns false if one does not decode, if
  // keys are too short or together too large, or if handles do not ascend or do
  // not fit into the file. Does not look at the order of keys.
  [[nodiscard]] bool Walk(const BlockView& view, const IndexChecks& checks);
  // Returns whether each separator is larger than the one before it. Requires:
  // the order is known.
  bool SeparatorsAscend(const IndexChecks& checks) const;
  // Returns whether each first key is between the separators on both sides of
  // its block. Requires: the order is known, and the form has first keys.
  bool FirstKeysAreBetween(const IndexChecks& checks) const;

  size_t size() const { return handles_.size(); }
  // Separators have their timestamps, also those that files do not store.
  Slice separator(size_t i) const { return Part(keys_, key_ends_, i); }
  Slice separator_user_key(size_t i, const IndexForm& form) const {
    return form.user_keys ? separator(i) : UserKeyOf(separator(i));
  }
  std::span<const BlockHandle> handles() const { return handles_; }
  // Requires: the form has first keys.
  Slice first_key(size_t i) const {
    return Part(first_keys_, first_key_ends_, i);
  }
  uint64_t separator_bytes() const { return keys_.size(); }
  uint64_t first_key_bytes() const { return first_keys_.size(); }

  // Empties it, and frees its memory if that is large.
  void Clear();

 private:
  static Slice Part(const Buffer& bytes, const std::vector<uint64_t>& ends,
                    size_t i) {
    const uint64_t begin = i == 0 ? 0 : ends[i - 1];
    return Slice(bytes.data() + begin, static_cast<size_t>(ends[i] - begin));
  }
  template <bool kDelta>
  bool WalkEntries(const BlockView& view, const IndexChecks& checks);
  bool TakeFirstKey(const Slice& stored, const IndexChecks& checks);
  void RestoreSeparators(const IndexChecks& checks);

  Buffer keys_;
  std::vector<uint64_t> key_ends_;
  std::vector<BlockHandle> handles_;
  Buffer first_keys_;
  std::vector<uint64_t> first_key_ends_;
};

// Returns the first fault of the block's entries, or ok if there is none: an
// entry that does not decode, a key that is too short, a handle that does not
// fit or not ascend, separators that do not ascend, or a first key that is not
// between its separators.
Status FindFault(const BlockView& view, const BlockPlace& place,
                 const IndexChecks& checks);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_INDEX_ENTRIES_H_
