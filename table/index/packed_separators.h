// PackedSeparators: the separators of an index, about nine bytes each.
//
// A separator is stored as eight bytes of it, a word. What is before the word
// is the same for all separators, and is stored once. What is after it is
// mostly nothing, since writers keep separators short.
//
//   separator = prefix | word, cut where its zeros at the end begin | suffix
//
// Words are big-endian integers in the order of the keys (in reverse order,
// all bits are inverted), in the leaves of a WordRun. If prefix and
// word are the whole separator, it has no suffix. Else the suffix has the rest:
// what is longer than the word, and zeros at the end. Internal keys have a tail
// also.
//
// In memory, in this order, in one allocation with the rest of the index:
//
//   prefix           of all separators
//   inner nodes      128 B each: those of the root, then of each group, where
//                    these have more than 64 words
//   leaves           64 B for 8 words: those of the root, then of each group
//   items, groups    8 and 24 bytes each; only if there are groups
//   group prefixes   what a group's separators share after the prefix
//   suffix numbers   4 bytes each: which separators have a suffix; left out if
//                    half of them have one or more
//   suffixes         PackedSlices: none, of those numbers, or of all
//   tails            8 bytes each; left out if all tails are the same
//
// Groups (separator_groups.h). If there are any, the root's words stand for
// items, which are groups or single separators, and a group has a WordRun of
// its own. A search goes to the item first. Items share a word if a row of
// separators was cut into several; they are then searched by whole comparisons.
//
// Where words mean nothing (orders that are not of bytes, unknown orders), all
// separators are stored whole (PackedSlices), and searched by comparisons.
//
// Invariants, which SeparatorGroups and IndexEntries have proved: every
// separator begins with the prefix, and with its group's prefix; words of the
// root ascend, and those of each group do; items are in the order of blocks and
// cover all of them.
//
// No load goes beyond an array: a word of a key is loaded from within the key.
//
// A view of memory that the caller keeps. Thread-safe to read.
#ifndef ASHLAR_TABLE_INDEX_PACKED_SEPARATORS_H_
#define ASHLAR_TABLE_INDEX_PACKED_SEPARATORS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "ashlar/util/slice.h"
#include "table/format/key_order.h"
#include "table/index/memory_plan.h"
#include "table/index/packed_slices.h"
#include "table/index/separator_groups.h"
#include "table/index/word_tree.h"

namespace ashlar::internal {

class PackedSeparators {
 public:
  PackedSeparators(const KeyOrder& order, bool user_keys)
      : order_(order), user_keys_(user_keys) {}

  size_t size() const { return size_; }
  // Returns separator i, in *memory if it must be put together.
  Slice Get(size_t i, std::string* memory) const;

  // What the first step of a search has found.
  struct Search {
    enum class Found : uint8_t {
      kNothing,  // words do not help
      kBlock,    // the answer is `block`
      kLeaf,     // the word is in this leaf of the root
      kGroup,    // the word is in this leaf of the group of this item
      kItem,     // the answer is in this item, or one after it with its word
    };
    Found found = Found::kNothing;
    uint32_t item = 0;
    uint64_t word = 0;
    size_t leaf = 0;
    size_t block = 0;  // the answer, or a block near it
  };
  // A search in two steps, for a caller that has other things to do while
  // memory is fetched. The second returns the first separator that is not
  // smaller than the key; size() if there is none. A separator that is a user
  // key counts as after all versions of it. user_key is the key without its
  // tail; it has its timestamp if keys have one.
  Search BeginFind(const Slice& user_key) const;
  size_t EndFind(const Search& search, const Slice& user_key,
                 uint64_t tail) const;
  // The same for several keys with one tail. Requires: at most WordRun::kBatch
  // keys.
  void FindBatch(std::span<const Slice> user_keys, uint64_t tail,
                 uint32_t* places) const;
  // Compares separator i with a key: < 0 if it sorts before the key, 0, or > 0
  // if after it.
  int Compare(size_t i, const Slice& user_key, uint64_t tail) const;
  // Returns whether separator i has this user key, timestamps not counted.
  bool HasUserKey(size_t i, const Slice& user_key) const;

