// BlockIterator: walks over the entries of one data block.
//
// Data flow. Forward: the key is rebuilt in one buffer, whose first `shared`
// bytes are already those of the last key, so only the suffix is copied. The
// value is a view. Backward: the restart interval before the current entry is
// decoded once, with whole keys, into an array, which is then walked down. A
// block that stores its values apart takes the slow path: for the fast path its
// entries end at once (inline_limit_), so blocks of the ordinary form pay
// nothing for it.
//
// It trusts no byte of the block. Each entry is bounds-checked by its header;
// its key must be an internal key of a known type, and must sort after the one
// before it. For that, the byte where the two keys differ is nearly always
// enough. Only if the view says that all this was found before, of bytes that
// cannot have changed since (BlockView::checked), entries are taken as they
// are.
//
// One thread at a time. The block's bytes must outlive their use.
#ifndef ASHLAR_TABLE_BLOCK_BLOCK_ITERATOR_H_
#define ASHLAR_TABLE_BLOCK_BLOCK_ITERATOR_H_

#include <cstdint>
#include <cstring>
#include <vector>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/block/block.h"
#include "table/block/entry.h"
#include "table/block/entry_words.h"
#include "table/format/block_place.h"
#include "table/format/key_order.h"
#include "util/mem/buffer.h"
#include "util/mem/copy.h"

namespace ashlar::internal {

class BlockIterator {
 public:
  explicit BlockIterator(KeyOrder order)
      : order_(order), smallest_key_(order.smallest_key()) {}

  // Begins with another block; the iterator is at no entry yet.
  void Reset(const BlockView& view, const BlockPlace& place);
  // Leaves the block.
  void Clear() { Reset(BlockView(), BlockPlace()); }
  // Hand memory for keys from one iterator to the next, for callers that make
  // many. Requires: GiveKeyMemory is called before the first Reset, and
  // TakeKeyMemory after the last use.
  void GiveKeyMemory(Buffer memory) { key_bytes_ = std::move(memory); }
  Buffer TakeKeyMemory() { return std::move(key_bytes_); }

  // From then on shows only entries that begin at offsets [begin, end) of the
  // block. Requires: entries begin at both; seeks are to keys that are not
  // larger than that of the entry at `end`.
  void Narrow(uint32_t begin, uint32_t end);
  // Returns whether Narrow left out entries at the beginning.
  bool begins_late() const { return begin_offset_ != 0; }
  uint32_t entries_size() const { return view_.entries_size; }

  // Each of these returns whether the iterator is then at an entry. If it is
  // not, status() says whether that is an end of the block (ok) or damage.
  bool SeekToFirst();
  bool SeekToLast();
  // Moves to the first entry whose key is not smaller than the internal key.
  bool Seek(const Slice& target);
  // The same, by the block's entry words if they decide, and if the block was
  // checked.
  bool Seek(const Slice& target, const EntryWords& words);
  // The same for a caller that looks for one user key: by the block's hash
  // index, if it has one. That only guesses where to look.
  bool SeekUserKey(const Slice& target);
  bool Next();
  bool Prev();

  // Tells which block the walk comes to next, by steps forward or backward. If
  // this block was checked, each step then prefetches a part of that block,
  // since the hardware cannot foresee where the walk goes on.
  void FetchAlong(const BlockView& next, bool forward);

  bool Valid() const { return valid_; }
  const Status& status() const { return status_; }
  const BlockPlace& place() const { return place_; }
  // Requires: Valid(). Both live until the iterator moves.
  Slice key() const { return key_; }
  Slice value() const { return value_; }
  // Returns the key as it is stored in the block, which lives as long as the
  // block; empty if it shares bytes with the key before, and so is stored
  // nowhere whole.
  Slice KeyInBlock() const;
  // Returns the offset in the block where the entry begins.
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
  void DecodeChecked(const char* p);
  bool TakeEntry(const char* p, const EntryHeader& header, const char* suffix);
  bool SortsBehindLast(const EntryHeader& header, const char* suffix) const;
  bool StartAt(uint32_t restart);
  bool SeekRestart(const Slice& target, uint32_t* restart);
  bool SeekFromRestart(const Slice& target, uint32_t restart);
  bool StandOn(const WordSeek& found);
  bool ProveRestart(const Slice& target, uint32_t guess, uint32_t* restart);
  bool RestartKey(uint32_t restart, Slice* key);
  bool NextUnchecked();
  bool PrevInterval();
  bool LoadReverseInterval(uint32_t end);
  bool DecodeReverseInterval(uint32_t end);
  bool LoadCheckedInterval(uint32_t end);
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
  // The entries that are shown: from begin_offset_ to end_.
  uint32_t begin_offset_ = 0;
  const char* end_ = nullptr;
  // Where entries that hold their values end; at the beginning if values are
  // apart.
  const char* inline_limit_ = nullptr;
  // Where entries that need no check end; where entries begin if all need one.
  const char* checked_limit_ = nullptr;
  // How far after an entry of this block, in memory, the bytes of the next
  // block are that are prefetched with it.
  uintptr_t fetch_distance_ = 0;
  SeparatedPosition separated_;
  Status status_;

  bool valid_ = false;
  Slice key_;  // in key_bytes_ or, walking backward, in reverse_keys_
  Slice value_;
  const char* current_ = nullptr;  // the entry
  const char* next_ = nullptr;     // the entry after it
  // The last key decoded forward; empty before the first of the block.
  Buffer key_bytes_;

