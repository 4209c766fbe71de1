// EntrySource: entries of an application's own, such as those of a memtable,
// which an Iterator walks over.
//
// An application derives from EntrySource, and makes an Iterator with
// NewSourceIterator. Alone, or as a child of a MergingIterator, that Iterator
// is used like the Iterator of a table. RocksDB's internal iterators serve the
// same purpose.
//
// Entries. A source has entries of all types but range deletions, in the order
// of their internal keys: user keys ascending, and the versions of one key from
// the newest to the oldest. No two have the same internal key. User keys end in
// a timestamp where the comparator has timestamps. A value has the form that
// TableBuilder::Add takes for its type: the headers of ashlar/table/entry/ say
// how timed values, entities and blob indexes are encoded. Nothing here looks
// into values. Range deletions of a memtable are for the application to keep
// and to apply.
//
// What is checked. Each entry is checked when the source moves to it. The walk
// ends with InvalidArgument, which names the source and the key, if
//
//   the key is too short for its tail of 8 bytes, and for its timestamp
//   the type is not one that a data block holds
//   the key is not after the key before it, or not before it in a walk backward
//     (Status::subcode() is kKeyOutOfOrder or kDuplicateKey)
//   a seek comes to a key before its target (also kKeyOutOfOrder)
//
// Nothing can check whether a source leaves entries out.
//
// Thread safety. An Iterator calls its source on the thread that uses the
// Iterator, so one thread at a time does. Sources that walk over the same
// memtable may be used by several threads at once, as far as the memtable
// allows it. A memtable may also grow while a source walks over it. The walk
// then shows a new entry if it comes to the entry's place after the entry was
// added. ReadOptions::snapshot hides entries that are newer than the walk. No
// entry may be changed, or removed, as long as a source may be at it.
#ifndef ASHLAR_TABLE_ENTRY_SOURCE_H_
#define ASHLAR_TABLE_ENTRY_SOURCE_H_

#include <memory>
#include <string_view>

#include "ashlar/table/iterator.h"
#include "ashlar/table/read_options.h"
#include "ashlar/util/cleanable.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

class EntrySource {
 public:
  // An entry. Both slices must stay valid until the next move of the source, or
  // as long as KeepsEntries() says.
  struct Entry {
    Slice key;  // internal
    Slice value;
  };

  virtual ~EntrySource() = default;

  // These five move the source. Each returns true if the source is then at an
  // entry, after setting *entry to it. It returns false at an end of the
  // entries, or after an error, which status() must then return; *entry does
  // not matter then.
  //
  // Moves to the first or to the last entry.
  virtual bool SeekToFirst(Entry* entry) = 0;
  virtual bool SeekToLast(Entry* entry) = 0;
  // Moves to the first entry that is not before `target`, an internal key. Its
  // tail may have a type that no entry has; it must only be compared. The bytes
  // of `target` live until the call returns.
  virtual bool Seek(const Slice& target, Entry* entry) = 0;
  // Move by one entry. Called only after a move that returned true. A source
  // that cannot walk backward returns false from SeekToLast and Prev, and
  // NotSupported from status().
  virtual bool Next(Entry* entry) = 0;
  virtual bool Prev(Entry* entry) = 0;

  // Called after a move that returned false. Returns ok for an end, and else
  // the error, which becomes that of the Iterator. The next seek starts again.
  // The default returns ok.
  virtual Status status() const { return {}; }

  // Returns whether all keys and values live as long as the source, as those in
  // an arena do. Called once. Iterator::IsKeyPinned and IsValuePinned return
  // the same. The default returns false.
  virtual bool KeepsEntries() const { return false; }
  // Makes the value of the current entry outlive the source: registers with
  // *pin, which is empty, what keeps it alive, and returns true. Any thread may
  // run what is registered. Or returns false, and then Iterator::PinValue
  // copies the value. The default returns false.
  virtual bool ShareValue(Cleanable* pin) {
    static_cast<void>(pin);
    return false;
  }
  // Returns the name that messages begin with. The bytes must live as long as
  // the source. The default is "entry source".
  virtual std::string_view Name() const { return "entry source"; }
};

// Returns an Iterator over the entries of `source`, which it owns. The order of
// user keys is that of `comparator`, which must outlive the Iterator.
//
// These options work as they do for a table: iterate_lower_bound,
// iterate_upper_bound, snapshot, timestamp, iter_start_ts, iter_start_seqnum,
// max_skippable_internal_keys. With pin_data the source must have
// KeepsEntries(). An Iterator whose options are impossible has that error,
// InvalidArgument, as its status: also for a null comparator, for a null
// source, for prefix_same_as_start (unless total_order_seek is set), and for a
// timestamp of a wrong size. All other options are about files, and have no
// effect.
//
// If a function of the source throws std::bad_alloc, the status is MemoryLimit.
// Any other exception passes through; the Iterator may then only be moved by a
// seek, assigned to or destroyed.
ASHLAR_EXPORT Iterator NewSourceIterator(const Comparator* comparator,
                                         std::unique_ptr<EntrySource> source,
                                         const ReadOptions& options = {});

}  // namespace ashlar

#endif  // ASHLAR_TABLE_ENTRY_SOURCE_H_
