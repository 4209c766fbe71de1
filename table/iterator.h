// Iterator: walks over the entries of one table in order, forward or backward.
// NewSourceIterator makes one that walks over entries of an application, such
// as a memtable's: ashlar/table/entry_source.h says what differs. The Iterator
// of TableReader::NewIterator shows the entries of the data blocks as they are
// stored: all versions, deletions included, and none merged. It leaves out:
//
//   entries that a range deletion of the same table deletes
//   entries above ReadOptions::snapshot or below iter_start_seqnum
//   entries with a timestamp newer than ReadOptions::timestamp, or older than
//   iter_start_ts
//   what the bounds and prefix_same_as_start exclude
//
// With ReadOptions::ignore_range_deletions, and no other option set, it shows
// every stored entry. Range deletions are not among the entries:
// TableReader::RangeDeletions returns them.
//
// Timestamps. Keys are shown with their timestamps, if they have any. Seeks
// take keys without. Versions are then ordered by timestamp first, newest
// first, and versions with the same timestamp by sequence number. So the
// `snapshot` of a seek only chooses among versions with the same timestamp.
//
// Errors. After an error the iterator is not Valid, and status() says what was
// wrong and where: Corruption, IOError, MemoryLimit, and so on; Incomplete and
// TimedOut if ReadOptions limit the read. The next seek starts again.
// ReadOptions that this table cannot honour are an error that stays:
// InvalidArgument or NotSupported. So is an iterator for which there was no
// memory at all: MemoryLimit.
//
// Lifetime of keys and values. key() and value() are views that live until the
// iterator moves. With ReadOptions::pin_data, values live as long as the
// iterator, and so do keys for which IsKeyPinned() is true. PinValue returns a
// value that outlives iterator and reader, with or without that option; only
// the block cache must live as long.
//
// An iterator may be used by one thread at a time. Its reader must outlive it.
// It can be moved; an iterator that was moved from may only be assigned to or
// destroyed.
#ifndef ASHLAR_TABLE_ITERATOR_H_
#define ASHLAR_TABLE_ITERATOR_H_

#include <cassert>
#include <functional>
#include <memory>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/cleanable.h"
#include "ashlar/util/export.h"
#include "ashlar/util/pinnable_slice.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

// Takes over what keeps values alive (Iterator::KeepValue), to release it at
// any time and on any thread. It may not throw, nor call the iterator.
using ValueKeeper = std::function<void(Cleanable values)>;

class ASHLAR_EXPORT Iterator {
 public:
  struct State;  // internal
  explicit Iterator(std::unique_ptr<State> state);
  Iterator(Iterator&& other) noexcept;
  Iterator& operator=(Iterator&& other) noexcept;
  ~Iterator();

  // Returns whether the iterator is at an entry. False before the first seek,
  // past either end, and after an error.
  bool Valid() const { return valid_; }
  // Returns ok, or the error that ended the walk. Moving past an end is no
  // error. Check it whenever Valid() is false.
  Status status() const;

  // These move to the first or to the last entry that the iterator shows.
  void SeekToFirst();
  void SeekToLast();
  // Moves to the first entry at or after (user_key, snapshot): to the newest
  // version of user_key with a sequence number of at most `snapshot`, or else
  // to what follows. By default that is the newest version, or the next key.
  // `snapshot` only chooses where to start: entries with larger sequence
  // numbers may follow, unless ReadOptions::snapshot hides them.
  void Seek(const Slice& user_key,
            SequenceNumber snapshot = kMaxSequenceNumber);
  // Moves to the last entry at or before (user_key, snapshot): to the oldest
  // version of user_key with a sequence number of at least `snapshot`, or else
  // to what comes before. By default that is the oldest version, or the key
  // before.
  //
  // Both seeks are NotSupported where the comparator is not known.
  void SeekForPrev(const Slice& user_key, SequenceNumber snapshot = 0);
  // The same for a position in the order of internal keys: SeekInternal moves
  // to the first entry at or after it, and SeekForPrevInternal to the last one
  // at or before it. The user key includes its timestamp. Sequence number and
  // type are those of the position, whatever ReadOptions::snapshot and
  // ReadOptions::timestamp say, which only hide entries. InvalidArgument if the
  // key is shorter than a timestamp and the tail of 8 bytes.
  void SeekInternal(const Slice& internal_key);
  void SeekForPrevInternal(const Slice& internal_key);
  // These move by one entry. Requires: Valid().
  void Next();
  void Prev();

