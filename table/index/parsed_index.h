// ParsedIndex: one index block, in a form that can be searched.
//
// Used by every index type: it is the whole of a binary search index, a
// partition, or the top level of a partitioned one. It is parsed once, and
// every handle and the order of the keys are checked. Then any number of
// threads may search it.
#ifndef ASHLAR_TABLE_INDEX_PARSED_INDEX_H_
#define ASHLAR_TABLE_INDEX_PARSED_INDEX_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/format/block_handle.h"
#include "table/format/block_place.h"
#include "table/format/key_order.h"
#include "table/index/index_block.h"
#include "table/index/word_tree.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

class ParsedIndex {
 public:
  ParsedIndex(KeyOrder order, IndexForm form) : order_(order), form_(form) {}

  // Parses an index block. Returns Corruption unless handles fit below
  // `file_limit` and ascend, separators ascend, and each first key is between
  // the separators on both sides of its block. To be called once.
  Status Parse(const Slice& contents, const BlockPlace& place,
               uint64_t file_limit);

  const KeyOrder& order() const { return order_; }
  const IndexForm& form() const { return form_; }
  size_t size() const { return handles_.size(); }
  const BlockHandle& handle(size_t i) const { return handles_[i]; }
  Slice separator(size_t i) const { return Part(keys_, key_ends_, i); }
  // Returns the first internal key of block i; empty if the form has none.
  Slice first_key(size_t i) const {
    return form_.first_keys ? Part(first_keys_, first_key_ends_, i) : Slice();
  }
  // Returns the first block that may hold the internal key or a later one;
  // size() if there is none.
  size_t Find(const Slice& internal_key) const {
    const Slice user_key = UserKeyOf(internal_key);
    return EndFind(BeginFind(user_key), user_key, TailOf(internal_key));
  }
  // The same in two steps, for a caller that has other things to do while the
  // memory of the index is fetched. user_key is the key without its tail; it
  // has its timestamp if keys have one.
  struct Search {
    size_t leaf = 0;
    // What the words say of the key: its word, or that it is before or after
    // all separators.
    uint64_t word = 0;
    bool before_all = false;
    bool behind_all = false;
  };
  Search BeginFind(const Slice& user_key) const;
  size_t EndFind(const Search& search, const Slice& user_key,
                 uint64_t tail) const;
  // The same for several keys with one tail. Requires: at most WordTree::kBatch
  // keys.
  void FindBatch(std::span<const Slice> user_keys, uint64_t tail,
                 uint32_t* places) const;
  // Returns the slot hint of block i: where reads found it last, or nothing of
  // use.
  BlockHint hint(size_t i) const {
    return words_ == nullptr ? BlockHint() : words_->hint(i);
  }
  void Note(size_t i, uint32_t slot, const void* address) const {
    if (words_ != nullptr) words_->Note(i, slot, address);
  }
  // Prefetches handle i. Requires: i <= size().
  void PrefetchHandle(size_t i) const {
    __builtin_prefetch(handles_.data() + i);
  }
  // Compares separator i with the internal key: < 0 if it sorts before the key,
  // 0, or > 0 if after it. A separator that is a user key counts as after all
  // versions of it.
  int CompareSeparator(size_t i, const Slice& internal_key) const {
    return CompareSeparator(i, UserKeyOf(internal_key), TailOf(internal_key));
  }
  // Compares two separators in this form.
  int CompareSeparators(const Slice& a, const Slice& b) const {
    return form_.user_keys ? order_.CompareUserKeys(a, b)
                           : order_.Compare(a, b);
  }

  uint64_t MemoryUsage() const;

 private:
  static Slice Part(const Buffer& bytes, const std::vector<uint64_t>& ends,
                    size_t i) {
    const uint64_t begin = i == 0 ? 0 : ends[i - 1];
    return Slice(bytes.data() + begin, static_cast<size_t>(ends[i] - begin));
  }
  Slice RestoreSeparator(const Slice& stored, std::string* whole) const;
  Status Add(const Slice& stored, const IndexEntry& entry,
             const BlockPlace& place, uint64_t file_limit);
  Status CheckHandle(const BlockHandle& handle, const BlockPlace& place,
                     uint64_t file_limit) const;
  Status AddFirstKey(const Slice& stored, const BlockPlace& place);

  void MakeWords();
  Search WordsOn(const Slice& user_key) const;
  size_t PlaceAmongEqual(size_t place, uint64_t word, const Slice& user_key,
                         uint64_t tail) const;
  size_t FindBetween(size_t low, size_t high, const Slice& user_key,
                     uint64_t tail) const;
  int CompareSeparator(size_t i, const Slice& user_key, uint64_t tail) const;
  Slice SeparatorUserKey(size_t i) const {
    return form_.user_keys ? separator(i) : UserKeyOf(separator(i));
  }

  KeyOrder order_;
  IndexForm form_;
  // Null if the order is not that of bytes, or if there is nothing to find. All
  // separators begin with prefix_, which points into keys_.
  std::unique_ptr<WordTree> words_;
  Slice prefix_;
  Buffer keys_;
  std::vector<uint64_t> key_ends_;
  std::vector<BlockHandle> handles_;
  Buffer first_keys_;
  std::vector<uint64_t> first_key_ends_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_PARSED_INDEX_H_
