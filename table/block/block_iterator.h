// BlockIterator: walks the entries of one data block.
//
// Data flow. Forward: the key is rebuilt in one buffer, whose first `shared`
// bytes are already those of the last key, so only the suffix is copied; the
// value is a view. Backward: the restart interval before the current entry is
// decoded once, with whole keys, into an array, and walked down. A block that
// keeps its values apart is told from others where the walk would look for its
// end: to the fast path it has no entries at all.
//
// Trusts no byte of the block: each entry is bounds-checked by its header, its
// key must be an internal key of a known type, and must sort behind the one
// before it. For that, the byte where two keys part is nearly always enough.
//
// One thread at a time. The block's bytes must outlive their use.
#ifndef ASHLAR_TABLE_BLOCK_BLOCK_ITERATOR_H_
#define ASHLAR_TABLE_BLOCK_BLOCK_ITERATOR_H_

#include <cstdint>
#include <cstring>
#include <vector>

#include "table/block/block.h"
#include "table/block/entry.h"
#include "table/format/block_place.h"
#include "table/format/key_order.h"
#include "util/mem/buffer.h"
#include "util/mem/copy.h"
#include "util/slice.h"
#include "util/status.h"

namespace ashlar::internal {

class BlockIterator {
 public:
  explicit BlockIterator(KeyOrder order)
      : order_(order), smallest_key_(order.smallest_key()) {}

  // Turns to another block, on no entry yet.
  void Reset(const BlockView& view, const BlockPlace& place);
  // Lets go of the block.
  void Clear() { Reset(BlockView(), BlockPlace()); }

  // Each says whether the iterator then stands on an entry. If not, status()
  // tells an end of the block (ok) from damage.
  bool SeekToFirst();
  bool SeekToLast();
  // To the first entry whose key is not smaller than the internal key.
  bool Seek(const Slice& target);
  // The same, for who looks for one user key: with the block's hash index,
  // where it has one. What that says is only a guess at where to look.
  bool SeekUserKey(const Slice& target);
  bool Next();
  bool Prev();

  bool Valid() const { return valid_; }
  const Status& status() const { return status_; }
  const BlockPlace& place() const { return place_; }
  // Only when Valid(); until the iterator moves.
  Slice key() const { return key_; }
  Slice value() const { return value_; }
  // Where in the block the entry begins.
  uint32_t offset() const {
    return static_cast<uint32_t>(current_ - view_.entries);
  }

 private:
  struct ReverseEntry {
    uint32_t key_begin;  // in reverse_keys_
    uint32_t key_size;
    uint32_t offset;  // of the entry in the block
    Slice value;
  };

  bool Decode(const char* p);
  bool DecodeBeyondInline(const char* p);
  bool TakeEntry(const char* p, const EntryHeader& header, const char* suffix);
  bool SortsBehindLast(const EntryHeader& header, const char* suffix) const;
  bool StartAt(uint32_t restart);
  bool SeekRestart(const Slice& target, uint32_t* restart);
  bool SeekFromRestart(const Slice& target, uint32_t restart);
  bool ProveRestart(const Slice& target, uint32_t guess, uint32_t* restart);
  bool RestartKey(uint32_t restart, Slice* key);
  bool LoadReverseInterval(uint32_t end);
  bool KeepInterval(uint32_t restart, uint32_t end, size_t first, bool* over);
  uint32_t LastRestartBefore(uint32_t offset) const;
  void ShowReverse();
  void LeaveReverse();
  bool End() {
    valid_ = false;
    return false;
  }
  bool Fail(std::string_view detail, const char* at);

  KeyOrder order_;
  size_t smallest_key_;  // tail, and timestamp if keys have one
  BlockPlace place_;
  BlockView view_;
  // Where entries that hold their values end.
  const char* inline_limit_ = nullptr;
  SeparatedPosition separated_;
  Status status_;

  bool valid_ = false;
  Slice key_;  // in key_bytes_ or, walking backward, in reverse_keys_
  Slice value_;
  const char* current_ = nullptr;  // the entry
  const char* next_ = nullptr;     // the entry behind it
  // The last key decoded forward; empty before the first of the block.
  Buffer key_bytes_;