  bool in_reverse_ = false;
  size_t reverse_position_ = 0;
  size_t reverse_begin_ = 0;  // the first one that is shown
  size_t reverse_count_ = 0;  // how many of reverse_ are in use
  uint32_t interval_restart_ = 0;
  uint32_t interval_end_ = 0;
  std::vector<ReverseEntry> reverse_;
  Buffer reverse_keys_;
  std::vector<uint32_t> interval_key_sizes_;
  Buffer key_behind_;  // the entry that a step back over a restart leaves
};

// Bit t is set if a data block may hold entries of value type t.
inline constexpr uint32_t kDataBlockTypes =
    1u << 0x00 | 1u << 0x01 | 1u << 0x02 | 1u << 0x07 | 1u << 0x11 |
    1u << 0x12 | 1u << 0x14 | 1u << 0x16 | 1u << 0x18;

constexpr bool IsDataBlockType(uint8_t type) {
  return type < 32 && (kDataBlockTypes >> type & 1) != 0;
}

// Entries of a block that was checked are decoded with whole words, which may
// reach beyond them; see Buffer::kSlack.
namespace checked {

inline constexpr size_t kWide = 32;

inline void Copy(char* to, const char* from, size_t n) {
  if (n <= kWide) [[likely]] {
    std::memcpy(to, from, kWide);
  } else {
    std::memcpy(to, from, n);
  }
}

inline const char* DecodeHeader(const char* p, const char* limit,
                                EntryHeader* header) {
  constexpr uint32_t kLongVarints = 0x808080;
  const uint32_t word = LoadFixed32(p);
  if ((word & kLongVarints) == 0) [[likely]] {
    *header = {word & 0xff, word >> 8 & 0xff, word >> 16 & 0xff};
    return p + 3;
  }
  return DecodeEntryNumbers(p, limit, header);
}

inline void Fetch(const char* p, uintptr_t distance) {
  constexpr uintptr_t kLine = 64;
  const uintptr_t place = reinterpret_cast<uintptr_t>(p) + distance;
  __builtin_prefetch(reinterpret_cast<const char*>(place));
  __builtin_prefetch(reinterpret_cast<const char*>(place + kLine));
}

}  // namespace checked

inline bool BlockIterator::Next() {
  if (next_ < checked_limit_ && !in_reverse_) [[likely]] {
    DecodeChecked(next_);
    return true;
  }
  return NextUnchecked();
}

inline bool BlockIterator::Prev() {
  if (!in_reverse_ || reverse_position_ == reverse_begin_) {
    return PrevInterval();
  }
  --reverse_position_;
  ShowReverse();
  return true;
}

inline void BlockIterator::ShowReverse() {
  const ReverseEntry& entry = reverse_[reverse_position_];
  key_ = Slice(reverse_keys_.data() + entry.key_begin, entry.key_size);
  value_ = entry.value;
  current_ = view_.entries + entry.offset;
  checked::Fetch(current_, fetch_distance_);
  valid_ = true;
}

inline void BlockIterator::DecodeChecked(const char* p) {
  EntryHeader header;
  const char* const suffix = checked::DecodeHeader(p, checked_limit_, &header);
  checked::Fetch(p, fetch_distance_);
  char* const key = key_bytes_.data();
  const size_t key_size = size_t{header.shared} + header.non_shared;
  checked::Copy(key + header.shared, suffix, header.non_shared);
  key_bytes_.clear();
  key_bytes_.Advance(key_size);
  key_ = Slice(key, key_size);
  value_ = Slice(suffix + header.non_shared, header.value_size);
  current_ = p;
  next_ = value_.end();
  valid_ = true;
}

inline bool BlockIterator::Decode(const char* p) {
  if (p < checked_limit_) {
    DecodeChecked(p);
    return true;
  }
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

// Checks the entry at p, and makes its key the current one. Here is the fast
// way to find out whether it sorts after the last key; SortsBehindLast has the
// slow one.
inline bool BlockIterator::TakeEntry(const char* p, const EntryHeader& header,
                                     const char* suffix) {
  constexpr size_t kWide = 32;
  const size_t last_size = key_bytes_.size();
  if (header.shared > last_size) [[unlikely]] {
    return Fail("header does not fit", p);
  }
  const size_t size = size_t{header.shared} + header.non_shared;
  if (size < smallest_key_) [[unlikely]] {
    return Fail(
        smallest_key_ == kInternalKeyTailBytes
            ? "key is shorter than its tail of 8 bytes"
            : "key is shorter than its timestamp and its tail of 8 bytes",
        p);
  }
  // If there is no last key, this number means nothing.
  const size_t shared_limit =
      (size < last_size ? size : last_size) - smallest_key_;
  const bool ascends =
      last_size != 0 && header.shared < shared_limit &&
      order_.AscendsAt(static_cast<uint8_t>(key_bytes_.data()[header.shared]),
                       static_cast<uint8_t>(*suffix));
  if (!ascends && !SortsBehindLast(header, suffix)) [[unlikely]] {
    return Fail("key is not larger than the one before it", p);
  }
  // The type is not read from the key once it is put together: a load that
  // spans two stores waits until both have reached the cache.
  const uint8_t type = static_cast<uint8_t>(
      header.non_shared >= kInternalKeyTailBytes
          ? suffix[header.non_shared - kInternalKeyTailBytes]
          : key_bytes_.data()[size - kInternalKeyTailBytes]);
  key_bytes_.Truncate(header.shared);
  key_bytes_.Reserve(header.non_shared);
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
    return Fail("value type is not one that a data block can hold", p);
  }
  current_ = p;
  valid_ = true;
  return true;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BLOCK_BLOCK_ITERATOR_H_
