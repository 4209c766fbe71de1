// EntryWords: a word for each entry of a data block, to find a key by.
//
//   prefix | words: num_entries x u32, padded | offsets: num_entries x u16
//
// Data flow. The arrays are measured when a block enters the cache, so that
// there is room for them before its bytes, and filled when the block is found
// there. All user keys of the block begin with `prefix`. A word is the next
// four bytes, big-endian, turned so that signed comparisons order them. An
// offset says where the entry begins. A search counts the words that are
// smaller, without a branch for each. It then looks at one entry, and proves by
// the entry's own bytes that it has the key: what `shared` says the entry has
// in common with the one before, prefix and word show too, and the rest is in
// the entry. If that proves nothing (equal words of other keys, a damaged
// entry), the caller walks the block as it is.
//
// Views into memory that something else keeps alive. Thread-safe to read.
#ifndef ASHLAR_TABLE_BLOCK_ENTRY_WORDS_H_
#define ASHLAR_TABLE_BLOCK_ENTRY_WORDS_H_

#include <cstddef>
#include <cstdint>

#include "ashlar/util/slice.h"
#include "table/block/block.h"
#include "table/format/key_order.h"

namespace ashlar::internal {

// How large the arrays of a block are, and where their parts begin.
struct EntryWordsShape {
  static constexpr size_t kPadding = 8;  // words that are compared at a time
  // Offsets have 16 bits.
  static constexpr size_t kMostBytes = size_t{1} << 16;

  uint32_t num_entries = 0;  // 0: no words for this block
  uint32_t prefix_size = 0;

  size_t words_at() const { return (prefix_size + 3) / 4 * 4; }
  size_t num_words() const {
    return (num_entries + kPadding - 1) / kPadding * kPadding;
  }
  size_t offsets_at() const { return words_at() + num_words() * 4; }
  size_t bytes() const {
    return num_entries == 0 ? 0 : offsets_at() + size_t{num_entries} * 2;
  }
};

// Returns the shape of the arrays for a block of whole keys: no words if they
// would take more than an eighth of the block, or cannot order its keys.
// *interval is how many entries there are from one restart point to the next,
// as another block of the table has shown; or 0 if that is not known, and is
// then set if this block has two restart points. If it is known, only the last
// interval is walked. If it is wrong, so is the shape, and FillEntryWords
// returns false.
EntryWordsShape MeasureEntryWords(const BlockView& view, const KeyOrder& order,
                                  uint32_t* interval);

// Fills arrays of that shape. The block may be another copy of the one that was
// measured. Returns false if the block is not as it was, or not in order: the
// arrays are then of no use. Requires: the address of `arrays` is a multiple of
// 4.
[[nodiscard]] bool FillEntryWords(const BlockView& view, const KeyOrder& order,
                                  const EntryWordsShape& shape, char* arrays);

// The newest version of a key in a block.
struct EntryMatch {
  Slice value;
  uint64_t tail = 0;
};

// What the words say of a key.
struct WordPlace {
  enum class Tells : uint8_t {
    kUnknown,  // nothing: search the block itself
    kAbsent,   // it is not here, nor in a later block: this has larger keys
    kEntry,    // `entry` may have it
  };
  Tells tells = Tells::kUnknown;
  uint32_t entry = 0;
};

// Where the words say that a seek ends.
struct WordSeek {
  enum class Ends : uint8_t {
    kUnknown,  // nothing: search the block itself
    kBehind,   // after the block's last entry
    kHere,     // at the entry, or, if `maybe_next`, at the one after it
  };
  Ends ends = Ends::kUnknown;
  bool maybe_next = false;
  uint32_t offset = 0;  // of the entry, in the block
  // The beginning of the entry's user key: the prefix, and then four bytes. A
  // shorter key is filled up with zeros.
  Slice prefix;
  uint32_t bytes = 0;  // big-endian
};

class EntryWords {
 public:
  EntryWords() = default;  // none
  EntryWords(const EntryWordsShape& shape, const char* arrays)
      : shape_(shape), arrays_(arrays) {}

  bool any() const { return shape_.num_entries != 0; }

  // Looks for the user key, and prefetches the entry.
  WordPlace Find(const BlockView& view, const KeyOrder& order,
                 const Slice& user_key) const;
  // Returns where a seek to the user key's first version ends, and prefetches
  // the entry.
  WordSeek Seek(const BlockView& view, const KeyOrder& order,
                const Slice& user_key) const;
  // Fetches the entry at which a seek to the user key would look, without
  // waiting for it. Requires: `view` is of the block that was measured.
  void Fetch(const BlockView& view, const KeyOrder& order,
             const Slice& user_key) const;
  // Returns whether the entry, whose word is that of the key, has the key, and
  // sets *match if so. False does not prove that it has another key.
  bool Matches(const BlockView& view, uint32_t entry, const Slice& user_key,
               EntryMatch* match) const;

 private:
  bool PlaceOf(const Slice& user_key, const KeyOrder& order, int32_t* word,
               size_t* smaller) const;
  void FetchEntry(const BlockView& view, size_t i) const;
  const int32_t* words() const {
    return reinterpret_cast<const int32_t*>(arrays_ + shape_.words_at());
  }
  const uint16_t* offsets() const {
    return reinterpret_cast<const uint16_t*>(arrays_ + shape_.offsets_at());
  }
  EntryWordsShape shape_;
  const char* arrays_ = nullptr;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BLOCK_ENTRY_WORDS_H_
