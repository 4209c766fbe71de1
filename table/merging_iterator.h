// MergingIterator: the entries of many tables as one row, walked either way.
//
// For compactions, and for reads over several tables. Entries come in the order
// of their internal keys: user keys up, versions of one from the newest to the
// oldest. Of entries with equal internal keys that of the earlier child comes
// first, and walking back meets them in the opposite order. Nothing is left out
// that the children show: which versions and deletions count is the user's to
// decide, and bounds and snapshots are options of the children.
//
// When a child meets an error the walk ends there, not Valid, and status() is
// that child's; a seek starts afresh. Children with prefix_same_as_start must
// begin with Seek or SeekForPrev. Keys and values live as long as those of the
// children: table/iterator.h. Movable. One thread at a time; the readers of the
// children must outlive it.
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
  // The comparator is that of all children, and must outlive the iterator.
  MergingIterator(const Comparator* comparator, std::vector<Iterator> children);
  MergingIterator(MergingIterator&& other) noexcept;
  MergingIterator& operator=(MergingIterator&& other) noexcept;
  ~MergingIterator();

  // These are Iterator's.
  bool Valid() const { return valid_; }
  Status status() const;
  void SeekToFirst();
  void SeekToLast();
  void Seek(const Slice& user_key,
            SequenceNumber snapshot = kMaxSequenceNumber);
  void SeekForPrev(const Slice& user_key, SequenceNumber snapshot = 0);
  // Only when Valid().
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
  bool IsKeyPinned() const { return current().IsKeyPinned(); }
  bool IsValuePinned() const { return current().IsValuePinned(); }
  Status PinValue(PinnableSlice* value);
  // Which of the children has this entry.
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

inline MergingIterator NewMergingIterator(const Comparator* comparator,
                                          std::vector<Iterator> children) {
  return MergingIterator(comparator, std::move(children));
}

}  // namespace ashlar

#endif  // ASHLAR_TABLE_MERGING_ITERATOR_H_
