// UserIterator: walks over the keys of tables and memtables as a user sees
// them, at a snapshot, forward or backward.
//
// It shows each key once, with the value that a read of it would find. It
// corresponds to RocksDB's "SstFileReader::NewIterator", and to an iterator of
// its "DB". TableReader::NewIterator and MergingIterator show what is stored.
//
//   ashlar::UserIterator it({.merge_operator = &add}, read_options,
//                           {{newer.get()}, {older.get()}});
//   for (it.Seek("a"); it.Valid(); it.Next()) {
//     Use(it.key(), it.value());
//   }
//   if (!it.status().ok()) return it.status();
//
// What is shown of a key is the newest version that ReadOptions::snapshot and
// ReadOptions::timestamp let it see:
//
//   value, timed put           the value alone
//   entity                     columns(); value() is the default column
//   merge operands             joined by the merge operator, with what is
//                              beneath them
//   blob index                 the value, if UserIteratorOptions::fetch_blob
//                              gets it; else the reference, and is_blob_index()
//   deletion of any kind,      nothing: the key is passed over
//   range deletion over it
//
// A range deletion of one input hides older entries of all.
//
// Options. Of ReadOptions, all that are of iterators and of reads of the file
// work as in TableReader::NewIterator, for tables and memtables together.
// These differ:
//
//   max_skippable_internal_keys   deletions and hidden versions count too
//   prefix_same_as_start          needs UserIteratorOptions::prefix_extractor,
//                                 or a table that knows one
//   allow_unprepared_value        ignored: values are always prepared
//   iter_start_ts,                NotSupported, as each key is shown once
//   iter_start_seqnum
//
// Errors. After an error the iterator is not Valid, and status() says what was
// wrong: the error of an input; Corruption for a value that cannot be decoded,
// or a merge that fails; InvalidArgument for operands without an operator;
// NotSupported for a blob beneath operands that nobody fetches; Incomplete;
// MemoryLimit. The next seek starts again. Impossible options, and inputs with
// other comparators, are an error that stays: InvalidArgument or NotSupported.
// No entry is ever shown for which a read has failed.
//
// Cost. A step forward over a plain value costs a step of the MergingIterator
// and one copy of a key. A step backward also copies the value, unless
// ReadOptions::pin_data keeps it. A turn is a seek. A walk over a deleted range
// reads the entries that are there.
//
// One thread at a time. Readers, and what the options point to, must outlive
// the iterator. It can be moved; one that was moved from may only be assigned
// to or destroyed.
#ifndef ASHLAR_TABLE_USER_ITERATOR_H_
#define ASHLAR_TABLE_USER_ITERATOR_H_

#include <cassert>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/entry_source.h"
#include "ashlar/table/range_deletion.h"
#include "ashlar/table/read_options.h"
#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

class MergeOperator;
class PinnableSlice;
class PrefixExtractor;
class TableReader;

// A table, and between which internal keys its range deletions count.
struct UserIteratorTable {
  const TableReader* table = nullptr;  // not null
  // Its bounds as the engine's metadata have them (CompactionOutput). Needed
  // for tables that a compaction wrote, if they have range deletions. Both
  // empty, the default: nothing bounds them. They need only live until the
  // UserIterator is made.
  Slice smallest = {};
  Slice largest = {};
};

// A memtable.
struct UserIteratorMemory {
  std::unique_ptr<EntrySource> entries;  // null: none
  // As they are when the iterator is made. Their keys must outlive it.
  std::vector<RangeDeletion> range_deletions;
};

