// Iterator: walks the entries of one table in order, either way.
//
// Made by TableReader::NewIterator. Entries of the data blocks are shown as
// they are stored: all versions, deletions too. Left out are those that a range
// deletion of the same table deletes, and those above ReadOptions::snapshot and
// ReadOptions::timestamp; with ReadOptions::ignore_range_deletions, and
// snapshot and timestamp as they are by default, every stored entry is shown.
// The range deletions themselves are not among the entries:
// TableReader::RangeDeletions has them.
//
// Keys are shown with their timestamps, where they have any, and given to seeks
// without. After an error the iterator is not Valid and status() says what and
// where; a seek starts afresh. Want of memory is such an error, MemoryLimit; an
// iterator for which there was no memory at all stays so. Movable. One thread
// at a time; the reader must outlive it.
//
// How long keys and values live. They are views that live until the iterator
// moves. With ReadOptions::pin_data, values live as long as the iterator, and
// so do keys where IsKeyPinned. PinValue hands out a value, with or without
// that option, that outlives the iterator and the reader; only the block cache
// must live as long.
#ifndef ASHLAR_TABLE_ITERATOR_H_
#define ASHLAR_TABLE_ITERATOR_H_

#include <cassert>
#include <memory>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/export.h"
#include "ashlar/util/pinnable_slice.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

class ASHLAR_EXPORT Iterator {
 public:
  struct State;  // internal
  explicit Iterator(std::unique_ptr<State> state);
  Iterator(Iterator&& other) noexcept;
  Iterator& operator=(Iterator&& other) noexcept;
  ~Iterator();

  // Whether the iterator stands on an entry. False before the first seek, past
  // either end, and after an error.
  bool Valid() const { return valid_; }
  // ok unless an error was met; moving past an end is none.
  Status status() const;

  void SeekToFirst();
  void SeekToLast();
  // To the first entry at or behind (user_key, snapshot): by default the
  // newest version of user_key, or what follows where user_key would stand.
  void Seek(const Slice& user_key,
            SequenceNumber snapshot = kMaxSequenceNumber);
  // To the last entry at or before (user_key, snapshot): by default the oldest
  // version of user_key, or what comes before where it would stand.
  void SeekForPrev(const Slice& user_key, SequenceNumber snapshot = 0);
  // Only when Valid().
  void Next();
  void Prev();

  // Only when Valid(). `key` is the internal key.
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

  // Only when Valid(), all three.
  //
  // Whether key() lives as long as the iterator: with ReadOptions::pin_data,
  // the keys that lie whole in their block. Those are all of a table that was
  // built without use_delta_encoding, else the first of every restart interval
  // and those that have nothing in common with the key before.
  bool IsKeyPinned() const {
    assert(valid_);
    return is_key_pinned_;
  }
  // Whether value() does: with ReadOptions::pin_data.
  bool IsValuePinned() const;
  // The value, kept alive by *value alone: through its block, which all values
  // that are pinned there share, without a copy; a copy where the block's bytes
  // are not in memory of its own (uncompressed, and not in a block cache).
  // MemoryLimit where there is no memory for that. May be released by any
  // thread, before or after the iterator.
  Status PinValue(PinnableSlice* value);

 private:
  void Show(bool valid);

  Slice key_;
  Slice value_;
  bool valid_ = false;
  bool is_key_pinned_ = false;
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_ITERATOR_H_
