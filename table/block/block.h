// BlockView: the parts of a key/value block, checked once.
//
//   entries
//   values                        only if they are stored apart from the keys
//   restart array                 num_restarts x fixed32
//   num_buckets x u8 | fixed16    hash index, if any; fixed16 is num_buckets
//   fixed32                       offset of the values, only if they are apart
//   fixed32                       flags and num_restarts
//
// Only data blocks may store their values apart.
//
// A view into bytes that something else keeps alive. Thread-safe to read.
#ifndef ASHLAR_TABLE_BLOCK_BLOCK_H_
#define ASHLAR_TABLE_BLOCK_BLOCK_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/block/entry.h"
#include "table/format/block_place.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

// Flags in a block's last word, above the number of restart points.
inline constexpr uint32_t kHashIndexFlag = uint32_t{1} << 31;
inline constexpr uint32_t kReservedFlag = uint32_t{1} << 30;
inline constexpr uint32_t kUniformFlag = uint32_t{1} << 29;
inline constexpr uint32_t kSeparatedFlag = uint32_t{1} << 28;

// What is known of a block once CheckEntries (checked_entries.h) has found all
// its entries sound. If largest_key is 0, nothing is known.
struct CheckedEntries {
  uint32_t largest_key = 0;       // in bytes
  uint32_t largest_interval = 0;  // in entries, between two restart points

  bool sound() const { return largest_key != 0; }
};

struct BlockView {
  const char* entries = "";
  uint32_t entries_size = 0;
  uint32_t num_restarts = 0;
  // The restart array, after the entries, or after the values if they are
  // apart.
  const char* restarts = nullptr;
  // Whether values are apart, between limit() and restarts.
  bool separated = false;
  // The hash index: which restart interval holds the user keys of a hash. There
  // is none if num_buckets is 0.
  uint16_t num_buckets = 0;
  const uint8_t* buckets = nullptr;
  // Set only if the bytes are in memory that nothing else changes, with
  // Buffer::kSlack bytes after them.
  CheckedEntries checked;

  const char* limit() const { return entries + entries_size; }
  // Returns the offset of restart point i: within the entries, or 0 if there
  // are none. Requires: i < num_restarts.
  uint32_t RestartOffset(uint32_t i) const {
    return LoadFixed32(restarts + size_t{i} * sizeof(uint32_t));
  }
};

// Makes *view of a block's contents. Returns Corruption unless every restart
// offset is within the entries and they ascend from 0. place.kind says whether
// values may be apart.
Status ParseBlock(const Slice& contents, const BlockPlace& place,
                  BlockView* view);

// How far a walk over the entries of a separated block has come.
struct SeparatedPosition {
  uint32_t next_restart = 0;        // the next restart point
  const char* value_end = nullptr;  // where the last entry's value ends
};

// Does what DecodeEntryHeader does, for an entry of a separated block. The walk
// must begin at a restart point, which position->next_restart names at first.
// The value then ends at position->value_end.
const char* DecodeSeparatedEntry(const BlockView& view, const char* p,
                                 SeparatedPosition* position,
                                 EntryHeader* header);

// Keys that share long prefixes can be far larger together than their block. A
// damaged block must not make a reader keep any amount of memory. KeyBudget
// allows what honest blocks need, and never more than 1 GiB beyond the block's
// own size.
class KeyBudget {
 public:
  explicit KeyBudget(uint64_t block_size)
      : left_(std::min(kLeast + kFactor * block_size, kMost + block_size)) {}

  [[nodiscard]] bool Take(uint64_t key_size) {
    if (key_size > left_) return false;
    left_ -= key_size;
    return true;
  }
  uint64_t left() const { return left_; }

 private:
  static constexpr uint64_t kLeast = uint64_t{64} << 20;
  static constexpr uint64_t kFactor = 64;
  static constexpr uint64_t kMost = uint64_t{1} << 30;

  uint64_t left_;
};

// Calls `Status visit(Slice key, Slice value)` for each entry of a block,
// whatever its keys are. Ends with the first error of `visit`, or with
// Corruption if an entry does not decode. Keys live until the call returns,
// values as long as the block.
template <typename Visit>
Status ForEachPlainEntry(const BlockView& view, const BlockPlace& place,
                         Visit visit) {
  std::string key;
  KeyBudget budget(view.entries_size);
  SeparatedPosition position;
  const char* p = view.entries;
  while (p < view.limit()) {
    EntryHeader header;
    const char* const bytes =
        view.separated ? DecodeSeparatedEntry(view, p, &position, &header)
                       : DecodeEntryHeader(p, view.limit(), &header);
    if (bytes == nullptr || header.shared > key.size()) {
      return place.Corruption(
          "bad entry", "header at byte " + std::to_string(p - view.entries));
    }
    if (!budget.Take(uint64_t{header.shared} + header.non_shared)) {
      return place.Corruption(
          "bad entry",
          "its keys together are many times larger than the block, at byte " +
              std::to_string(p - view.entries));
    }
    key.resize(header.shared);
    key.append(bytes, header.non_shared);
    p = bytes + header.non_shared;
    Slice value(p, header.value_size);
    if (view.separated) {
      value = Slice(position.value_end - header.value_size, header.value_size);
    } else {
      p = value.end();
    }
    Status status = visit(Slice(key), value);
    if (!status.ok()) return status;
  }
  return {};
}

// Returns the first key of such a block, or nothing if it does not decode or
// there is none.
std::optional<std::string> FirstPlainKey(const BlockView& view,
                                         const BlockPlace& place);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BLOCK_BLOCK_H_
