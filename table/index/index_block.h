// The entries of an index block, whatever the index type.
//
//   full form     an ordinary entry; value = varint64 offset | varint64 size
//   delta form    varint32 shared | varint32 non_shared | key bytes | value;
//                 if shared is 0: value = varint64 offset | varint64 size
//                 else: value = varsigned64, the difference of the size to that
//                 of the entry before; the block follows that entry's block
//   first keys    each value ends in a length-prefixed internal key, the first
//                 of its data block
//
// Untrusted bytes are walked without overrun. Pure functions: thread-safe.
#ifndef ASHLAR_TABLE_INDEX_INDEX_BLOCK_H_
#define ASHLAR_TABLE_INDEX_INDEX_BLOCK_H_

#include <cstdint>
#include <string>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/block/block.h"
#include "table/block/entry.h"
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
  uint32_t offset = 0;  // in the block; set by ForEachIndexEntry
  uint32_t shared = 0;
  Slice suffix;
  BlockHandle handle;
  Slice first_key;  // of the data block; empty if the form has none
};

// These decode the entry at p into *entry, which still has the entry before it.
// They return where the next one begins; null if the entry is damaged.
inline const char* DecodeDeltaEntry(const char* p, const char* limit,
                                    const IndexForm& form, IndexEntry* entry);
inline const char* DecodeFullEntry(const char* p, const char* limit,
                                   const IndexForm& form, IndexEntry* entry);
inline const char* DecodeIndexEntry(const char* p, const char* limit,
                                    const IndexForm& form, IndexEntry* entry) {
  return form.delta_handles ? DecodeDeltaEntry(p, limit, form, entry)
                            : DecodeFullEntry(p, limit, form, entry);
}

// Calls `Status visit(Slice separator, const IndexEntry&)` for each entry. Ends
// with the first error of `visit`, or with Corruption if an entry does not
// decode. Separators live until the call returns, first keys as long as the
// block.
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
      return place.Corruption(
          "bad index entry",
          "its keys together are many times larger than the block, at byte " +
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

inline bool DecodeFirstKey(const IndexForm& form, Decoder* decoder,
                           IndexEntry* entry) {
  if (!form.first_keys) return true;
  uint32_t size;
  return decoder->Varint32(&size) && decoder->Bytes(size, &entry->first_key);
}

inline const char* DecodeDeltaEntry(const char* p, const char* limit,
                                    const IndexForm& form, IndexEntry* entry) {
  const BlockHandle previous = entry->handle;
  Decoder decoder(Slice(p, static_cast<size_t>(limit - p)));
  uint32_t non_shared;
  if (!decoder.Varint32(&entry->shared) || !decoder.Varint32(&non_shared) ||
      !decoder.Bytes(non_shared, &entry->suffix)) {
    return nullptr;
  }
  if (entry->shared == 0) {
    if (!entry->handle.DecodeFrom(&decoder)) return nullptr;
  } else {
    uint64_t difference;
    if (!decoder.Varint64(&difference)) return nullptr;
    // A sum that wraps around makes a handle that fits in no file.
    entry->handle.offset = previous.End();
    entry->handle.size =
        previous.size + static_cast<uint64_t>(ZigzagDecode(difference));
  }
  if (!DecodeFirstKey(form, &decoder, entry)) return nullptr;
  return decoder.rest().data();
}

// Bytes that other writers may put after handle and first key are skipped.
inline const char* DecodeFullEntry(const char* p, const char* limit,
                                   const IndexForm& form, IndexEntry* entry) {
  EntryHeader header;
  const char* const bytes = DecodeEntryHeader(p, limit, &header);
  if (bytes == nullptr) return nullptr;
  entry->shared = header.shared;
  entry->suffix = Slice(bytes, header.non_shared);
  Decoder value(Slice(bytes + header.non_shared, header.value_size));
  if (!entry->handle.DecodeFrom(&value) ||
      !DecodeFirstKey(form, &value, entry)) {
    return nullptr;
  }
  return bytes + header.non_shared + header.value_size;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_INDEX_BLOCK_H_
