// TableReader: reads one table file.
//
// Open checks footer, metaindex, properties and index, and refuses with
// NotSupported what it could not honour in every read (comparators it does not
// know, ...). All const calls may be made by any number of threads at once.
// Index, filter and range deletions are held in memory, the first two by option
// in the block cache; data blocks are read as they are needed, and kept where
// ReaderOptions::block_cache is given.
#ifndef ASHLAR_TABLE_TABLE_READER_H_
#define ASHLAR_TABLE_TABLE_READER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/iterator.h"
#include "ashlar/table/options.h"
#include "ashlar/table/range_deletion.h"
#include "ashlar/table/table_properties.h"
#include "ashlar/util/export.h"
#include "ashlar/util/file.h"
#include "ashlar/util/pinnable_slice.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"

namespace ashlar {

class WorkerPool;

// Called for each merge operand of a key, newest first. The bytes are valid
// only during the call. False ends the read there.
using MergeOperandCallback =
    std::function<bool(const Slice& operand, SequenceNumber sequence)>;

// What Get found.
struct GetResult {
  enum class State : uint8_t {
    kNotFound,  // no visible entry of the key in this table
    kFound,     // `value` holds it (after merge operands: their base)
    // A deletion, of the key or of a range that it lies in (after merge
    // operands: their base is empty). For a range deletion `type` says so,
    // and there need be no entry of the key.
    kDeleted,
    kMerged,  // merge operands only: their base is not in this table
  };
  enum class Filter : uint8_t {
    kNone,    // the table has no filter that could be used
    kAbsent,  // the filter ruled the key out
    kMaybe,   // the filter let it pass
  };
  State state = State::kNotFound;
  Filter filter = Filter::kNone;
  // Of the entry that decided: value, deletion, or last operand. Not for
  // kNotFound.
  ValueType type = ValueType::kTypeValue;
  SequenceNumber sequence = 0;
  std::string timestamp;  // empty where the comparator has none
  PinnableSlice value;
  // Whether `value` is only a reference into a blob file
  // (table/entry/blob_index.h): for blob indexes, and entities whose default
  // column is one.
  bool is_blob_index = false;
  // For a wide-column entity `value` is its default column, empty where it has
  // none, and this all of it (table/entry/wide_columns.h). Lives as long as
  // `value`.
  Slice entity;
  uint32_t data_blocks_read = 0;  // from the file or from the block cache

  // As new; gives the value back.
  void Reset() {
    state = State::kNotFound;
    filter = Filter::kNone;
    type = ValueType::kTypeValue;
    sequence = 0;
    timestamp.clear();
    value.Reset();
    is_blob_index = false;
    entity = Slice();
    data_blocks_read = 0;
  }
};

// The same for a key of a MultiGet, which is told by its number.
using BatchOperandCallback = std::function<bool(
    size_t key, const Slice& operand, SequenceNumber sequence)>;

class ASHLAR_EXPORT TableReader {
 public:
  static Result<std::unique_ptr<TableReader>> Open(
      const std::string& path, const ReaderOptions& options = {});
  // The file belongs to the reader from here on, also when opening fails.
  static Result<std::unique_ptr<TableReader>> Open(
      std::unique_ptr<RandomAccessFile> file,
      const ReaderOptions& options = {});

  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;
  ~TableReader();

  // The newest entry of user_key with a sequence number <= snapshot, and where
  // keys have timestamps, one that is not newer than options.timestamp;
  // user_key is given without. A key that is not there is ok with kNotFound.
  // Merge operands go to on_operand until a value, a deletion or the key's end
  // is met; MergeInProgress if there are any and on_operand is empty. A value
  // with a preferred sequence number comes without that number.
  Status Get(const ReadOptions& options, const Slice& user_key,
             SequenceNumber snapshot, GetResult* result,
             const MergeOperandCallback& on_operand = {}) const;
  Status Get(const Slice& user_key, GetResult* result) const {
    return Get(ReadOptions(), user_key, kMaxSequenceNumber, result);
  }

  // Get of each key: any number, in any order, also repeated. `results` and
  // `statuses` have as many; what they held is given back. A key whose block is
  // damaged has that status, and nothing else changes for the others. Filter,
  // index, cache and file are asked for up to 32 keys at a time, and values
  // that lie in one block keep it alive together, by one reference. Cheaper
  // than Get from two keys on. Keys must not lie in `results`.
  void MultiGet(const ReadOptions& options, std::span<const Slice> user_keys,
                SequenceNumber snapshot, std::span<GetResult> results,
                std::span<Status> statuses,
                const BatchOperandCallback& on_operand = {}) const;
  void MultiGet(std::span<const Slice> user_keys, std::span<GetResult> results,
                std::span<Status> statuses) const {
    MultiGet(ReadOptions(), user_keys, kMaxSequenceNumber, results, statuses);
  }

  Iterator NewIterator(const ReadOptions& options = {}) const;

  // Whether an iterator that shows every stored entry would come from the first
  // to the last: what it would stop at, if anything. *entries: how many it
  // shows before. Of the options, verify_checksums, readahead_size and
  // fill_cache count. Workers of `pool` help, which may be null; what is found
  // does not depend on them. on_progress is called now and then by the calling
  // thread, with the bytes of the file that are done and that there are; false
  // gives up with Aborted.
  Status CheckEntries(
      const ReadOptions& options, WorkerPool* pool,
      const std::function<bool(uint64_t done, uint64_t total)>& on_progress,
      uint64_t* entries) const;

  // Whether keys can be compared: false only where
  // ReaderOptions::allow_unknown_comparator was needed.
  bool knows_order() const;

  // As stored, in stored order: they may overlap, repeat, and come in any
  // order. They live as long as the reader.
  std::span<const RangeDeletion> RangeDeletions() const;
  // In key order and without overlap. There may be twice as many fragments as
  // range deletions, and each may have all of their sequence numbers. None
  // where the order of keys is not known.
  void VisitRangeDeletionFragments(
      const RangeDeletionFragmentCallback& visit) const;
  // The largest sequence number <= snapshot of a range deletion over the key:
  // entries of the key with smaller ones are deleted. 0: there is none. Where
  // keys have timestamps, user_key is given without, and only range deletions
  // that are not newer than `timestamp` count; empty: all do.
  SequenceNumber NewestRangeDeletionOver(const Slice& user_key,
                                         SequenceNumber snapshot,
                                         const Slice& timestamp = {}) const;

  // Reads every block of the file and compares it with its checksum; the first
  // fault. InspectTable in table/inspect.h finds all faults and looks deeper.
  Status VerifyChecksum(const ReadOptions& options = {}) const;

  // About where in the file the data of user_key (without timestamp) begins or
  // would begin, in
  // bytes; for keys behind the last one, where the data blocks end.
  uint64_t ApproximateOffsetOf(const Slice& user_key) const;

  const TableProperties& properties() const;
  uint32_t format_version() const;
  ChecksumType checksum_type() const;
  // Of one that is not known, something that has its name and nothing else.
  const Comparator* comparator() const;
  const RandomAccessFile& file() const;
  // Bytes held in memory for index, filter and properties; not those that lie
  // in the block cache.
  uint64_t MemoryUsage() const;

 private:
  struct State;
  explicit TableReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_TABLE_READER_H_
