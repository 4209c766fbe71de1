// EntryWords: a word for each entry of a data block, to find a key by.
//
//   prefix | words: num_entries x u32, padded | offsets: num_entries x u16
//
// Data flow. Measured when a block enters the cache, so that they have their
// room beside its bytes, and filled when the block is found there. All user
// keys of the block begin with `prefix`; a word is the next four bytes,
// big-endian, turned so that signed comparisons order them; an offset tells
// where the entry begins. A search counts the words that are smaller, without
// a branch for each, looks at one entry, and proves by its own bytes that it
// has the key: what `shared` says it has in common with the entry before, the
// prefix and the word tell too, and the rest stands in the entry. Where that
// proves nothing (equal words of other keys, a damaged entry), the caller walks
// the block as it is.
//
// Views into memory that somebody else keeps alive. Thread-safe to read.
#ifndef ASHLAR_TABLE_BLOCK_ENTRY_WORDS_H_
#define ASHLAR_TABLE_BLOCK_ENTRY_WORDS_H_

#include <cstddef>
#include <cstdint>

#include "ashlar/util/slice.h"
#include "table/block/block.h"
#include "table/format/key_order.h"

namespace ashlar::internal {

// How large the arrays of a block are, and where in them the parts lie.
struct EntryWordsShape {
  static constexpr size_t kPadding = 8;  // words are compared so many at a time
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

// Of a block whose keys are whole. No words where these would be more than an
// eighth of the block, and where words cannot order its keys. *interval: how
// many entries there are from one restart point of a block to the next, where
// another block of the table has told; 0: not known, and told where this block
// has two. Who knows it looks at the last of them only: where that is wrong, so
// is the shape, and FillEntryWords says so.
EntryWordsShape MeasureEntryWords(const BlockView& view, const KeyOrder& order,
                                  uint32_t* interval);

// Fills arrays of that shape, at an address that is a multiple of 4. The block
// may be another copy of the one that was measured. False: the block is not as
// it was, or not in order, and the arrays are of no use.
[[nodiscard]] bool FillEntryWords(const BlockView& view, const KeyOrder& order,
                                  const EntryWordsShape& shape, char* arrays);

// The newest version of a key in a block.
struct EntryMatch {
  Slice value;
  uint64_t tail = 0;
};

// What words tell of a key.
struct WordPlace {
  enum class Tells : uint8_t {
    kUnknown,  // nothing: see the block itself
    kAbsent,   // and the block has larger keys, so that no later one has it
    kEntry,    // an entry that may have it
  };
  Tells tells = Tells::kUnknown;
  uint32_t entry = 0;
};

// Where words say that a seek ends.
struct WordSeek {
  enum class Ends : uint8_t {
    kUnknown,  // nothing: see the block itself
    kBehind,   // behind the block's last entry
    kHere,     // at the entry, or, where `maybe_next`, at the one behind it
  };
  Ends ends = Ends::kUnknown;
  bool maybe_next = false;
  uint32_t offset = 0;  // of the entry, in the block
  // What the entry's user key begins with: the prefix, and then four bytes (of
  // a shorter key, what there is of it and zeros).
  Slice prefix;
  uint32_t bytes = 0;  // big-endian
};

class EntryWords {
 public:
  EntryWords() = default;  // none
  EntryWords(const EntryWordsShape& shape, const char* arrays)
      : shape_(shape), arrays_(arrays) {}

  bool any() const { return shape_.num_entries != 0; }

  // Also has the entry fetched.
  WordPlace Find(const BlockView& view, const KeyOrder& order,
                 const Slice& user_key) const;
  // Where a seek to the user key's first version ends; also has the entry
  // fetched.
  WordSeek Seek(const BlockView& view, const KeyOrder& order,
                const Slice& user_key) const;
  // Whether that entry, whose word is that of the key, has the key. False is no
  // proof of the opposite.
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
