// EntryProof: proves that all entries of a block of short keys are sound.
//
// For callers that check a block from its first entry to its last, and want
// nothing of it but the keys. It proves of each entry what BlockIterator does:
// that it is within the block, that its key is an internal key of a known type,
// and that it sorts after the one before. It proves of each restart point that
// an entry begins there which has its whole key, so that a search of the block
// comes to every entry. What it cannot prove (damage, a key longer than a
// ShortKeys holds, values that are stored apart, a value that has a form of its
// own) it does not report either: the caller then walks the block as any other.
//
// Data flow. A key is put together in registers, from the key before it and the
// bytes of the entry, and stored in a place of its own. So a load of a key
// finds the result of whole stores. If a suffix were written over the last key
// instead, the load would span several stores, and the processor would wait for
// those. Keys are handed out some at a time.
//
// One thread at a time.
#ifndef ASHLAR_TABLE_BLOCK_PROVE_ENTRIES_H_
#define ASHLAR_TABLE_BLOCK_PROVE_ENTRIES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "ashlar/util/slice.h"
#include "table/block/block.h"
#include "table/block/entry.h"
#include "table/format/key_order.h"

namespace ashlar::internal {

// Up to kMost internal keys that follow one another.
class ShortKeys {
 public:
  static constexpr size_t kLongest = 32;
  static constexpr size_t kMost = 16;

  size_t size() const { return size_; }
  Slice operator[](size_t i) const {
    return Slice(bytes_.data() + (i + 1) * kLongest, sizes_[i]);
  }
  Slice back() const { return (*this)[size_ - 1]; }

 private:
  friend class EntryProof;

  size_t size_ = 0;
  std::array<uint32_t, kMost> sizes_;
  // The first place has the key before.
  alignas(64) std::array<char, (kMost + 1) * kLongest> bytes_;
};

class EntryProof {
 public:
  // Requires: the order is known, and all three outlive this.
  EntryProof(const BlockView& view, const KeyOrder& order, ShortKeys* keys)
      : view_(view),
        order_(order),
        keys_(keys),
        p_(view.entries),
        restart_(view.entries_size == 0 ? nullptr : view.entries),
        failed_(view.separated) {}

  // Fills the keys with the next ones, at most `most`. Returns false if there
  // are none: proven() then says whether that is the end of the block, or
  // something that cannot be proven. The keys are then still the last ones.
  bool Next(size_t most = ShortKeys::kMost);
  // Returns whether all entries so far are proven. A restart point at which no
  // entry begins is never passed, nor are those after it; at the end of the
  // block that shows.
  bool proven() const {
    return !failed_ && (p_ < view_.limit() || restart_ == nullptr);
  }
  // Does the same for all entries that are left, at less cost, and adds their
  // number to *num_entries. Of the keys only the last is there then. Returns
  // whether all were proven.
  [[nodiscard]] bool PassRest(uint64_t* num_entries);

 private:
  bool Fail() {
    failed_ = true;
    return false;
  }
  bool SortsBehind(size_t last_size, size_t i) const;
  bool SuffixSortsBehind(const char* last, size_t last_size, const char* suffix,
                         const EntryHeader& header) const;
  bool Ascend(const Slice& last, const Slice& key) const;
  // A key, and room for the bytes that are copied along after it.
  using ShortKey = std::array<char, 2 * ShortKeys::kLongest>;
  void CopySuffix(const char* suffix, size_t n, ShortKey* key,
                  size_t shared) const;
  const char* PassAlike(const char* p, uint8_t flip, size_t size, ShortKey* key,
                        uint64_t* num_entries);
  // To be called for each entry that shares no bytes, and for no other: the
  // entry at p may be that of the next restart point.
  void PassRestart(const char* p) {
    if (p != restart_) return;
    ++num_passed_;
    restart_ = num_passed_ < view_.num_restarts
                   ? view_.entries + view_.RestartOffset(num_passed_)
                   : nullptr;
  }

  const BlockView& view_;
  const KeyOrder& order_;
  ShortKeys* const keys_;
  const char* p_;
  // The next restart point; null: there is none.
  const char* restart_;
  uint32_t num_passed_ = 0;  // how many restart points were passed
  size_t last_size_ = 0;
  bool failed_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BLOCK_PROVE_ENTRIES_H_
