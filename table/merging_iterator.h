// MergingIterator: walks over the entries of many tables, and of memtables, in
// one order, forward or backward.
// For compactions, and for reads over several tables. The caller makes one
// Iterator per table, and one per memtable (ashlar/table/entry_source.h), and
// moves them into the MergingIterator, as its children.
//
// Order. Entries come in the order of their internal keys: user keys ascending,
// and the versions of one key from the newest to the oldest. Of entries with
// equal internal keys, a walk forward meets that of the earlier child first,
// and a walk backward that of the later child.
//
// It leaves nothing out that the children show. Which versions and deletions
// count is for the caller to decide. Bounds, snapshots and timestamps are
// options of the children. A range deletion of one table does not hide entries
// of another.
//
// Errors. When a child meets an error the walk ends: Valid() is false, and
// status() is the status of that child. The next seek starts again. MemoryLimit
// that was met in making the MergingIterator itself stays.
//
// Lifetime of keys and values: as in table/iterator.h; they are the children's.
//
// A MergingIterator may be used by one thread at a time. The children's readers
// and memtables must outlive it. It can be moved; one that was moved from may
// only be assigned to or destroyed.
#ifndef ASHLAR_TABLE_MERGING_ITERATOR_H_
#define ASHLAR_TABLE_MERGING_ITERATOR_H_

#include <cassert>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/iterator.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/export.h"
#include "ashlar/util/pinnable_slice.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

class ASHLAR_EXPORT MergingIterator {
 public:
  // Takes over the children; their order decides between equal keys. There may
  // be none. Requires: all children's tables and sources have this comparator,
  // which outlives the iterator.
  MergingIterator(const Comparator* comparator, std::vector<Iterator> children);
  MergingIterator(MergingIterator&& other) noexcept;
  MergingIterator& operator=(MergingIterator&& other) noexcept;
  ~MergingIterator();

  // These are the calls of Iterator, with the same meaning and requirements.
  // Children with ReadOptions::prefix_same_as_start need a walk that begins
  // with Seek or SeekForPrev, since SeekToFirst and SeekToLast would give each
  // child a prefix of its own.
  bool Valid() const { return valid_; }
  Status status() const;
  void SeekToFirst();
  void SeekToLast();
  void Seek(const Slice& user_key,
            SequenceNumber snapshot = kMaxSequenceNumber);
  void SeekForPrev(const Slice& user_key, SequenceNumber snapshot = 0);
  // Next and Prev, and all functions below, require Valid(). A change of
  // direction moves every child.
  void Next();
  void Prev();
  Slice key() const {
    assert(valid_);
    return key_;
  }
  Slice user_key() const { return UserKeyOf(key()); }
  SequenceNumber sequence() const { return SequenceOf(key()); }
  ValueType type() const { return TypeOf(key()); }
  Slice value() const {
    assert(valid_);
    return value_;
  }
  bool PrepareValue();
  bool IsKeyPinned() const { return current().IsKeyPinned(); }
  bool IsValuePinned() const { return current().IsValuePinned(); }
  Status PinValue(PinnableSlice* value);
  // Returns which of the children has this entry: its number, from 0.
  size_t child() const {
    assert(valid_);
    return child_;
  }

 private:
  struct State;
  template <typename Move>
  void MoveBy(const Move& move);
  void Show();
  const Iterator& current() const;

  Slice key_;
  Slice value_;
  size_t child_ = 0;
  bool valid_ = false;
  std::unique_ptr<State> state_;
};

// Returns MergingIterator(comparator, children), under RocksDB's name for it.
inline MergingIterator NewMergingIterator(const Comparator* comparator,
                                          std::vector<Iterator> children) {
  return MergingIterator(comparator, std::move(children));
}

}  // namespace ashlar

#endif  // ASHLAR_TABLE_MERGING_ITERATOR_H_
