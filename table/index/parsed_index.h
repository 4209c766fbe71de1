// ParsedIndex: one index block, in a form that can be searched.
//
// Used by every index type: it is the whole of a binary search index, a
// partition, or the top level of a partitioned one. It is parsed once, and
// every handle and the order of the keys are checked (index_entries.h). Then
// any number of threads may search it.
//
// Everything but the slot hints is in one allocation:
//
//   pointers to slot hints   8 bytes for 512 blocks (slot_hints.h)
//   separators               about 9 bytes each (packed_separators.h)
//   handles                  4 bytes each (packed_handles.h)
//   first keys               PackedSlices, if the form has them
//
// Keys and handles that cannot be packed are stored whole, in the same
// allocation and behind the same functions.
#ifndef ASHLAR_TABLE_INDEX_PARSED_INDEX_H_
#define ASHLAR_TABLE_INDEX_PARSED_INDEX_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/format/block_handle.h"
#include "table/format/block_place.h"
#include "table/format/key_order.h"
#include "table/index/index_block.h"
#include "table/index/packed_handles.h"
#include "table/index/packed_separators.h"
#include "table/index/packed_slices.h"
#include "table/index/slot_hints.h"

namespace ashlar::internal {

class IndexEntries;
class IndexWords;
class SeparatorPacker;

class ParsedIndex {
 public:
  static constexpr size_t kBatch = WordRun::kBatch;

  ParsedIndex(KeyOrder order, IndexForm form)
      : separators_(order, form.user_keys), order_(order), form_(form) {}

  // Parses an index block. Returns Corruption unless handles fit below
  // `file_limit` and ascend, separators ascend, and each first key is between
  // the separators on both sides of its block. To be called once. May throw
  // std::bad_alloc.
  Status Parse(const Slice& contents, const BlockPlace& place,
               uint64_t file_limit);

  const KeyOrder& order() const { return order_; }
  const IndexForm& form() const { return form_; }
  size_t size() const { return separators_.size(); }
  BlockHandle handle(size_t i) const { return handles_[i]; }
  // Returns separator i, in *memory if it must be put together.
  Slice separator(size_t i, std::string* memory) const {
    return separators_.Get(i, memory);
  }
  // Returns whether separator i has this user key, timestamps not counted.
  bool SeparatorHasUserKey(size_t i, const Slice& user_key) const {
    return separators_.HasUserKey(i, user_key);
  }
  // Returns the first internal key of block i; empty if the form has none.
  Slice first_key(size_t i) const {
    return form_.first_keys ? first_keys_[i] : Slice();
  }
  // Returns the first block that may hold the internal key or a later one;
  // size() if there is none.
  size_t Find(const Slice& internal_key) const {
    const Slice user_key = UserKeyOf(internal_key);
    return separators_.EndFind(separators_.BeginFind(user_key), user_key,
                               TailOf(internal_key));
  }
  // The same in two steps, for a caller that has other things to do while the
  // memory of the index is fetched: the words, and the handles and slot hints
  // near the block. user_key is the key without its tail; it has its timestamp
  // if keys have one.
  using Search = PackedSeparators::Search;
  Search BeginFind(const Slice& user_key) const {
    const Search search = separators_.BeginFind(user_key);
    if (search.block < size()) Prefetch(search.block);
    return search;
  }
  size_t EndFind(const Search& search, const Slice& user_key,
                 uint64_t tail) const {
    return separators_.EndFind(search, user_key, tail);
  }
  // The same for several keys with one tail. Requires: at most kBatch keys.
  void FindBatch(std::span<const Slice> user_keys, uint64_t tail,
                 uint32_t* places) const;
  // Returns the slot hint of block i: where reads found it last, or nothing of
  // use.
  BlockHint hint(size_t i) const { return hints_.hint(i); }
  void Note(size_t i, uint32_t slot, const void* address) const {
    hints_.Note(i, slot, address);
  }
  // Compares separator i with the internal key: < 0 if it sorts before the key,
  // 0, or > 0 if after it. A separator that is a user key counts as after all
  // versions of it.
  int CompareSeparator(size_t i, const Slice& internal_key) const {
    return separators_.Compare(i, UserKeyOf(internal_key),
                               TailOf(internal_key));
  }
  // Compares two separators in this form.
  int CompareSeparators(const Slice& a, const Slice& b) const {
    return form_.user_keys ? order_.CompareUserKeys(a, b)
                           : order_.Compare(a, b);
  }

  // Returns the bytes of memory in use.
  uint64_t MemoryUsage() const { return memory_bytes_ + hints_.MemoryUsage(); }
  // Returns the bytes of memory once all slot hints were made.
  uint64_t MostMemoryUsage() const {
    return memory_bytes_ + hints_.MostMemoryUsage();
  }

 private:
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };

  void Prefetch(size_t i) const {
    handles_.Prefetch(i);
    hints_.Prefetch(i);
  }
  // Calls plan_parts(MemoryPlan*) twice, for all parts but the slot hints.
  template <typename PlanParts>
  void Pack(size_t num_entries, const PlanParts& plan_parts);
  void PackWords(const IndexWords& words);
  void PackEntries(const IndexEntries& entries, const SeparatorPacker& packer);

  std::unique_ptr<char, Free> memory_;
  PackedSeparators separators_;
  PackedHandles handles_;
  SlotHints hints_;
  PackedSlices first_keys_;
  KeyOrder order_;
  IndexForm form_;
  size_t memory_bytes_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_PARSED_INDEX_H_
