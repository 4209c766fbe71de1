// EntryProof: that all entries of a block of short keys are sound.
//
// For callers that check a block from its first entry to its last and want
// nothing of it but the keys. Proves of each entry what BlockIterator does:
// that it lies within the block, that its key is an internal key of a known
// type, and that it sorts after the one before. Proves of each restart point
// that an entry begins there which has its whole key, so that a search of the
// block comes to every entry. What is not proven (damage, a key longer than a
// ShortKeys holds, values that are stored apart, a value that has a form of its
// own) is not reported either: the caller then walks the block as any other.
//
// Data flow. A key is put together in registers, of the key before it and the
// bytes of the entry, and stored in a place of its own: who reads keys back
// finds each to be the result of whole stores, which is not so where a suffix
// is written over the last key, and which the processor waits for. Keys are
// handed out some at a time.
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

// Some internal keys that follow one another.
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
  // The first place is that of the key before.
  alignas(64) std::array<char, (kMost + 1) * kLongest> bytes_;
};

class EntryProof {
 public:
  // The order must be known. All must outlive this.
  EntryProof(const BlockView& view, const KeyOrder& order, ShortKeys* keys)
      : view_(view),
        order_(order),
        keys_(keys),
        p_(view.entries),
        restart_(view.entries_size == 0 ? nullptr : view.entries),
        failed_(view.separated) {}

  // Whether the keys have been filled with the next ones, `most` or fewer. If
  // not, proven() tells the end of the block from what cannot be proven; the
  // keys are still the last ones.
  bool Next(size_t most = ShortKeys::kMost);
  // A restart point that no entry begins at is not passed, nor are those after
  // it, which the end of the block shows.
  bool proven() const {
    return !failed_ && (p_ < view_.limit() || restart_ == nullptr);
  }
  // The same for all entries that are left, whose number is added; of their
  // keys only the last is there then, and nothing is left for Next. Costs less.
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
  // A key, and room for what is copied along behind it.
  using ShortKey = std::array<char, 2 * ShortKeys::kLongest>;
  void CopySuffix(const char* suffix, size_t n, ShortKey* key,
                  size_t shared) const;
  const char* PassAlike(const char* p, uint8_t flip, size_t size, ShortKey* key,
                        uint64_t* num_entries);
  // For each entry that shares no bytes, and no other: the entry at p may be
  // that of the next restart point.
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
  // The restart point that comes next; null: none does.
  const char* restart_;
  uint32_t num_passed_ = 0;  // of the restart points
  size_t last_size_ = 0;
  bool failed_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BLOCK_PROVE_ENTRIES_H_
