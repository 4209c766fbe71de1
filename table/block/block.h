// BlockView: the parts of a key/value block, checked once.
//
//   entries | [values] | restart array: num_restarts x fixed32
//   | [hash index: num_buckets x u8 | fixed16 num_buckets]
//   | [fixed32 offset of the values] | fixed32 flags and num_restarts
//
// Data blocks may keep their values apart from the keys; no other kind does.
//
// A view into bytes that somebody else keeps alive. Thread-safe to read.
#ifndef ASHLAR_TABLE_BLOCK_BLOCK_H_
#define ASHLAR_TABLE_BLOCK_BLOCK_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/block/entry.h"
#include "table/format/block_place.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

// Bits of a block's last word, above the number of restart points.
inline constexpr uint32_t kHashIndexFlag = uint32_t{1} << 31;
inline constexpr uint32_t kReservedFlag = uint32_t{1} << 30;
inline constexpr uint32_t kUniformFlag = uint32_t{1} << 29;
inline constexpr uint32_t kSeparatedFlag = uint32_t{1} << 28;

// What is known of the entries of a block once CheckEntries (checked_entries.h)
// has found all of them sound. Nothing is where largest_key is 0.
struct CheckedEntries {
  uint32_t largest_key = 0;       // bytes
  uint32_t largest_interval = 0;  // entries from one restart point to the next

  bool sound() const { return largest_key != 0; }
};

struct BlockView {
  const char* entries = "";
  uint32_t entries_size = 0;
  uint32_t num_restarts = 0;
  // Behind the entries, and behind the values where these are apart.
  const char* restarts = nullptr;
  // Values stand between limit() and restarts.
  bool separated = false;
  // The hash index: which restart interval holds the user keys of a hash. None
  // where num_buckets is 0.
  uint16_t num_buckets = 0;
  const uint8_t* buckets = nullptr;
  // Sound only where the bytes are in memory that nobody else changes, with
  // Buffer::kSlack bytes behind them.
  CheckedEntries checked;

  const char* limit() const { return entries + entries_size; }
  // i < num_restarts. Within the entries, or 0 when there are none.
  uint32_t RestartOffset(uint32_t i) const {
    return LoadFixed32(restarts + size_t{i} * sizeof(uint32_t));
  }
};

// Finds the parts and proves that every restart offset lies within the entries
// and that they ascend from 0. place.kind tells whether values may be apart.
Status ParseBlock(const Slice& contents, const BlockPlace& place,
                  BlockView* view);

// How far a walk over entries without their values has come.
struct SeparatedPosition {
  uint32_t next_restart = 0;        // the restart point that comes next
  const char* value_end = nullptr;  // of the entry decoded last
};

// The same as DecodeEntryHeader for an entry of a separated block: walked from
// a restart point on, which position->next_restart names at first. The value
// then ends at position->value_end.
const char* DecodeSeparatedEntry(const BlockView& view, const char* p,
                                 SeparatedPosition* position,
                                 EntryHeader* header);

// Keys that share long prefixes can be far larger together than their block.
// Who keeps them must not be made to keep any amount: this allows what honest
// blocks need, and never more than 1 GiB beyond the block's own size.
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

// Calls visit(key, value) for each entry of a block, whatever its keys are;
// `Status visit(Slice, Slice)`. Keys live during the call only; values as long
// as the block.
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
          "bad entry", "keys are many times as large as their block, at byte " +
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

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BLOCK_BLOCK_H_