  // Replaces ReadOptions::iterate_lower_bound and iterate_upper_bound; null: no
  // bound. Copies them. For one iterator that walks over many ranges. It is
  // then at no entry, and what was not pinned of the last one is invalid. With
  // auto_prefix_mode, seeks go on to ask the filter by the bound with which the
  // iterator was made only if that is still the upper bound. Returns
  // NotSupported for bounds where the comparator is not known, the error of
  // options that are impossible, or MemoryLimit: then the bounds are unchanged.
  Status SetBounds(const Slice* lower, const Slice* upper);
  // Returns whether the last move ended at the upper bound: it was a move
  // forward, and every entry after it, of this table and of tables with larger
  // keys, is known to be outside. For engines that walk over a level: if it is
  // false, the walk goes on in the level's next table. False if Valid(), and
  // after an error.
  bool AtUpperBound() const;

  // These return parts of the entry: the internal key, the parts of it, and the
  // value. The user key includes the timestamp. Requires: Valid().
  Slice key() const {
    assert(valid_);
    return key_;
  }
  Slice user_key() const { return UserKeyOf(key()); }
  SequenceNumber sequence() const { return SequenceOf(key()); }
  ValueType type() const { return TypeOf(key()); }
  // Also requires: the value is prepared. It is, unless
  // ReadOptions::allow_unprepared_value is set.
  Slice value() const {
    assert(valid_);
    return value_;
  }
  // Reads the block of the entry, if allow_unprepared_value has put that off,
  // so that there is a value(). Returns true if there is one then: at once, if
  // the value is prepared. Returns false, and the iterator is not Valid, if
  // the block cannot be read, or does not begin with the key that the index
  // says; status() tells which. A key() from before is invalid then, as after
  // a move. Requires: Valid().
  bool PrepareValue();
  // Returns whether PrepareValue has nothing to do. Requires: Valid().
  bool IsValuePrepared() const {
    assert(valid_);
    return is_value_prepared_;
  }

  // Returns whether key() lives as long as the iterator. That needs
  // ReadOptions::pin_data, and a key that is stored whole in its block. All
  // keys are, if the table was built without TableOptions::use_delta_encoding.
  // Else the first key of each restart interval is, and any key that shares no
  // bytes with the key before. Requires: Valid().
  bool IsKeyPinned() const {
    assert(valid_);
    return is_key_pinned_;
  }
  // Returns whether value() lives as long as the iterator: with
  // ReadOptions::pin_data it does. Requires: Valid().
  bool IsValuePinned() const;
  // Makes *value the value. *value may outlive the iterator and the reader, but
  // not the block cache. It shares the block with all values that were pinned
  // there, and so needs no copy. The bytes are copied only if the block has no
  // memory of its own: if it is stored uncompressed and is not in a block
  // cache. Any thread may release *value, before or after the iterator ends.
  // Returns MemoryLimit, and leaves *value alone, if memory runs out. Requires:
  // Valid().
  Status PinValue(PinnableSlice* value);

  // For engines with a list of their own of what is pinned, as RocksDB's
  // "PinnedIteratorsManager". KeepValue makes value() stay where it is until
  // the keeper releases it, also beyond iterator and reader, but not beyond the
  // block cache. Ask for value() again after the call: it may have moved. What
  // key() has returned stays until the next move. All that is kept in one block
  // costs what one value costs: the keeper gets the block once, when the
  // iterator leaves it or is destroyed. KeepValue returns InvalidArgument if
  // there is no keeper, MemoryLimit, or an error as PrepareValue; the iterator
  // is then as before, unless it is not Valid.
  // Requires: Valid().
  //
  // SetValueKeeper sets the keeper; empty: there is none, as at first. The one
  // before it gets at once what it has not got yet.
  void SetValueKeeper(ValueKeeper keeper);
  Status KeepValue();
  // With ReadOptions::pin_data: moves to *keeper what keeps all values alive
  // that the iterator has come to, and keys for which IsKeyPinned was true. The
  // block cache must outlive them. They are then no longer charged to the cache
  // as those of an iterator. The iterator is then at no entry, and may be used
  // again. Returns InvalidArgument without pin_data and for iterators over an
  // EntrySource, and MemoryLimit; then nothing has moved.
  Status DelegatePinsTo(Cleanable* keeper);

 private:
  void Show(bool valid);

  Slice key_;
  Slice value_;
  bool valid_ = false;
  bool is_key_pinned_ = false;
  bool is_value_prepared_ = true;
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_ITERATOR_H_