 private:
  struct Group {
    uint32_t first_leaf;
    uint32_t first_node;
    uint32_t num_words;
    uint32_t prefix_size;   // without the prefix of all
    uint64_t prefix_begin;  // in group_prefixes_
  };
  // Where the word of a separator is, and after how many bytes of the key.
  struct WordAt {
    uint64_t word;
    size_t depth;
  };

  friend class IndexWords;
  friend class SeparatorPacker;

  // Makes this the view of a prefix and of the root's words, which are in the
  // leaves. Completes leaves and inner nodes.
  void UseRoot(const Slice& prefix, size_t words, int64_t* inner,
               int64_t* leaves);

  bool has_words() const { return root_.size() != 0; }
  bool has_groups() const { return items_ != nullptr; }
  bool HasPrefix(const Slice& user_key) const;
  Search WordsOn(const Slice& user_key) const;
  void FindItem(const Slice& user_key, Search* search) const;
  void EnterGroup(uint32_t item, const Slice& user_key, Search* search) const;
  size_t FindAmongItems(const Search& search, const Slice& user_key,
                        uint64_t tail) const;
  size_t FindAmongEqual(const WordRun& run, size_t place, size_t first_block,
                        size_t depth, uint64_t word, const Slice& user_key,
                        uint64_t tail) const;
  size_t FindBetween(size_t low, size_t high, const Slice& user_key,
                     uint64_t tail) const;

  size_t ItemEnd(size_t item) const {
    return item + 1 < root_.size() ? items_[item + 1].first_block : size_;
  }
  size_t ItemOf(size_t block) const;
  WordRun RunOf(const Group& group) const {
    return WordRun(kernels_, inner_ + group.first_node * WordRun::kWidth,
                   leaves_ + group.first_leaf * WordRun::kLeafWidth,
                   group.num_words);
  }
  // Returns how many bytes of a word, as it is in the key, are before the zeros
  // at its end.
  static size_t CutBytes(uint64_t bytes) {
    constexpr size_t kBytes = sizeof bytes;
    if (bytes == 0) return 0;
    return kBytes - static_cast<size_t>(std::countr_zero(bytes)) / 8;
  }
  Slice GroupPrefix(const Group& group) const {
    return Slice(group_prefixes_ + group.prefix_begin, group.prefix_size);
  }
  WordAt WordOfBlock(size_t i) const;
  Slice Suffix(size_t i) const;
  // Requires: separators are internal keys.
  uint64_t Tail(size_t i) const;
  int CompareUserKey(size_t i, const Slice& user_key) const;
  int CompareTail(size_t i, uint64_t tail) const;
  int CompareAfterWord(size_t i, uint64_t word, const Slice& after) const;
  Slice WholeUserKey(size_t i) const {
    return user_keys_ ? whole_[i] : UserKeyOf(whole_[i]);
  }

  enum class Suffixes : uint8_t { kNone, kSome, kAll };

  // A search touches these.
  WordRun root_;
  Slice prefix_;
  KeyOrder order_;
  size_t size_ = 0;
  const SeparatorItem* items_ = nullptr;
  const Group* groups_ = nullptr;
  const char* group_prefixes_ = nullptr;
  const WordTreeKernels* kernels_ = nullptr;
  const int64_t* inner_ = nullptr;
  const int64_t* leaves_ = nullptr;
  bool user_keys_;
  Suffixes has_suffixes_ = Suffixes::kNone;
  // Separators with words only.
  const uint32_t* suffix_numbers_ = nullptr;
  size_t num_suffixes_ = 0;
  PackedSlices suffixes_;
  const char* tails_ = nullptr;
  uint64_t common_tail_ = 0;
  // Separators without words only.
  PackedSlices whole_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_PACKED_SEPARATORS_H_