// What a reader sees.
struct UserIteratorOptions {
  // Null, the default: that of the first table, and without tables
  // BytewiseComparator().
  const Comparator* comparator = nullptr;
  // Null, the default: a key with merge operands is InvalidArgument.
  const MergeOperator* merge_operator = nullptr;
  // Fetches the value that a blob index refers to. Empty, the default:
  // references are shown. Called for each blob that the iterator comes to.
  std::function<Status(const Slice& user_key, const Slice& blob_index,
                       std::string* value)>
      fetch_blob;
  // For prefix_same_as_start. Null, the default: that of the first table that
  // knows one. Tables that know another one are not asked by their filters.
  std::shared_ptr<const PrefixExtractor> prefix_extractor;
  // After how many versions of one key that are not shown the iterator seeks
  // past the rest. Default: 8, as in RocksDB. Not used where keys have
  // timestamps.
  uint64_t max_sequential_skip_in_iterations = 8;
  // Whether of all entries of one user key with one sequence number only the
  // first counts: for tables that may have copies of entries, as the inputs and
  // the output of a compaction do. Such an iterator only moves forward: other
  // moves fail with NotSupported. Default: false, as a database has no such
  // entries, and then each of several equal merge operands is joined.
  bool one_entry_per_sequence = false;
};

class ASHLAR_EXPORT UserIterator {
 public:
  // The order of the inputs does not matter, unless two have an entry with the
  // same internal key: that of the earlier table counts, and of memtables
  // before tables. ReadOptions are copied; what they point to need not outlive
  // this call.
  UserIterator(const UserIteratorOptions& options,
               const ReadOptions& read_options,
               std::span<const UserIteratorTable> tables,
               std::vector<UserIteratorMemory> memory = {});
  UserIterator(const UserIteratorOptions& options,
               const ReadOptions& read_options,
               std::initializer_list<UserIteratorTable> tables,
               std::vector<UserIteratorMemory> memory = {})
      : UserIterator(options, read_options,
                     std::span(tables.begin(), tables.size()),
                     std::move(memory)) {}
  // For one table.
  explicit UserIterator(const TableReader& table,
                        const UserIteratorOptions& options = {},
                        const ReadOptions& read_options = {})
      : UserIterator(options, read_options, {{&table}}) {}
  UserIterator(UserIterator&& other) noexcept;
  UserIterator& operator=(UserIterator&& other) noexcept;
  ~UserIterator();

  // Returns whether the iterator is at a key. False before the first seek, past
  // either end, and after an error.
  bool Valid() const { return valid_; }
  // Returns ok, or the error that ended the walk. Check it whenever Valid() is
  // false.
  Status status() const;

  // These move to the first or to the last key.
  void SeekToFirst();
  void SeekToLast();
  // Moves to the first key that is not before this one. User keys are given
  // without timestamps.
  void Seek(const Slice& user_key);
  // Moves to the last key that is not after this one.
  void SeekForPrev(const Slice& user_key);
  // These move by one key, in either direction after any other move. Requires:
  // Valid().
  void Next();
  void Prev();

  // All functions below require Valid(). Slices live until the iterator moves,
  // unless IsKeyPinned() or IsValuePinned() says more.
  //
  // The user key, without its timestamp.
  Slice key() const {
    assert(valid_);
    return key_;
  }
  // The timestamp of the newest version that is seen; empty if keys have none.
  Slice timestamp() const {
    assert(valid_);
    return timestamp_;
  }
  // The value. Of an entity, its default column, and empty if it has none.
  Slice value() const {
    assert(valid_);
    return value_;
  }
  // The columns of an entity, by ascending name; of a value, one with an empty
  // name.
  std::span<const WideColumn> columns() const;
  // Whether value() is not the value, but a reference to it
  // (table/entry/blob_index.h).
  bool is_blob_index() const;
  // The sequence number and the type of the newest version that is seen, as it
  // is stored. The type is kTypeMerge if operands were joined.
  SequenceNumber sequence() const;
  ValueType type() const;

  // Return whether key() and value() live as long as the iterator. With
  // ReadOptions::pin_data, keys do where Iterator::IsKeyPinned says so, and
  // values unless they were merged or fetched.
  bool IsKeyPinned() const;
  bool IsValuePinned() const;
  // Makes *value the value. *value may outlive the iterator and the readers,
  // but not the block cache. Shares the block in a walk forward over plain
  // values, and copies the bytes elsewhere. Returns MemoryLimit, and leaves
  // *value alone, if memory runs out.
  Status PinValue(PinnableSlice* value);

 private:
  struct State;
  template <typename Move>
  void MoveBy(const Move& move);

  Slice key_;
  Slice timestamp_;
  Slice value_;
  bool valid_ = false;
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_USER_ITERATOR_H_
