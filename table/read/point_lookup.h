// PointLookup: one key of a Get or MultiGet, in any table: filter, index,
// blocks, and the versions of the key from the newest down.
//
// get.h and multi_get.h have shorter ways, which find most answers without
// this. They leave it the keys that need more than a look at one block's entry
// words.
//
// One object per key; one thread at a time.
#ifndef ASHLAR_TABLE_READ_POINT_LOOKUP_H_
#define ASHLAR_TABLE_READ_POINT_LOOKUP_H_

#include <optional>

#include "ashlar/table/table_reader.h"
#include "table/block/block_iterator.h"
#include "table/index/index_cursor.h"
#include "table/read/opened_table.h"
#include "table/read/target_key.h"
#include "table/read/word_answer.h"

namespace ashlar::internal {

class PointLookup {
 public:
  // Requires: all of these outlive the lookup. on_operand may be null, or
  // empty: there is no callback. If `visit` is not null, this lookup visits
  // stored versions, as TableReader::VisitVersions does, and *result tells only
  // what is to be counted.
  PointLookup(const OpenedTable& table, const ReadOptions& options,
              const Slice& user_key, SequenceNumber snapshot,
              const MergeOperandCallback* on_operand,
              const VersionCallback* visit, GetResult* result)
      : table_(table),
        options_(options),
        user_key_(user_key),
        snapshot_(snapshot),
        on_operand_(on_operand),
        visit_(visit),
        result_(result) {}
  PointLookup(const PointLookup&) = delete;
  PointLookup& operator=(const PointLookup&) = delete;
  ~PointLookup() {
    if (block_.has_value()) KeepKeyMemory();
  }

  // One of these three is to be called, once. Requires: *result is as new.
  // Messages do not name the file. After an error *result is as new.

  // Does the whole lookup.
  Status Run();
  // Does the lookup from the first block that may have the key. The caller has
  // asked the filter, has checked the options (CheckOptions), and has loaded
  // the block, which is that of the cursor. `shared`: other keys use the block
  // too, so a value shares it; else the value takes it over. The caller
  // measures the time.
  Status RunFrom(IndexCursor* at, PinnedBlock* block, bool shared);
  // For a lookup that visits, before RunFrom: visits the version that the words
  // of the block name, if they decide. Returns true if the lookup has ended;
  // else RunFrom goes on after that version. Requires: no range deletions.
  bool VisitByWords(const WordPlace& place, PinnedBlock* block);
  // Does the lookup for a key that no block may have.
  Status RunWithoutBlocks();

  // Returns an error if the options do not fit the table.
  static Status CheckOptions(const OpenedTable& table,
                             const ReadOptions& options);
  // Returns whether the cursor's block has to be searched. If it need not be,
  // sets *done unless the key may be in a later one. Requires: the table's
  // filter is loaded, or the options skip it.
  static bool NeedsBlock(const OpenedTable& table, const ReadOptions& options,
                         const Slice& user_key, const IndexCursor& at,
                         GetResult* result, bool* done);

 private:
  void Begin();
  void StartIterator();
  void KeepKeyMemory();
  Status End(const Status& status);
  Status SearchBlocks();
  Status Search(IndexCursor* at, bool on_block);
  Status LoadBlock(const IndexCursor& at);
  Status SearchBlock(const IndexCursor& at, PinnedBlock* searched, bool* done);
  Status TakeEntry();
  Status VisitEntry();
  Status VisitReference();
  void VisitRangeDeletion();
  bool Visit(const StoredVersion& version);
  Status TakeStored();
  Status TakeReference();
  void TakeRangeDeletion();
  Status TakeEntity();
  Status TakeTimedValue();
  Status BadValue(const Status& cause) const;
  Slice KeyOf(const Slice& user_key) const {
    return WithoutTimestamp(user_key, table_.order.timestamp_size());
  }
  void TakeValue(const Slice& value) {
    PinValue(value, shared_, searched_, result_);
  }

  const OpenedTable& table_;
  const ReadOptions& options_;
  const Slice user_key_;
  const SequenceNumber snapshot_;
  const MergeOperandCallback* const on_operand_;
  const VersionCallback* const visit_;
  GetResult* const result_;
  // Versions with this tail or a larger one were visited by words.
  uint64_t passed_tail_ = ~uint64_t{0};
  TargetKey target_;
  PinnedBlock* searched_ = nullptr;  // the caller's or own_
  bool shared_ = false;
  bool timed_by_caller_ = false;  // whether the search of blocks is
  PinnedBlock own_;
  std::optional<BlockIterator> block_;
  // The newest visible range deletion over the key.
  RangeDeletionFragments::Version deletion_;
  // Whether an entry ended the search; else the key had no more versions.
  bool decided_ = false;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_POINT_LOOKUP_H_
