// The entries of an index block, whatever the index type.
//
//   full form   an ordinary entry; value = varint64 offset | varint64 size
//   delta form  varint32 shared | varint32 non_shared | key bytes | value,
//               value = offset and size where shared is 0, else
//               varsigned64 of how the size differs from that of the entry
//               before, behind whose block this one lies
//   with first keys, each value ends in a length-prefixed internal key, the
//               first of its data block
//
// Untrusted bytes are walked without overrun. Pure functions: thread-safe.
#ifndef ASHLAR_TABLE_INDEX_INDEX_BLOCK_H_
#define ASHLAR_TABLE_INDEX_INDEX_BLOCK_H_

#include <cstdint>
#include <string>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/block/block.h"
#include "table/format/block_handle.h"
#include "table/format/block_place.h"
#include "table/format/key_form.h"

namespace ashlar::internal {

// How the index of a file is coded; from its properties.
struct IndexForm {
  bool user_keys = false;
  bool delta_handles = false;
  bool first_keys = false;
  // How keys of the file are stored. Separators keep their sequence numbers.
  KeyForm keys = {};

  friend bool operator==(const IndexForm&, const IndexForm&) = default;
};

struct IndexEntry {
  uint32_t offset = 0;  // where it begins; set by ForEachIndexEntry
  uint32_t shared = 0;
  Slice suffix;
  BlockHandle handle;
  Slice first_key;  // of the data block; empty where the form has none
};

// Decodes the entry at p, whose predecessor *entry still holds. Returns where
// the next one begins; null when it is damaged.
const char* DecodeIndexEntry(const char* p, const char* limit,
                             const IndexForm& form, IndexEntry* entry);

// Calls `Status visit(Slice separator, const IndexEntry&)` for each entry.
// Separators live during the call, first keys as long as the block.
template <typename Visit>
Status ForEachIndexEntry(const BlockView& view, const BlockPlace& place,
                         const IndexForm& form, Visit visit) {
  std::string key;
  KeyBudget budget(view.entries_size);
  IndexEntry entry;
  const char* p = view.entries;
  while (p < view.limit()) {
    entry.offset = static_cast<uint32_t>(p - view.entries);
    const char* const next = DecodeIndexEntry(p, view.limit(), form, &entry);
    if (next == nullptr || entry.shared > key.size()) {
      return place.Corruption("bad index entry",
                              "the one at byte " +
                                  std::to_string(p - view.entries) +
                                  " does not decode");
    }
    if (!budget.Take(entry.shared + entry.suffix.size())) {
      return place.Corruption("bad index entry",
                              "keys are many times as large as their block, "
                              "at byte " +
                                  std::to_string(p - view.entries));
    }
    key.resize(entry.shared);
    key.append(entry.suffix.data(), entry.suffix.size());
    Status status = visit(Slice(key), entry);
    if (!status.ok()) return status;
    p = next;
  }
  return {};
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_INDEX_BLOCK_H_
