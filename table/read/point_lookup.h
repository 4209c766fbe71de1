// One key of a Get or MultiGet, whatever the table is like: filter, index,
// blocks, and the versions of the key from newest down.
//
// The short ways are elsewhere: get.h and multi_get.h find most answers without
// this, and leave it the keys that need more than a look at one block's words.
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
  // All must outlive the lookup. Null: there is no callback.
  PointLookup(const OpenedTable& table, const ReadOptions& options,
              const Slice& user_key, SequenceNumber snapshot,
              const MergeOperandCallback* on_operand, GetResult* result)
      : table_(table),
        options_(options),
        user_key_(user_key),
        snapshot_(snapshot),
        on_operand_(on_operand),
        result_(result) {}
  PointLookup(const PointLookup&) = delete;
  PointLookup& operator=(const PointLookup&) = delete;
  ~PointLookup() {
    if (block_.has_value()) KeepKeyMemory();
  }

  // Each to be called once, with a result that is as new; messages do not name
  // the file, and after an error the result is as new.

  // All of it.
  Status Run();
  // For who has asked the filter, knows that the read's options may be, and has
  // loaded the first block that may have the key: the cursor stands on it.
  // `shared`: others use the block too, and so a value shares it; else it takes
  // it. The caller takes the time.
  Status RunFrom(IndexCursor* at, PinnedBlock* block, bool shared);
  // The same where no block may have it.
  Status RunWithoutBlocks();

  static Status CheckOptions(const OpenedTable& table,
                             const ReadOptions& options);
  // Whether the block that the cursor stands on has to be looked at. If not,
  // *done unless the key may stand in a later one.
  static bool NeedsBlock(const OpenedTable& table, const Slice& user_key,
                         const IndexCursor& at, GetResult* result, bool* done);

 private:
  void Begin();
  void StartIterator();
  void KeepKeyMemory();
  Status End(const Status& status);
  Status SearchBlocks();
  Status AskFilter(bool* maybe);
  Status Search(IndexCursor* at, bool on_block);
  Status LoadBlock(const IndexCursor& at);
  Status SearchBlock(const IndexCursor& at, PinnedBlock* searched, bool* done);
  Status TakeEntry();
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
  GetResult* const result_;
  TargetKey target_;
  PinnedBlock* searched_ = nullptr;  // the caller's or own_
  bool shared_ = false;
  bool timed_by_caller_ = false;  // the search of blocks
  PinnedBlock own_;
  std::optional<BlockIterator> block_;
  // The newest visible range deletion over the key.
  RangeDeletionFragments::Version deletion_;
  // Whether an entry ended the search; else the versions came to their end.
  bool decided_ = false;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_POINT_LOOKUP_H_