  bool in_reverse_ = false;
  size_t reverse_position_ = 0;
  uint32_t interval_restart_ = 0;
  uint32_t interval_end_ = 0;
  std::vector<ReverseEntry> reverse_;
  Buffer reverse_keys_;
  std::vector<uint32_t> interval_key_sizes_;
  Buffer key_behind_;  // the entry that a step back over a restart leaves
};

// Bit t is set where value type t may stand in a data block.
inline constexpr uint32_t kDataBlockTypes =
    1u << 0x00 | 1u << 0x01 | 1u << 0x02 | 1u << 0x07 | 1u << 0x11 |
    1u << 0x12 | 1u << 0x14 | 1u << 0x16 | 1u << 0x18;

constexpr bool IsDataBlockType(uint8_t type) {
  return type < 32 && (kDataBlockTypes >> type & 1) != 0;
}

inline bool BlockIterator::Next() {
  if (in_reverse_) [[unlikely]]
    LeaveReverse();
  return Decode(next_);
}

inline bool BlockIterator::Decode(const char* p) {
  if (p >= inline_limit_) [[unlikely]]
    return DecodeBeyondInline(p);
  EntryHeader header;
  const char* const suffix = DecodeEntryHeader(p, inline_limit_, &header);
  if (suffix == nullptr) [[unlikely]]
    return Fail("header does not fit", p);
  if (!TakeEntry(p, header, suffix)) [[unlikely]]
    return false;
  value_ = Slice(suffix + header.non_shared, header.value_size);
  next_ = value_.end();
  return true;
}

// Checks the entry at p and makes its key the current one. The fast answer to
// whether it sorts behind the last; the slow one is in SortsBehindLast.
inline bool BlockIterator::TakeEntry(const char* p, const EntryHeader& header,
                                     const char* suffix) {
  constexpr size_t kWide = 32;
  const size_t last_size = key_bytes_.size();
  if (header.shared > last_size) [[unlikely]] {
    return Fail("header does not fit", p);
  }
  const size_t size = size_t{header.shared} + header.non_shared;
  if (size < smallest_key_) [[unlikely]] {
    return Fail(smallest_key_ == kInternalKeyTailBytes
                    ? "key is shorter than its tail of 8 bytes"
                    : "key is shorter than timestamp and tail",
                p);
  }
  // Where the last key is empty, this is any number.
  const size_t shared_limit =
      (size < last_size ? size : last_size) - smallest_key_;
  const bool ascends =
      last_size != 0 && header.shared < shared_limit &&
      order_.AscendsAt(static_cast<uint8_t>(key_bytes_.data()[header.shared]),
                       static_cast<uint8_t>(*suffix));
  if (!ascends && !SortsBehindLast(header, suffix)) [[unlikely]] {
    return Fail("key is not larger than the one before it", p);
  }
  // Not out of the key once it is put together: a load that spans two stores
  // waits until both have reached the cache.
  const uint8_t type = static_cast<uint8_t>(
      header.non_shared >= kInternalKeyTailBytes
          ? suffix[header.non_shared - kInternalKeyTailBytes]
          : key_bytes_.data()[size - kInternalKeyTailBytes]);
  key_bytes_.Truncate(header.shared);
  if (!key_bytes_.TryReserve(header.non_shared)) [[unlikely]] {
    return Fail("no memory for the key", p);
  }
  char* const to = key_bytes_.end();
  if (header.non_shared <= kWide &&
      view_.restarts - suffix >= static_cast<ptrdiff_t>(kWide)) [[likely]] {
    std::memcpy(to, suffix, kWide);  // into the slack, at worst
  } else {
    std::memcpy(to, suffix, header.non_shared);
  }
  key_bytes_.Advance(header.non_shared);
  key_ = Slice(key_bytes_.data(), size);
  if (!IsDataBlockType(type)) [[unlikely]] {
    return Fail("value type is none that a data block holds", p);
  }
  current_ = p;
  valid_ = true;
  return true;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BLOCK_BLOCK_ITERATOR_H_
