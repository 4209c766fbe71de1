// One Get: filter, index, block, and the versions of the key from newest down.
#ifndef ASHLAR_TABLE_READ_POINT_LOOKUP_H_
#define ASHLAR_TABLE_READ_POINT_LOOKUP_H_

#include "table/block/block_iterator.h"
#include "table/index/index_cursor.h"
#include "table/read/opened_table.h"
#include "table/table_reader.h"

namespace ashlar::internal {

class PointLookup {
 public:
  // All must outlive the lookup.
  PointLookup(const OpenedTable& table, const ReadOptions& options,
              const Slice& user_key, SequenceNumber snapshot,
              const MergeOperandCallback& on_operand)
      : table_(table),
        options_(options),
        user_key_(user_key),
        snapshot_(snapshot),
        on_operand_(on_operand),
        block_(table.order) {}

  // To be called once. Messages do not name the file.
  Status Run(GetResult* result);

 private:
  Status SearchBlocks();
  Status AskFilter(const Slice& target, bool* maybe);
  Status Search(const Slice& target);
  Status SearchBlock(const IndexCursor& at, const Slice& target, bool* done);
  bool AskOfBlock(uint64_t offset);
  Status TakeEntry();
  void TakeRangeDeletion();
  Status TakeEntity();
  Status TakeTimedValue();
  Status BadValue(const Status& cause) const;
  bool MaySpan(const IndexCursor& at) const;
  // A user key as the caller gives it, without timestamp.
  Slice KeyOf(const Slice& user_key) const {
    return WithoutTimestamp(user_key, table_.order.timestamp_size());
  }
  // A part of the block's bytes.
  void PinValue(const Slice& value);

  const OpenedTable& table_;
  const ReadOptions& options_;
  const Slice user_key_;
  const SequenceNumber snapshot_;
  const MergeOperandCallback& on_operand_;
  PinnedBlock pinned_;
  BlockIterator block_;
  GetResult* result_ = nullptr;
  // The newest visible range deletion over the key.
  RangeDeletionFragments::Version deletion_;
  // Whether an entry ended the search; else the versions came to their end.
  bool decided_ = false;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_POINT_LOOKUP_H_
