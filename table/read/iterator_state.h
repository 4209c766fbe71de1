// Iterator::State: what is behind a public Iterator.
//
// There are three kinds:
//
//   TableIterator   walks over the blocks of a table
//   VisibleEntries  the same, but leaves entries out or pins them
//   SourceIterator  walks over an EntrySource of the application
//
// A step of Iterator first moves `block`, without a virtual call. Only where
// the block has no further entry, a virtual function goes on: NextBlock or
// PrevBlock. For a TableIterator that is once per block. The other two leave
// `block` empty, so for them it is once per entry, and they put the entry into
// `shown`. With ReadOptions::allow_unprepared_value a TableIterator does so too
// for an entry whose block it has not loaded.
//
// One thread at a time.
#ifndef ASHLAR_TABLE_READ_ITERATOR_STATE_H_
#define ASHLAR_TABLE_READ_ITERATOR_STATE_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "ashlar/table/iterator.h"
#include "ashlar/table/read_options.h"
#include "table/block/block_iterator.h"
#include "table/counters/read_counters.h"
#include "table/format/key_order.h"

namespace ashlar {

struct Iterator::State {
  // What a Seek does, in the order in which it does it.
  enum class SeekPart : uint8_t {
    kIndex,  // finds the block in the index
    kSlot,   // fetches the block's place in the cache
    kBlock,  // gets hold of the block
    kEntry,  // fetches the entry
  };

  struct Entry {
    Slice key;
    Slice value;
    bool key_is_pinned = false;
  };

  struct Form {
    bool shows_block;  // the entry is that of `block`; else it is `shown`
    bool pins_values;  // values live as long as the iterator
    // Entries may be added during the walk, between those that it has shown.
    bool may_grow = false;
  };

  State(const internal::KeyOrder& order, const ReadOptions& options,
        const internal::ReadCounters& counters_in, Form form)
      : block(order),
        newest(options.timestamp.ToString()),
        snapshot(options.snapshot),
        timestamp_size(order.timestamp_size()),
        counters(counters_in),
        shows_block(form.shows_block),
        pins_values(form.pins_values),
        may_grow(form.may_grow) {
    if (!shows_block) block.Clear();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  virtual ~State() = default;

  // Sets seek_target to the internal key that a Seek looks for.
  void AimAt(const Slice& user_key, SequenceNumber most);

  // Sets seek_target to this internal key. Returns false if it cannot be one,
  // or if the options are wrong: the status then says so.
  bool AimAtInternal(const Slice& internal_key);

  // Returns the iterator's state; null if there was no memory for one.
  static const State* Of(const Iterator& it) { return it.state_.get(); }
  static State* Of(Iterator* it) { return it->state_.get(); }

  internal::BlockIterator block;
  Entry shown;               // the entry, unless it is that of `block`
  const std::string newest;  // the newest timestamp that is seen; empty: all
  const SequenceNumber snapshot;  // the largest that is seen
  std::string seek_target;        // kept for its memory
  // What BringOn has taken of the next seek, if times are taken.
  std::chrono::steady_clock::duration brought_on{0};
  const size_t timestamp_size;
  const internal::ReadCounters counters;
  bool shows_block;
  const bool pins_values;
  const bool may_grow;
  // Whether the entry is `shown`, without its value, until Prepare.
  bool unprepared = false;
  ValueKeeper value_keeper;  // may be empty
  bool usable = true;        // false: the options are wrong, as `status` says

  // Each of these returns whether the walk is then at an entry. If it is not,
  // the status says whether that is an end or an error.
  virtual bool SeekToFirst() = 0;
  virtual bool SeekToLast() = 0;
  virtual bool Seek(const Slice& internal_key) = 0;
  virtual bool SeekForPrev(const Slice& internal_key) = 0;
  // Does a part of the Seek of `seek_target`, which a Seek that follows at once
  // need not do again. For walks that seek many children: each part is done for
  // all of them before the next, so that their waits for memory overlap.
  // Changes nothing else, and may do nothing, as the default. Requires: the
  // parts before it were done.
  virtual void BringOn(SeekPart /*part*/) {}
  // These two move by one entry, from where `block` has none left in that
  // direction. Requires: the last move came to an entry.
  virtual bool NextBlock() = 0;
  virtual bool PrevBlock() = 0;

  // Gives an unprepared entry its value. Returns false, and leaves the entry,
  // if that cannot be read. Requires: unprepared.
  virtual bool Prepare() { return true; }

  // With ReadOptions::prefix_same_as_start: whether the walk that begins with
  // the next seek ends with a prefix. It does unless this says otherwise.
  virtual void EndWithPrefix(bool /*ends*/) {}
  // Whether seeks go on with the walk so far, as where it turns around: then it
  // keeps the prefix that it began with, or has none as before.
  virtual void KeepPrefix(bool /*keeps*/) {}

  // Iterator::SetBounds and Iterator::AtUpperBound.
  virtual Status SetBounds(const Slice* lower, const Slice* upper) = 0;
  virtual bool AtUpperBound() const = 0;

  virtual const Status& CurrentStatus() const = 0;
  // Leaves the entry with this error. Returns false.
  virtual bool Fail(const Status& error) = 0;
  // Makes *value the value, which is `bytes` and belongs to the current entry.
  virtual Status PinValue(const Slice& bytes, PinnableSlice* value) = 0;

  virtual void SetValueKeeper(ValueKeeper keeper) {
    value_keeper = std::move(keeper);
  }
  // Keeps the value of the current entry. Unless another state does better,
  // pins that of `shown`, and passes it to the keeper at once. Requires: there
  // are a keeper and a value.
  virtual Status KeepValue();
  // Iterator::DelegatePinsTo. Requires: pins_values.
  virtual Status DelegatePins(Cleanable* /*keeper*/) {
    return Status::InvalidArgument("DelegatePinsTo is for tables");
  }
};

}  // namespace ashlar

namespace ashlar::internal {

// Makes *value a copy of the bytes, which it owns.
Status PinCopy(const Slice& bytes, PinnableSlice* value);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_ITERATOR_STATE_H_
